"""The charged forms of a molecule at pH 7.4, by a table of groups with their pKa."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from rdkit import Chem, rdBase

from tethermap.base.elements import is_metal
from tethermap.base.reference import PROTONATION
from tethermap.base.tables import JOINED

NEAR_BONDS = 3
"""A nitrogen takes no proton within so many bonds of a cation: the second pKa of 1,2-diaminoethane is 7.1, that of
piperazine 5.7 (data set of Genzling et al. 2024, doi:10.26434/chemrxiv-2024-bpd53-v2)."""


PH, NEAR_PH = 7.4, 1.0
"""The pH of the charged form, and how far from it a pKa lies of whose group both forms are given."""

METAL_PKA = 6.0
"""Acids up to this pKa are charged in molecules with a metal too, such as the propionates of haem."""


class IonisableGroup(NamedTuple):
    """A group that gives or takes a proton: its name and pKa, the change of its charge, its pattern and which atom.

    `elements` are the atomic numbers that a molecule with it has.
    """

    name: str
    pka: float
    change: int
    pattern: Chem.Mol
    atom: int
    elements: frozenset[int]

    @property
    def is_charged(self) -> bool:
        """Whether most of it is charged at pH 7.4."""
        return self.pka < PH if self.change < 0 else self.pka > PH

    @property
    def is_near(self) -> bool:
        """Whether much of it has either form at pH 7.4."""
        return abs(self.pka - PH) <= NEAR_PH + 1e-9


class FormsAtPh(NamedTuple):
    """SMILES at pH 7.4, that with the groups of a pKa near 7.4 the other way round, and these with their pKa.

    The last two are empty without such groups.
    """

    main: str
    other: str
    near: str


@cache
def groups() -> tuple[IonisableGroup, ...]:
    """Return the rules of ``data/reference/protonation.csv`` in its order."""
    rules = []
    with PROTONATION.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            pattern = Chem.MolFromSmarts(row["smarts"])
            marked = next(atom.GetIdx() for atom in pattern.GetAtoms() if atom.GetAtomMapNum() == 1)
            plain = [atom for atom in pattern.GetAtoms() if "," not in atom.GetSmarts()]
            elements = frozenset(atom.GetAtomicNum() for atom in plain) - {0}
            group = IonisableGroup(row["name"], float(row["pKa"]), int(row["change"]), pattern, marked, elements)
            assert group.is_near or group.is_charged, group.name
            rules.append(group)
    return tuple(rules)


def charged(mol: Chem.Mol, *, other: bool = False) -> tuple[Chem.Mol, list[IonisableGroup]]:
    """Return a neutral molecule as it is charged at pH 7.4, and its groups of a pKa near it; `other` turns these round.

    A base beside a cation stays neutral; of a molecule with a metal the strong acids alone are charged.

    Parameters
    ----------
    mol : Chem.Mol
        Sanitised, hydrogens implicit; the atoms keep their order.
    """
    seen = {(atom.GetSymbol(), atom.GetAtomicNum(), atom.GetTotalNumHs() > 0) for atom in mol.GetAtoms()}
    metal = any(is_metal(symbol) for symbol, _, _ in seen)
    ranks = list(Chem.CanonicalRankAtoms(mol, breakTies=True))
    result = Chem.RWMol(mol)
    present = {(element, with_hydrogen) for _, element, with_hydrogen in seen}
    elements = {element for element, _ in present}
    decided: set[int] = set()
    near: list[IonisableGroup] = []
    for group in groups():
        if not group.elements <= elements or (metal and (group.change > 0 or group.pka > METAL_PKA)):
            continue
        element = group.pattern.GetAtomWithIdx(group.atom).GetAtomicNum()
        if element and (element, True) not in present and (group.change < 0 or (element, False) not in present):
            continue
        changes = group.is_charged != (other and group.is_near)
        while free := _free_sites(result, group) - decided:
            site = min(free, key=lambda index: ranks[index])
            if group.is_near:
                near.append(group)
                decided.add(site)
            if changes:
                _change(result, site, group.change, ranks)
    return result.GetMol(), near


def _change(mol: Chem.RWMol, index: int, change: int, ranks: Sequence[int]) -> None:
    """Give a proton to an atom or take one; the charge of a carbon goes to the oxygen of a carbonyl beside it."""
    atom = mol.GetAtomWithIdx(index)
    count = atom.GetTotalNumHs()
    atom.SetNoImplicit(True)
    atom.SetNumExplicitHs(count + change)
    if atom.GetAtomicNum() == 6:
        bonds = [(bond, bond.GetOtherAtom(atom)) for bond in atom.GetBonds()]
        doubles = [
            (ranks[oxygen.GetIdx()], bond, double, oxygen)
            for bond, carbon in bonds
            for double in carbon.GetBonds()
            if double.GetBondType() == Chem.BondType.DOUBLE
            and (oxygen := double.GetOtherAtom(carbon)).GetAtomicNum() == 8
        ]
        _, bond, double, atom = min(doubles, key=lambda one: one[0])
        bond.SetBondType(Chem.BondType.DOUBLE)
        double.SetBondType(Chem.BondType.SINGLE)
        atom.SetNoImplicit(True)
    atom.SetFormalCharge(atom.GetFormalCharge() + change)
    mol.UpdatePropertyCache(strict=False)


@lru_cache(maxsize=4096)
def forms_at_ph(smiles: str) -> FormsAtPh:
    """Return the forms at pH 7.4 of a neutral molecule, empty for a SMILES that RDKit does not accept.

    Examples
    --------
    >>> forms_at_ph("OC(=O)Cc1c[nH]cn1")
    FormsAtPh(main='O=C([O-])Cc1c[nH]cn1', other='O=C([O-])Cc1c[nH]c[nH+]1', near='imidazole 7.0')
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return FormsAtPh("", "", "")  # type: ignore[unreachable]
    main, near = charged(mol)
    other = Chem.MolToSmiles(charged(mol, other=True)[0]) if near else ""
    names = dict.fromkeys(f"{group.name} {group.pka:.1f}" for group in near)
    return FormsAtPh(str(Chem.MolToSmiles(main)), str(other), JOINED.join(names))


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
