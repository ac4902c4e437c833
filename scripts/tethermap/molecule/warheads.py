"""Reactive group of a covalent ligand, derived from the adduct."""

from functools import cache, lru_cache

from rdkit import Chem, rdBase

from tethermap.base.reference import rows_of
from tethermap.base.tables import JOINED

UNKNOWN = "other"
"""Class of a linked atom that no class of the list describes."""


@cache
def _classes() -> tuple[tuple[str, Chem.Mol], ...]:
    """Return name and pattern of each class of ``data/reference/warheads.csv``, the most specific first."""
    return tuple((row["class"], Chem.MolFromSmarts(row["smarts"])) for row in rows_of("warheads"))


@lru_cache(maxsize=4096)
def warhead_classes(adduct: str, kind: str = "ligand") -> str:
    """Return the class of each linked atom of an adduct, joined by ``;``; empty without any and for cofactors.

    Several groups give the same adduct, such as an acrylamide and a 3-chloropropionamide: the class is the most
    frequent one in inhibitors.

    Parameters
    ----------
    adduct : str
        SMILES of the ligand with the protein atom and ``*`` for the rest of the protein.

    Examples
    --------
    >>> warhead_classes("*SCCC(=O)Nc1ccccc1")
    'Michael acceptor'
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(adduct) if adduct and kind != "cofactor" else None
    if mol is None:
        return ""
    classes = []
    for rest in mol.GetAtoms():
        if rest.GetAtomicNum() == 0 and rest.GetDegree() == 1:
            protein = rest.GetNeighbors()[0]
            linked = [atom.GetIdx() for atom in protein.GetNeighbors() if atom.GetAtomicNum() != 0]
            classes += [_class_of(mol, atom, protein.GetIdx()) for atom in linked]
    return JOINED.join(dict.fromkeys(classes))


def _class_of(mol: Chem.Mol, atom: int, protein: int) -> str:
    matches = ((name, mol.GetSubstructMatches(pattern, uniquify=False)) for name, pattern in _classes())
    fitting = (name for name, found in matches if any(one[0] == atom and protein in one for one in found))
    return next(fitting, UNKNOWN)
