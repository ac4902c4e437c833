"""A ligand as half of a degrader: its remaining part after the cut, and the atom that the linker is bonded to."""

from collections.abc import Sequence
from dataclasses import dataclass

from rdkit import Chem

from tethermap.exits.graph import LigandGraph
from tethermap.exits.prior import is_carbonyl
from tethermap.molecule.record import LigandMolecule

ATTACHMENT = "[*]"
"""Represents the linker in SMILES."""


@dataclass(frozen=True, eq=False)
class Warhead:
    """The remaining part of a ligand when a linker replaces a leaving group or a hydrogen.

    Parameters
    ----------
    mol : Chem.Mol
        Its heavy atoms in the order of the SDF; hydrogens are implicit, one of them in the linker's place.
    kept : tuple of int
        0-based SDF index of each of its atoms.
    anchor : int
        0-based index of the anchor in `mol`.
    alike : tuple of int
        0-based indices in `mol` of the other atoms that are equivalent to the anchor by symmetry, without stereo:
        substructure searches can confuse them with the anchor.
    """

    mol: Chem.Mol
    kept: tuple[int, ...]
    anchor: int
    alike: tuple[int, ...]


def core_cut(graph: LigandGraph, anchor: int, leaving: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Return the cut that leaves the common part of a ligand and its degrader: anchor and leaving atoms.

    At the oxygen of an ester or acid, or at the methyl group of an ester, that is the carbonyl carbon: the linker
    brings an amide's nitrogen in place of the oxygen. At every other exit the anchor itself remains.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    anchor, leaving : int, sequence of int
        As for `cut_warhead`.
    """
    oxygen, gone = anchor, (anchor, *leaving)
    if graph.element[anchor] == "C" and not leaving and len(graph.near[anchor]) == 1:
        oxygen = graph.near[anchor][0]
        gone = (oxygen, anchor)
    if graph.element[oxygen] != "O" or oxygen in graph.ring_atoms:
        return anchor, tuple(leaving)
    carbonyl = [k for k in graph.near[oxygen] if k not in gone and is_carbonyl(graph, k)]
    return (carbonyl[0], gone) if carbonyl else (anchor, tuple(leaving))


def cut_warhead(molecule: LigandMolecule, anchor: int, leaving: Sequence[int]) -> Warhead:
    """Return the warhead of an exit.

    Parameters
    ----------
    molecule : LigandMolecule
        The ligand with its hydrogens as atoms.
    anchor : int
        Heavy atom that the linker is bonded to.
    leaving : sequence of int
        Heavy atoms that leave, the one bonded to the anchor first; empty if a hydrogen leaves.
    """
    kept = tuple(k for k in range(molecule.n_heavy) if k not in set(leaving))
    mol = Chem.RemoveAllHs(_replaced(molecule, anchor, leaving, 1), sanitize=False)
    place = kept.index(anchor)
    if molecule.sanitised:
        mol.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(mol)
    return Warhead(mol, kept, place, alike_atoms(mol, place))


def alike_atoms(mol: Chem.Mol, anchor: int) -> tuple[int, ...]:
    """Return the other atoms that a substructure search can match with the anchor.

    It ignores hydrogens and stereo: both nitrogens of an imidazole ring are equivalent.
    """
    bare = Chem.Mol(mol)
    for atom in bare.GetAtoms():
        atom.SetNoImplicit(True)
        atom.SetNumExplicitHs(0)
    bare.UpdatePropertyCache(strict=False)
    ranks = list(Chem.CanonicalRankAtoms(bare, breakTies=False, includeChirality=False))
    return tuple(k for k, rank in enumerate(ranks) if rank == ranks[anchor] and k != anchor)


def core_with_hydrogens(molecule: LigandMolecule, anchor: int, leaving: Sequence[int]) -> Chem.Mol:
    """Return the same as a molecule with all its hydrogens, one of them in the linker's place."""
    mol = _replaced(molecule, anchor, leaving, 1)
    if molecule.sanitised:
        Chem.SanitizeMol(mol)
    return mol


class WarheadSmiles:
    """Isomeric SMILES of the warheads of one ligand, with `ATTACHMENT` for the linker.

    Parameters
    ----------
    molecule : LigandMolecule
        The ligand with its hydrogens as atoms.
    """

    def __init__(self, molecule: LigandMolecule) -> None:
        self._molecule = molecule
        self._bare = Chem.RemoveAllHs(molecule.mol, sanitize=False) if molecule.sanitised else None

    def of(self, anchor: int, leaving: Sequence[int]) -> str:
        """Return the SMILES of an exit; empty for a molecule that RDKit does not accept.

        Parameters
        ----------
        anchor, leaving : int, sequence of int
            As for `cut_warhead`.
        """
        if self._bare is None:
            return ""
        if leaving:
            edit = Chem.RWMol(self._bare)
            edit.ReplaceAtom(leaving[0], Chem.Atom(0))
            edit.BeginBatchEdit()
            for k in leaving[1:]:
                edit.RemoveAtom(k)
            edit.CommitBatchEdit()
        elif self._bare.GetAtomWithIdx(anchor).GetChiralTag() == Chem.ChiralType.CHI_UNSPECIFIED:
            edit = Chem.RWMol(self._bare)
            place = edit.AddAtom(Chem.Atom(0))
            edit.AddBond(anchor, place, Chem.BondType.SINGLE)
            atom = edit.GetAtomWithIdx(anchor)
            atom.SetNumExplicitHs(max(0, atom.GetNumExplicitHs() - 1))
        else:  # the linker replaces the only hydrogen, so that the configuration is kept
            edit = Chem.RemoveAllHs(_replaced(self._molecule, anchor, leaving, 0), sanitize=False)
        Chem.AssignStereochemistry(edit, cleanIt=True, force=True)
        return str(Chem.MolToSmiles(edit)).replace("*", ATTACHMENT)


def _replaced(molecule: LigandMolecule, anchor: int, leaving: Sequence[int], number: int) -> Chem.Mol:
    """Return a ligand with one atom of another element in place of the leaving group's first atom."""
    edit = Chem.RWMol(molecule.mol)
    near = [atom.GetIdx() for atom in edit.GetAtomWithIdx(anchor).GetNeighbors()]
    place = leaving[0] if leaving else next(k for k in near if k >= molecule.n_heavy)
    gone = set(leaving[1:])
    gone.update(
        other.GetIdx()
        for k in leaving
        for other in edit.GetAtomWithIdx(k).GetNeighbors()
        if other.GetIdx() >= molecule.n_heavy
    )
    edit.ReplaceAtom(place, Chem.Atom(number))
    edit.BeginBatchEdit()
    for k in gone:
        edit.RemoveAtom(k)
    edit.CommitBatchEdit()
    return edit.GetMol()
