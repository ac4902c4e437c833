"""The charged form of a molecule at pH 7.4, by a table of groups that are surely charged there."""

from __future__ import annotations

import csv
from functools import cache, lru_cache
from typing import NamedTuple

from rdkit import Chem, rdBase

from tethermap.base.elements import is_metal
from tethermap.base.reference import PROTONATION

NEAR_BONDS = 3
"""A nitrogen takes no proton within so many bonds of a cation: the second pKa of 1,2-diamines is about 6 to 7
(Hall 1957, doi:10.1021/ja01577a030), that of piperazine 5.3."""


class IonisableGroup(NamedTuple):
    """A group that gives or takes a proton: the change of its charge, its pattern, and which atom of that changes."""

    change: int
    pattern: Chem.Mol
    atom: int


@cache
def groups() -> tuple[IonisableGroup, ...]:
    """Return the rules of ``data/reference/protonation.csv`` in its order."""
    rules = []
    with PROTONATION.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            pattern = Chem.MolFromSmarts(row["smarts"])
            marked = next(atom.GetIdx() for atom in pattern.GetAtoms() if atom.GetAtomMapNum() == 1)
            rules.append(IonisableGroup(int(row["change"]), pattern, marked))
    return tuple(rules)


def charged(mol: Chem.Mol) -> Chem.Mol:
    """Return a neutral molecule as it is charged at pH 7.4; one with a metal stays as it is.

    Groups with a pKa near 7.4 (imidazoles, phenols, N-alkyl morpholines, the second proton of phosphonates) stay
    neutral, and so does a base beside a cation.

    Parameters
    ----------
    mol : Chem.Mol
        Sanitised, hydrogens implicit; the atoms keep their order.
    """
    if any(is_metal(atom.GetSymbol()) for atom in mol.GetAtoms()):
        return mol
    ranks = list(Chem.CanonicalRankAtoms(mol, breakTies=True))
    result = Chem.RWMol(mol)
    for group in groups():
        while free := _free_sites(result, group):
            atom = result.GetAtomWithIdx(min(free, key=lambda index: ranks[index]))
            count = atom.GetTotalNumHs()
            atom.SetFormalCharge(atom.GetFormalCharge() + group.change)
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(count + group.change)
            atom.UpdatePropertyCache(strict=False)
    return result.GetMol()


@lru_cache(maxsize=4096)
def charged_smiles(smiles: str) -> str:
    """Return the SMILES of the form at pH 7.4, empty for one that RDKit does not accept.

    Examples
    --------
    >>> charged_smiles("NCCC(=O)O")
    '[NH3+]CCC(=O)[O-]'
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return ""  # type: ignore[unreachable]
    return str(Chem.MolToSmiles(charged(mol)))


def _free_sites(mol: Chem.Mol, group: IonisableGroup) -> set[int]:
    """Return the atoms of a group that would change and are not held back by a cation nearby."""
    sites = {match[group.atom] for match in mol.GetSubstructMatches(group.pattern, maxMatches=1000)}
    if group.change < 0 or not sites:
        return sites
    cations = [atom.GetIdx() for atom in mol.GetAtoms() if _is_cation(atom)]
    apart = Chem.GetDistanceMatrix(mol) if cations else None
    return sites if apart is None else {site for site in sites if min(apart[site][cations]) > NEAR_BONDS}


def _is_cation(atom: Chem.Atom) -> bool:
    """Return whether an atom is positive and no neighbour balances it (nitro groups, N-oxides)."""
    return atom.GetFormalCharge() > 0 and all(other.GetFormalCharge() >= 0 for other in atom.GetNeighbors())
