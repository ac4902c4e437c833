"""Names of ligands and of groups that leave them, as a chemist calls them; nucleotides among ligands."""

from collections.abc import Sequence
from functools import cache

from rdkit import Chem, rdBase

from tethermap.base.reference import rows_of
from tethermap.base.tables import by_key
from tethermap.molecule.record import LigandMolecule

AMINO_ACID, SUGAR = frozenset({"N", "CA", "C", "O"}), frozenset({"C1", "C2", "C3", "C4", "C5", "O5"})
"""Names of atoms that all amino acids, and all hexopyranoses, have in the dictionary."""

MOST_CODES = 3
"""Most components of a group that is named by their codes."""


def group_name(molecule: LigandMolecule) -> str:
    """Return the name of a linked group, empty for a single component.

    Few components are named by their codes (``PJE+010+02J``), larger groups by their number: ``cyclic peptide of 8
    residues`` if a ring contains three residues or more.
    """
    codes = molecule.component_names.split("+")
    if len(codes) == 1:
        return ""
    if len(codes) <= MOST_CODES:
        return molecule.component_names
    residues: list[int] = molecule.residue.tolist()
    atoms = by_key(zip(residues, molecule.dictionary_names, strict=True))
    n_amino_acids, n_sugars = (sum(map(names.issubset, atoms.values())) for names in (AMINO_ACID, SUGAR))
    if 2 * n_sugars > len(codes):
        return f"saccharide of {len(codes)} residues"
    if 2 * n_amino_acids <= len(codes):
        return f"linked group of {len(codes)} components"
    rings = molecule.mol.GetRingInfo().AtomRings()
    cyclic = any(len({residues[k] for k in ring if k < len(residues)}) >= 3 for ring in rings)
    return f"{'cyclic ' if cyclic else ''}peptide of {len(codes)} residues"


_PHOSPHATES, _NUCLEOSIDE = "[PX4]~[#6,#7,#8,#16]~[PX4]", "[#7;R]-[CX4;R]1~[OX2]~[CX4]~[CX4]~[CX4]1"
_IN_NUCLEOTIDE = [Chem.MolFromSmarts(smarts) for smarts in (_PHOSPHATES, _NUCLEOSIDE)]
"""Two phosphorus atoms bridged by O, N, C or S as in ATP, AMP-PNP and AMP-PCP; a base on a ribose."""


def is_nucleotide(molecule: LigandMolecule) -> bool:
    """Return whether a molecule is a nucleoside with two or more bridged phosphates, or an analogue of one.

    They bind like the cofactor that they mimic, and are not suitable for degraders.
    """
    return all(map(molecule.mol.HasSubstructMatch, _IN_NUCLEOTIDE))


def leaving_name(mol: Chem.Mol, atoms: Sequence[int]) -> str:
    """Return the name of a group that leaves, empty if it has none in the table.

    Parameters
    ----------
    mol : Chem.Mol
        The ligand.
    atoms : sequence of int
        Heavy atoms of the group; the first is bonded to the rest of the ligand.

    >>> leaving_name(Chem.MolFromSmiles("c1ccccc1CCN1CCOCC1"), [8, 9, 10, 11, 12, 13])
    'morpholine'
    """
    names, largest = _names()
    return names.get(_rooted(mol, atoms), "") if 0 < len(atoms) <= largest else ""


def _rooted(mol: Chem.Mol, atoms: Sequence[int]) -> str:
    """Return the SMILES of a group from its first atom on, without hydrogens and stereochemistry."""
    group = Chem.RWMol()
    place = {index: group.AddAtom(mol.GetAtomWithIdx(index)) for index in atoms}
    for index in atoms:
        for bond in mol.GetAtomWithIdx(index).GetBonds():
            if bond.GetBeginAtomIdx() == index and bond.GetEndAtomIdx() in place:
                group.AddBond(place[index], place[bond.GetEndAtomIdx()], bond.GetBondType())
    for atom in group.GetAtoms():
        atom.SetNoImplicit(False)
        atom.SetNumExplicitHs(0)
    with rdBase.BlockLogs():
        if Chem.SanitizeMol(group, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
            return ""
    return Chem.MolToSmiles(group, rootedAtAtom=0, isomericSmiles=False)


@cache
def _names() -> tuple[dict[str, str], int]:
    """Return the names by SMILES, and the number of atoms of the largest group."""
    groups = [(Chem.MolFromSmiles(row["smiles"]), row["name"]) for row in rows_of("leaving_groups")]
    names = {_rooted(group, range(group.GetNumAtoms())): name for group, name in groups}
    return names, max(group.GetNumAtoms() for group, _ in groups)
