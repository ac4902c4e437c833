"""Observed exits carried over to other ligands of the same pocket, and parents that confirm them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdFMCS

from tethermap.base.arrays import FloatArray
from tethermap.exits.graph import LigandGraph
from tethermap.molecule.record import LigandMolecule

SECONDS = 5
"""Time limit of one common substructure."""

FEWEST_COMMON, LEAST_COMMON = 10, 0.5
"""Fewest atoms that a ligand and the half of a degrader share, and least share of the smaller one (house rule)."""

SAME_DISTANCE = 1.0
"""Positions within this distance of the nearest are both reported, in angstroms (house rule)."""

MOST_MATCHES = 64

LEAST_OWN, MOST_OTHER = 0.5, 0.35
"""A parent has at least this fraction of its own protein's part, and at most this fraction of the other part."""

LARGEST_OFF = 6
"""Most heavy atoms of a ring-free group that is removed from a parent."""


@dataclass(frozen=True, slots=True)
class Transferred:
    """Position of an observed exit on another ligand: atoms, and the number of bonds moved back for each."""

    atoms: tuple[int, ...]
    steps: int


def heavy_part(molecule: LigandMolecule, atoms: Sequence[int] | None = None) -> Chem.Mol:
    """Return some heavy atoms of a ligand as a molecule without hydrogens, in the order given; all by default.

    Parameters
    ----------
    molecule : LigandMolecule
        The ligand.
    atoms : sequence of int, optional
        Its heavy atoms to use, in ascending order.
    """
    kept = set(range(molecule.n_heavy) if atoms is None else atoms)
    return without(molecule.mol, set(range(molecule.mol.GetNumAtoms())) - kept)


def without(mol: Chem.Mol, atoms: Iterable[int]) -> Chem.Mol:
    """Return a molecule without some of its atoms."""
    edit = Chem.RWMol(mol)
    edit.BeginBatchEdit()
    for atom in atoms:
        edit.RemoveAtom(atom)
    edit.CommitBatchEdit()
    part = edit.GetMol()
    Chem.FastFindRings(part)
    return part


def piece(mol: Chem.Mol, start: int, outside: frozenset[int], most: int | None = None) -> frozenset[int]:
    """Return the atoms attached to one atom outside a set; if there are more than `most`, only one more than that."""
    side, front = {start}, [start]
    while front and (most is None or len(side) <= most):
        for atom in mol.GetAtomWithIdx(front.pop()).GetNeighbors():
            if atom.GetIdx() not in outside and atom.GetIdx() not in side:
                side.add(atom.GetIdx())
                front.append(atom.GetIdx())
    return frozenset(side)


def transferred(
    degrader: LigandMolecule, graph: LigandGraph, half: frozenset[int], bond: tuple[int, int], ligand: LigandMolecule
) -> Transferred | None:
    """Return the atoms of a ligand in the place of a degrader's linker exit; None if they have little in common.

    Parameters
    ----------
    degrader, graph : LigandMolecule, LigandGraph
        The ligand between two proteins.
    half : frozenset of int
        Atoms of the target's half.
    bond : (int, int)
        Its observed exit: the anchor and the linker's first atom.
    ligand : LigandMolecule
        Another ligand of the same pocket.

    Returns
    -------
    Transferred or None
        With all atoms that the common substructure allows, `nearest` chooses among them.
    """
    chosen = sorted({*half, bond[1]})
    query, target = heavy_part(degrader, chosen), heavy_part(ligand)
    common = rdFMCS.FindMCS(
        [query, target], timeout=SECONDS, atomCompare=rdFMCS.AtomCompare.CompareElements,
        bondCompare=rdFMCS.BondCompare.CompareAny, ringMatchesRingOnly=True, completeRingsOnly=True,
    )  # fmt: skip
    if common.numAtoms < max(FEWEST_COMMON, LEAST_COMMON * min(len(half), ligand.n_heavy)):
        return None
    pattern = Chem.MolFromSmarts(common.smartsString)
    steps_from_anchor = _steps(graph, bond[0], half)
    others = target.GetSubstructMatches(pattern, uniquify=False, maxMatches=MOST_MATCHES)
    steps_of: dict[int, int] = {}
    for own in query.GetSubstructMatches(pattern, uniquify=False, maxMatches=MOST_MATCHES):
        mapped = {chosen[k]: place for place, k in enumerate(own)}
        nearest_mapped = next((item for item in steps_from_anchor.items() if item[0] in mapped), None)
        if nearest_mapped is not None:
            atom, steps = nearest_mapped
            for other in others:
                place = other[mapped[atom]]
                steps_of[place] = min(steps, steps_of.get(place, steps))
    if not steps_of:
        return None
    least = min(steps_of.values())
    return Transferred(tuple(sorted(atom for atom, steps in steps_of.items() if steps == least)), least)


def nearest(allowed: Transferred, anchor: FloatArray, ligand: FloatArray) -> Transferred:
    """Return the atoms nearest to a degrader's anchor among those that the common substructure allows.

    Parameters
    ----------
    allowed : Transferred
        All of them.
    anchor : ndarray of float, shape (3,)
        The degrader's anchor, in angstroms.
    ligand : ndarray of float, shape (n_heavy, 3)
        The ligand's heavy atoms in the same frame.
    """
    away = np.linalg.norm(ligand[list(allowed.atoms)] - anchor, axis=1)
    near = np.array(allowed.atoms)[away <= away.min() + SAME_DISTANCE]
    return Transferred(tuple(near.tolist()), allowed.steps)


def _steps(graph: LigandGraph, start: int, half: frozenset[int]) -> dict[int, int]:
    """Return the number of bonds between the anchor and each atom of its half, the nearest first."""
    steps, front = {start: 0}, [start]
    for atom in front:
        for other in graph.near[atom]:
            if other in half and other not in steps:
                steps[other] = steps[atom] + 1
                front.append(other)
    return steps


@dataclass(frozen=True)
class HeavyPart:
    """A ligand without hydrogens, and the parts of it that a degrader of it contains in any case.

    Parameters
    ----------
    mol : Chem.Mol
        See `heavy_part`.
    ring_bonds : Counter
        Its number of ring bonds by the lower atomic number, the higher one, and the type of the bond.
    """

    mol: Chem.Mol
    ring_bonds: Counter[tuple[int, int, Chem.BondType]]

    @classmethod
    def of(cls, molecule: LigandMolecule) -> HeavyPart:
        """Return that of a ligand."""
        mol = heavy_part(molecule)
        rings = mol.GetRingInfo()
        numbers = [atom.GetAtomicNum() for atom in mol.GetAtoms()]
        in_rings = (bond for bond in mol.GetBonds() if rings.NumBondRings(bond.GetIdx()))
        ends = ((numbers[b.GetBeginAtomIdx()], numbers[b.GetEndAtomIdx()], b.GetBondType()) for b in in_rings)
        return cls(mol, Counter((min(first, second), max(first, second), kind) for first, second, kind in ends))

    @cached_property
    def framework(self) -> Chem.Mol:
        """The ligand without all of its small ring-free groups."""
        return without(self.mol, frozenset().union(*_small_groups(self.mol)))

    def may_hold(self, other: HeavyPart) -> bool:
        """Return False if the rings of another molecule, or its framework, can't be part of this one."""
        if not other.ring_bonds <= self.ring_bonds:
            return False
        return not other.framework.GetNumAtoms() or self.mol.HasSubstructMatch(other.framework)


def parent_bond(
    endings: Iterable[tuple[tuple[int, int], frozenset[int]]], own: FloatArray, other: FloatArray
) -> tuple[int, int] | None:
    """Return the bond at which a smaller ligand ends within a degrader; None if it is not a parent of it.

    A parent is a substructure with one acyclic bond to the rest that contains most of the one protein's part and little
    of the other part, unchanged or without a small group.

    Parameters
    ----------
    endings : iterable
        Ends of the ligand within the degrader, from `leaving_bonds`.
    own, other : ndarray of float, shape (n_heavy,)
        Area of each atom of the degrader that either protein covers, in square angstroms.
    """
    for bond, inside in endings:
        members = sorted(inside)
        if own[members].sum() >= LEAST_OWN * own.sum() and other[members].sum() <= MOST_OTHER * other.sum():
            return bond
    return None


def leaving_bonds(degrader: Chem.Mol, parent: Chem.Mol) -> Iterator[tuple[tuple[int, int], frozenset[int]]]:
    """Yield the one acyclic bond between a smaller molecule and the rest of a degrader, and the atoms of the molecule.

    Parameters
    ----------
    degrader, parent : Chem.Mol
        Without hydrogens; small groups at the ends of the parent may be missing in the degrader.
    """
    rings = degrader.GetRingInfo()
    for core in _cores(parent):
        for match in degrader.GetSubstructMatches(core, uniquify=False, maxMatches=MOST_MATCHES):
            inside = frozenset(match)
            bonds = [bond for k in match for bond in degrader.GetAtomWithIdx(k).GetBonds()]
            leaving = [bond for bond in bonds if len(inside & {bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()}) == 1]
            if len(leaving) == 1 and not rings.NumBondRings(leaving[0].GetIdx()):
                first, second = leaving[0].GetBeginAtomIdx(), leaving[0].GetEndAtomIdx()
                yield ((first, second) if first in inside else (second, first)), inside


def _cores(mol: Chem.Mol) -> Iterator[Chem.Mol]:
    """Yield a molecule, then without each small ring-free group at its ends, the smallest groups first."""
    yield mol
    for side in sorted(map(sorted, _small_groups(mol)), key=lambda atoms: (len(atoms), atoms)):
        yield without(mol, side)


def _small_groups(mol: Chem.Mol) -> Iterator[frozenset[int]]:
    """Yield the ring-free groups at the ends of a molecule that a degrader of it may lack."""
    rings = mol.GetRingInfo()
    return (side for side in end_groups(mol, LARGEST_OFF) if not any(map(rings.NumAtomRings, side)))


def end_groups(mol: Chem.Mol, most: int) -> Iterator[frozenset[int]]:
    """Yield the groups of a few atoms on either side of an acyclic single bond."""
    rings = mol.GetRingInfo()
    for bond in mol.GetBonds():
        if not rings.NumBondRings(bond.GetIdx()) and bond.GetBondType() == Chem.BondType.SINGLE:
            pair = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
            sides = (piece(mol, leaves, frozenset({stays}), most) for stays, leaves in (pair, pair[::-1]))
            yield from (side for side in sides if len(side) <= most)
