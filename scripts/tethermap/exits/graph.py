"""A ligand as a graph for the search for exits: heavy atoms, bonds and the positions of the hydrogens."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.molecule.record import LigandMolecule

AROMATIC = 1.5
"""Order of an aromatic bond in `LigandGraph.order`."""

Bond = tuple[int, int]
Offset = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class LigandGraph:
    """The heavy atoms of a neutral ligand with all hydrogens, numbered as in `LigandMolecule`.

    Parameters
    ----------
    element : tuple of str
        Element symbols.
    names : tuple of str
        Labels of the atoms.
    xyz : ndarray of float, shape (n_heavy, 3)
        In angstroms.
    near : tuple of tuple of int
        Heavy neighbours of each atom.
    order : dict of (int, int) to float
        Order of each bond between heavy atoms, under both directions; aromatic ones `AROMATIC`,
        others that are not covalent (dative) 0.
    ring_bonds : frozenset of (int, int)
        Bonds in a ring, under both directions.
    hydrogens : tuple of ndarray of float, shape (n_hydrogens, 3)
        Places of the hydrogens of each atom, in angstroms.
    symmetry_class : ndarray of int, shape (n_heavy,)
        Symmetry-equivalent atoms have the same number.
    """

    element: tuple[str, ...]
    names: tuple[str, ...]
    xyz: FloatArray
    near: tuple[tuple[int, ...], ...]
    order: dict[Bond, float]
    ring_bonds: frozenset[Bond]
    hydrogens: tuple[FloatArray, ...]
    symmetry_class: IntArray

    def __len__(self) -> int:
        return len(self.element)

    @cached_property
    def aromatic(self) -> frozenset[int]:
        """Atoms with an aromatic bond."""
        return frozenset(a for (a, _), order in self.order.items() if order == AROMATIC)

    @cached_property
    def ring_atoms(self) -> frozenset[int]:
        """Atoms with a bond in a ring."""
        return frozenset(a for a, _ in self.ring_bonds)

    def n_hydrogens(self, atom: int) -> int:
        """Return how many hydrogens an atom carries."""
        return len(self.hydrogens[atom])

    def has_multiple_bond(self, atom: int) -> bool:
        """Return whether an atom has an aromatic, double or triple bond."""
        return any(self.order[atom, other] > 1 for other in self.near[atom])

    def is_saturated(self, ring: Collection[int]) -> bool:
        """Return whether the ring bonds of the given atoms are single bonds."""
        return all(self.order[a, b] == 1 for a in ring for b in self.near[a] if (a, b) in self.ring_bonds)

    def component(self, start: int, allowed: Collection[int], most: int | None = None) -> frozenset[int]:
        """Return the atoms of a set that are connected within it to one of them, that one included.

        If there are more than `most`, only part of them are returned, at least one more than that.
        """
        connected, front = {start}, [start]
        while front and (most is None or len(connected) <= most):
            for other in self.near[front.pop()]:
                if other in allowed and other not in connected:
                    connected.add(other)
                    front.append(other)
        return frozenset(connected)

    def components(self, allowed: Iterable[int]) -> list[frozenset[int]]:
        """Return the connected parts of a set of atoms, by their first atoms."""
        remaining = set(allowed)
        parts = []
        for atom in sorted(remaining):
            if atom in remaining:
                parts.append(self.component(atom, remaining))
                remaining -= parts[-1]
        return parts

    @cached_property
    def _points(self) -> list[list[float]]:
        """The positions of the atoms as plain numbers, for access to a few of them."""
        points: list[list[float]] = self.xyz.tolist()
        return points

    @cached_property
    def _classes(self) -> list[int]:
        """The symmetry classes as plain numbers."""
        classes: list[int] = self.symmetry_class.tolist()
        return classes

    def distance(self, first: int, second: int) -> float:
        """Return the distance of two atoms in angstroms."""
        return math.dist(self._points[first], self._points[second])

    def offsets(self, start: int, without: int | None = None) -> Iterator[Offset]:
        """Yield the vectors from one atom to the other atoms in graph order; one atom may be excluded."""
        x, y, z = self._points[start]
        for k in self.in_graph_order(start):
            if k != without:
                a, b, c = self._points[k]
                yield a - x, b - y, c - z

    def in_graph_order(self, start: int) -> Iterator[int]:
        """Yield the other atoms by the number of bonds from one, in an order that names don't change.

        Atoms equally far are ordered by their symmetry class and their distance in space.
        """
        known = {start}
        front = [start]
        while front := list(dict.fromkeys(k for atom in front for k in self.near[atom] if k not in known)):
            known.update(front)
            if len(front) > 1:
                front.sort(key=lambda k: (self._classes[k], round(self.distance(start, k), 4), k))
            yield from front


def ligand_graph(molecule: LigandMolecule) -> LigandGraph:
    """Return the graph of a ligand's heavy atoms.

    Parameters
    ----------
    molecule : LigandMolecule
        Molecule with hydrogens as atoms, after the heavy ones.
    """
    count = molecule.n_heavy
    mol = Chem.Mol(molecule.mol)
    Chem.FastFindRings(mol)
    xyz = np.asarray(mol.GetConformer().GetPositions(), dtype=np.float64)
    near: list[list[int]] = [[] for _ in range(count)]
    hydrogens: list[list[int]] = [[] for _ in range(count)]
    order: dict[Bond, float] = {}
    rings: set[Bond] = set()
    for bond in map(mol.GetBondWithIdx, range(mol.GetNumBonds())):
        first, second = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        if first > second:
            first, second = second, first
        if first >= count:
            continue
        if second >= count:
            hydrogens[first].append(second)
            continue
        near[first].append(second)
        near[second].append(first)
        kind = AROMATIC if bond.GetIsAromatic() else bond.GetBondTypeAsDouble()
        order[first, second] = order[second, first] = 0.0 if bond.GetBondType() == Chem.BondType.DATIVE else kind
        if bond.IsInRing():
            rings.update(((first, second), (second, first)))
    return LigandGraph(
        element=tuple(mol.GetAtomWithIdx(k).GetSymbol() for k in range(count)),
        names=molecule.names,
        xyz=xyz[:count],
        near=tuple(tuple(sorted(others)) for others in near),
        order=order,
        ring_bonds=frozenset(rings),
        hydrogens=tuple(xyz[sorted(places)] if places else xyz[:0] for places in hydrogens),
        symmetry_class=molecule.symmetry_class,
    )


def ring_systems(graph: LigandGraph) -> list[frozenset[int]]:
    """Return the ring systems of a ligand, rings that share an atom as one, by their first atoms.

    >>> rings = {(0, 1), (1, 2), (2, 0)}  # methylcyclopropane, its methyl last
    >>> graph = LigandGraph(
    ...     element=("C",) * 4, names=("C1", "C2", "C3", "C4"), xyz=np.zeros((4, 3)),
    ...     near=((1, 2, 3), (0, 2), (0, 1), (0,)), order={}, ring_bonds=frozenset(rings | {(b, a) for a, b in rings}),
    ...     hydrogens=(), symmetry_class=np.arange(4),
    ... )
    >>> [sorted(system) for system in ring_systems(graph)]
    [[0, 1, 2]]
    """
    within_rings = tuple(
        tuple(other for other in near if (atom, other) in graph.ring_bonds) for atom, near in enumerate(graph.near)
    )
    return replace(graph, near=within_rings).components(graph.ring_atoms)
