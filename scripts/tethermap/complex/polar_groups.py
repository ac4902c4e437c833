"""Roles of an atom in a contact: donor or acceptor of a hydrogen bond, charged, hydrophobic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import BoolArray, IntArray
from tethermap.base.reference import rows_of
from tethermap.base.tables import by_key
from tethermap.instance.model import Neighbourhood

_STANDARD = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL MSE A C G U DA DC DG DT"
STANDARD = frozenset(_STANDARD.split())
"""Residues whose groups ``polymer_roles.csv`` gives; others are judged by element and bonds."""


@dataclass(frozen=True, slots=True)
class PolarAtoms:
    """Flags per atom, each an ndarray of bool of shape (n_atoms,)."""

    donor: BoolArray
    acceptor: BoolArray
    positive: BoolArray
    negative: BoolArray
    hydrophobic: BoolArray

    def of(self, index: IntArray) -> PolarAtoms:
        """Return the flags of some of the atoms."""
        return PolarAtoms(*(getattr(self, name)[index] for name in self.__slots__))


@cache
def _patterns() -> dict[str, list[Chem.Mol]]:
    """Return the patterns of ``ligand_roles.csv`` by the role of their first atom, for molecules with hydrogens."""
    return by_key((row["role"], Chem.MolFromSmarts(row["smarts"])) for row in rows_of("ligand_roles"))


@cache
def _polymer_roles() -> dict[tuple[str, str], frozenset[str]]:
    """Return the roles of ``polymer_roles.csv`` by component and atom; ``backbone`` are all standard residues."""
    rows = rows_of("polymer_roles")
    return {(row["comp_id"], atom): frozenset(row["roles"].split()) for row in rows for atom in row["atoms"].split()}


def ligand_polar_atoms(mol: Chem.Mol, n_heavy: int, thioethers: Iterable[int] = ()) -> PolarAtoms:
    """Return the roles of a ligand's heavy atoms at pH 7.

    Parameters
    ----------
    mol : Chem.Mol
        The neutral molecule, heavy atoms first, hydrogens explicit; sanitisation is not required.
    n_heavy : int
        Number of heavy atoms.
    thioethers : iterable of int
        Atoms bonded to a cysteine: a terminal nitrogen on one is that of a thioimidate (a nitrile after the reaction),
        although the dictionary draws the nitrile or an amine.

    Returns
    -------
    PolarAtoms
        Acids only accept and protonated amines only donate hydrogen bonds.
    """
    if mol.NeedsUpdatePropertyCache() or mol.GetRingInfo().NumRings() == 0:
        mol = Chem.Mol(mol)
        mol.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(mol)
    flags = {}
    for role, patterns in _patterns().items():
        flag = np.zeros(mol.GetNumAtoms(), dtype=np.bool_)
        matches = (mol.GetSubstructMatches(pattern, uniquify=False, maxMatches=10_000) for pattern in patterns)
        flag[[match[0] for found in matches for match in found]] = True
        flags[role] = flag[:n_heavy]
    has_room = np.array([mol.GetAtomWithIdx(i).GetDegree() < 4 for i in range(n_heavy)], dtype=np.bool_)
    flags["donor"] = (flags["donor"] & ~flags["negative"]) | (flags["positive"] & has_room)
    flags["acceptor"] &= ~flags["positive"]
    for index in thioethers:
        for other in mol.GetAtomWithIdx(index).GetNeighbors():
            if other.GetAtomicNum() == 7 and sum(one.GetAtomicNum() > 1 for one in other.GetNeighbors()) == 1:
                nitrogen = other.GetIdx()
                flags["donor"][nitrogen] = flags["acceptor"][nitrogen] = True
                flags["positive"][nitrogen] = False
    return PolarAtoms(**flags)


def partner_polar_atoms(around: Neighbourhood, near: IntArray, degree: IntArray, hydrophobic: BoolArray) -> PolarAtoms:
    """Return the roles of the atoms of polymers, cofactors and glycans at pH 7.

    Parameters
    ----------
    around, near : Neighbourhood, ndarray of int, shape (n_atoms,)
        Surroundings of a ligand, and which of their atoms.
    degree : ndarray of int, shape (n_atoms,)
        Number of heavy atoms bonded to each.
    hydrophobic : ndarray of bool, shape (n_atoms,)
        Carbons bonded to carbon and hydrogen only; returned unchanged.

    Returns
    -------
    PolarAtoms
        By table for standard residues; in others every O, and every N with at most two bonded heavy atoms, both donates
        and accepts, except that a peptide's N only donates.
    """
    columns = around.comp_id[near], around.atom_name[near], around.element[near], degree
    roles = [_roles(*atom) for atom in zip(*(column.tolist() for column in columns), strict=True)]
    donor, acceptor, positive, negative = np.array(roles, dtype=np.bool_).reshape(-1, 4).T
    return PolarAtoms(donor, acceptor, positive, negative, hydrophobic)


@cache
def _roles(comp_id: str, name: str, element: str, degree: int) -> tuple[bool, bool, bool, bool]:
    """Return whether an atom is donor, acceptor, positive, negative."""
    if element not in ("N", "O"):
        return False, False, False, False
    known = _polymer_roles()
    own, of_any, of_backbone = (known.get((key, name), frozenset()) for key in (comp_id, "any", "backbone"))
    if comp_id in STANDARD:
        donor = "donor" in own or (name == "N" and comp_id != "PRO")
        acceptor = "acceptor" in own | of_backbone
    else:
        donor = degree <= 2 if element == "N" else degree <= 1
        acceptor = element == "O" or (degree <= 2 and name != "N")
    negative = "negative" in own | of_any
    return donor and not negative, acceptor, "positive" in own, negative
