"""The charged forms of a molecule at pH 7.4, by a table of groups with their pKa."""

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from rdkit import Chem, rdBase

from tethermap.base.elements import is_metal
from tethermap.base.reference import rows_of
from tethermap.base.tables import JOINED
from tethermap.molecule.template import fix_hydrogens

NEAR_BONDS = 3
"""Number of bonds from a cation within which a nitrogen is not protonated: the second pKa of 1,2-diaminoethane is 7.1,
that of piperazine 5.7 (data set of Genzling et al. 2024, doi:10.26434/chemrxiv-2024-bpd53-v2)."""


PH, NEAR_PH = 7.4, 1.0
"""The pH of the charged form, and the distance of a pKa from it within which both forms are given."""

METAL_PKA = 6.0
"""Acids up to this pKa are charged in molecules with a metal too, such as the propionates of haem."""

_Ranks: TypeAlias = Callable[[], list[int]]

_BEHIND_KIND = re.compile(r"[&;]?!?\$.*|:1\]")
"""Conditions of a pattern on an atom's surroundings, its number, and the rest."""


class IonisableGroup(NamedTuple):
    """A group that donates or accepts a proton: its name and pKa, the change of its charge, its pattern and atom.

    `elements` are the atomic numbers in a molecule with the group, and `kind` is the pattern of its atom without
    neighbours.
    """

    name: str
    pka: float
    change: int
    pattern: Chem.Mol
    atom: int
    elements: frozenset[int]
    kind: Chem.Mol

    @property
    def is_charged(self) -> bool:
        """Whether most of it is charged at pH 7.4."""
        return self.pka < PH if self.change < 0 else self.pka > PH

    @property
    def is_near(self) -> bool:
        """Whether much of it has either form at pH 7.4."""
        return abs(self.pka - PH) <= NEAR_PH + 1e-9


class FormsAtPh(NamedTuple):
    """SMILES at pH 7.4, the form with the groups of a pKa near 7.4 inverted, and these groups with their pKa.

    The last two are empty without such groups.
    """

    main: str
    other: str
    near: str


NO_FORMS = FormsAtPh("", "", "")
"""Forms of a molecule that can't be read."""


@cache
def groups() -> tuple[IonisableGroup, ...]:
    """Return the rules of ``data/reference/protonation.csv`` in its order."""
    rules, kinds = [], {"[]": Chem.MolFromSmarts("*")}
    for row in rows_of("protonation"):
        pattern = Chem.MolFromSmarts(row["smarts"])
        marked = next(atom for atom in pattern.GetAtoms() if atom.GetAtomMapNum() == 1)
        plain = [atom for atom in pattern.GetAtoms() if "," not in atom.GetSmarts()]
        elements = frozenset(atom.GetAtomicNum() for atom in plain) - {0}
        smarts = _BEHIND_KIND.sub("]", marked.GetSmarts())
        kind = kinds.get(smarts) or kinds.setdefault(smarts, Chem.MolFromSmarts(smarts))
        pka, change = float(row["pKa"]), int(row["change"])
        group = IonisableGroup(row["name"], pka, change, pattern, marked.GetIdx(), elements, kind)
        assert group.is_near or group.is_charged, group.name
        rules.append(group)
    return tuple(rules)


def charged(mol: Chem.Mol) -> tuple[Chem.Mol, Chem.Mol | None, list[str]]:
    """Return a neutral molecule charged at pH 7.4, the same with the groups of a near pKa inverted, and these.

    A base near a cation remains neutral; in a molecule with a metal only strong acids are charged.

    Parameters
    ----------
    mol : Chem.Mol
        Sanitised, hydrogens implicit; the atoms keep their order.
    """
    elements = {atom.GetAtomicNum(): atom.GetSymbol() for atom in mol.GetAtoms()}
    possible = [group for group in groups() if group.elements <= elements.keys()]
    if any(map(is_metal, elements.values())):
        possible = [group for group in possible if group.change < 0 and group.pka <= METAL_PKA]
    found = {kind: mol.HasSubstructMatch(kind) for kind in {group.kind for group in possible}}
    possible = [group for group in possible if found[group.kind]]
    ranks = cache(lambda: list(Chem.CanonicalRankAtoms(mol, breakTies=True)))
    main, near = _form(mol, possible, ranks)
    other = _form(mol, possible, ranks, inverted=True)[0] if near else None
    return main, other, list(dict.fromkeys(near))


def _form(
    mol: Chem.Mol, groups: Iterable[IonisableGroup], ranks: _Ranks, *, inverted: bool = False
) -> tuple[Chem.RWMol, list[str]]:
    """Return a form with its groups of a near pKa, whose sites no later group changes; these may be inverted.

    Sites are changed one by one: a change never makes another site free, but it can block one.
    """
    form, near = Chem.RWMol(mol), list[str]()
    decided: set[int] = set()
    for group in groups:
        changes = group.is_charged != (inverted and group.is_near)
        free = _free_sites(form, group) - decided
        if free and group.is_near:
            near.append(f"{group.name} {group.pka:.1f}")
        while free:
            site = min(free, key=ranks().__getitem__) if len(free) > 1 else next(iter(free))
            if group.is_near:
                decided.add(site)
            if changes:
                _change(form, site, group.change, ranks)
            free = _free_sites(form, group) - decided if changes and len(free) > 1 else free - {site}
    return form, near


def _change(mol: Chem.RWMol, index: int, change: int, ranks: _Ranks) -> None:
    """Protonate or deprotonate an atom; the charge of a carbon moves to the oxygen of an adjacent carbonyl."""
    atom = mol.GetAtomWithIdx(index)
    fix_hydrogens(atom, atom.GetTotalNumHs() + change)
    if atom.GetAtomicNum() == 6:
        bonds = [(bond, bond.GetOtherAtom(atom)) for bond in atom.GetBonds()]
        doubles = [
            (ranks()[oxygen.GetIdx()], bond, double, oxygen)
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
        return NO_FORMS  # type: ignore[unreachable]
    main, other, near = charged(mol)
    return FormsAtPh(Chem.MolToSmiles(main), "" if other is None else Chem.MolToSmiles(other), JOINED.join(near))


def _free_sites(mol: Chem.Mol, group: IonisableGroup) -> set[int]:
    """Return the atoms of a group that would change and are not blocked by a cation nearby."""
    sites = {match[group.atom] for match in mol.GetSubstructMatches(group.pattern, maxMatches=1000)}
    if group.change < 0 or not sites:
        return sites
    cations = [atom.GetIdx() for atom in mol.GetAtoms() if _is_cation(atom)]
    apart = Chem.GetDistanceMatrix(mol) if cations else None
    return sites if apart is None else {site for site in sites if min(apart[site][cations]) > NEAR_BONDS}


def _is_cation(atom: Chem.Atom) -> bool:
    """Return whether an atom is positive and no neighbour balances it (nitro groups, N-oxides)."""
    return atom.GetFormalCharge() > 0 and all(other.GetFormalCharge() >= 0 for other in atom.GetNeighbors())
