"""A ligand as half of a degrader: its remaining part after the cut, and the atom that the linker is bonded to."""

from collections.abc import Sequence
from dataclasses import dataclass

from rdkit import Chem

from tethermap.exits.graph import LigandGraph
from tethermap.exits.prior import is_carbonyl
from tethermap.molecule.record import LigandMolecule


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
    mol = Chem.RemoveAllHs(_capped(molecule, leaving), sanitize=False)
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


def core_with_hydrogens(molecule: LigandMolecule, leaving: Sequence[int]) -> Chem.Mol:
    """Return the same as a molecule with all its hydrogens, one of them in the linker's place."""
    mol = _capped(molecule, leaving)
    if molecule.sanitised:
        Chem.SanitizeMol(mol)
    return mol


def warhead_smiles(bare: Chem.Mol | None, anchor: int, leaving: Sequence[int]) -> str:
    """Return the isomeric SMILES of a warhead with ``[*]`` for the linker.

    Parameters
    ----------
    bare : Chem.Mol or None
        The ligand with implicit hydrogens; None if RDKit does not accept it, which has an empty SMILES.
    anchor, leaving : int, sequence of int
        As for `cut_warhead`.
    """
    if bare is None:
        return ""
    edit = Chem.RWMol(bare)
    if leaving:
        edit.ReplaceAtom(leaving[0], Chem.Atom(0))
        edit.BeginBatchEdit()
        for k in leaving[1:]:
            edit.RemoveAtom(k)
        edit.CommitBatchEdit()
    else:  # the last neighbour of an atom, as an implicit hydrogen is: a configuration is kept
        edit.AddBond(anchor, edit.AddAtom(Chem.Atom(0)), Chem.BondType.SINGLE)
        atom = edit.GetAtomWithIdx(anchor)
        atom.SetNumExplicitHs(max(0, atom.GetNumExplicitHs() - 1))
    Chem.AssignStereochemistry(edit, cleanIt=True, force=True)
    return str(Chem.MolToSmiles(edit)).replace("*", "[*]")


def _capped(molecule: LigandMolecule, leaving: Sequence[int]) -> Chem.Mol:
    """Return a ligand with a hydrogen in place of the leaving group."""
    edit = Chem.RWMol(molecule.mol)
    if leaving:
        edit.ReplaceAtom(leaving[0], Chem.Atom(1))
    near = (other.GetIdx() for k in leaving for other in edit.GetAtomWithIdx(k).GetNeighbors())
    edit.BeginBatchEdit()
    for k in {*leaving[1:], *(other for other in near if other >= molecule.n_heavy)}:
        edit.RemoveAtom(k)
    edit.CommitBatchEdit()
    return edit.GetMol()
