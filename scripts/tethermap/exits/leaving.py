"""Names of groups that leave a ligand, as a chemist calls them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rdkit import Chem, rdBase

from tethermap.base.reference import LEAVING_GROUPS, rows_of


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
    groups = [(Chem.MolFromSmiles(row["smiles"]), row["name"]) for row in rows_of(LEAVING_GROUPS)]
    names = {_rooted(group, range(group.GetNumAtoms())): name for group, name in groups}
    return names, max(group.GetNumAtoms() for group, _ in groups)
