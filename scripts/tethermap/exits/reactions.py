"""The usual reaction at an exit of a ligand, more specific than that of its class."""

from collections.abc import Sequence
from functools import cache

from rdkit import Chem

from tethermap.base.reference import rows_of
from tethermap.base.tables import by_key
from tethermap.exits.words import CHEMISTRY


def reaction_at(mol: Chem.Mol, anchor: int, leaving: Sequence[int], chem_class: str) -> str:
    """Return the usual reaction at an exit of this ligand, that of its class if the table has none for it.

    Parameters
    ----------
    mol : Chem.Mol
        The ligand, sanitised.
    anchor : int
        Heavy atom that the linker is bonded to.
    leaving : sequence of int
        Heavy atoms that leave, the one bonded to the anchor first.
    chem_class : str
        A key of `tethermap.exits.words.CHEMISTRY`.

    >>> reaction_at(Chem.MolFromSmiles("c1ccccc1OC"), 6, [7], "ether or ester O, alkyl leaves")
    'alkylate the freed oxygen'
    """
    for pattern, change in _changes().get(chem_class, ()):
        mapped = {atom.GetAtomMapNum(): atom.GetIdx() for atom in pattern.GetAtoms() if atom.GetAtomMapNum()}
        for match in mol.GetSubstructMatches(pattern, uniquify=False):
            if match[mapped[1]] == anchor and (2 not in mapped or match[mapped[2]] in leaving[:1]):
                return change
    return CHEMISTRY.get(chem_class, chem_class)


@cache
def _changes() -> dict[str, list[tuple[Chem.Mol, str]]]:
    """Return the patterns and reactions of each class, in the order in which they are tried."""
    rows = rows_of("exit_changes")
    return by_key((row["chem_class"], (Chem.MolFromSmarts(row["pattern"]), row["change"])) for row in rows)
