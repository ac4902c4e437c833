"""Bonds and their orders from coordinates only: the last resort, correct for most drug-like molecules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.matching.residue import ObservedResidue, ResidueGraph
from tethermap.molecule.geometry import angle_between, bonds_are_strained, height_above, near_pairs
from tethermap.molecule.template import checked

_MOST_NEIGHBOURS = {"H": 1, "B": 4, "C": 4, "N": 4, "O": 2, "F": 1, "Si": 4, "P": 5, "S": 6, "Cl": 1, "Br": 1, "I": 1}

_LENGTHS: dict[tuple[str, ...], tuple[float, float]] = {
    ("C", "C"): (1.51, 1.34),
    ("C", "N"): (1.46, 1.28),
    ("C", "O"): (1.40, 1.22),
    ("C", "S"): (1.80, 1.66),
    ("N", "N"): (1.42, 1.25),
    ("N", "O"): (1.41, 1.22),
}
"""Typical lengths of single and double bonds in angstroms (Allen et al. 1987, doi:10.1039/P298700000S1)."""

_TRIPLE: dict[tuple[str, ...], float] = {("C", "C"): 1.26, ("C", "N"): 1.22}
"""Shorter than this, in angstroms, a bond at a linear or terminal atom is triple."""

FLAT, NEARLY_FLAT = 0.10, 0.22
"""Largest distance in angstroms of a ring atom from the ring's plane."""

SHORT_BOND = 1.45
"""Mean bond length in angstroms up to which a nearly flat ring counts as flat."""

LINEAR = 155.0
_TETRAHEDRAL, _TRIGONAL = 112.0, 119.0
"""Angles in degrees of an atom with two neighbours that is linear, surely tetrahedral, surely trigonal."""

_PLANAR, _PYRAMIDAL = 0.15, 0.35
"""Distance in angstroms of an atom from the plane of its three neighbours: surely trigonal, surely not."""

_CERTAIN, _IN_FLAT_RING, _CATION = 3.0, 2.0, -2.0
_SIX_RING_BONUS, _RING_BONUS, _CARBONYL_BONUS = 0.7, 0.4, 0.3
_COST = 1.5
"""Weights of the evidence for a double bond, tuned on the ligands of 397 entries (see the tests)."""

_SAME_WEIGHT = 1e-9
"""Weights nearer than this are equal."""


@dataclass(slots=True)
class _Graph:
    """Atoms, bonds and orders during the perception."""

    elements: tuple[str, ...]
    xyz: FloatArray
    near: list[list[int]]
    orders: dict[tuple[int, int], int]
    charges: list[int]
    linked: frozenset[int]
    settled: set[int] = field(default_factory=set)

    def length(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.xyz[a] - self.xyz[b]))

    def set_order(self, a: int, b: int, order: int) -> None:
        self.orders[min(a, b), max(a, b)] = order


def perceived(residue: ObservedResidue, bonded: Sequence[tuple[int, int]] = ()) -> ResidueGraph:
    """Return the bonds of a residue as its geometry suggests them.

    Parameters
    ----------
    residue : ObservedResidue
        Heavy atoms; deposited hydrogens, if any, mark saturated atoms.
    bonded : sequence of (int, int)
        Atoms of each bond, the lower one first; empty if ``CONECT`` records or distances decide.
    """
    listed = {} if bonded else _listed(residue)
    pairs = bonded or sorted(listed) or _pruned(residue)
    near: list[list[int]] = [[] for _ in range(len(residue))]
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    graph = _Graph(residue.elements, residue.xyz, near, dict.fromkeys(pairs, 1), list(residue.charges), residue.linked)
    if not _set_stated_orders(graph, listed, residue.hydrogens):
        graph.orders, graph.charges = dict.fromkeys(pairs, 1), list(residue.charges)
        _set_oxo_groups(graph)
        _set_azides(graph)
        _set_triple_bonds(graph)
        _set_double_bonds(graph, residue.hydrogens)
        _set_charges(graph, residue.hydrogens)
    return ResidueGraph(
        atom_index=residue.atom_index,
        dictionary_names=("",) * len(residue),
        elements=residue.elements,
        charges=tuple(graph.charges),
        hydrogens=None,
        bonds=_triples(graph),
        source="perceived",
    )


def _listed(residue: ObservedResidue) -> dict[tuple[int, int], int]:
    """Return the bonds of ``CONECT`` records with their mentions, none unless they fit and connect all atoms."""
    if len(residue) < 2 or not bonds_are_strained(residue.xyz, residue.elements, residue.conect):
        return {}
    listed = {(a, b): times for a, b, times in residue.conect}
    reached = {0}
    for _ in residue.names:
        reached.update(end for pair in listed if not reached.isdisjoint(pair) for end in pair)
    return listed if len(reached) == len(residue) else {}


def _set_stated_orders(graph: _Graph, listed: Mapping[tuple[int, int], int], hydrogens: Sequence[int]) -> bool:
    """Set the mentions of ``CONECT`` records as orders, and return whether they are orders.

    RDKit and Open Babel mention a double bond twice in a record, most other programs never.
    """
    if not listed or min(listed.values()) > 1 or max(listed.values()) not in (2, 3):
        return False
    graph.orders = dict(listed)
    _set_charges(graph, hydrogens)
    return checked(graph.elements, tuple(graph.charges), _triples(graph), None)[1]


def _triples(graph: _Graph) -> tuple[tuple[int, int, int], ...]:
    return tuple((a, b, order) for (a, b), order in sorted(graph.orders.items()))


def _set_charges(graph: _Graph, hydrogens: Sequence[int]) -> None:
    """Set the charges of nitrogen and boron with four bonds, and of the carbon of an isonitrile."""
    for atom, element in enumerate(graph.elements):
        orders = [order for pair, order in graph.orders.items() if atom in pair]
        if element in ("N", "B") and sum(orders) + (hydrogens[atom] if 2 in orders else 0) == 4:
            graph.charges[atom] = 1 if element == "N" else -1
            for end in graph.near[atom] if element == "N" else ():
                if graph.elements[end] == "C" and graph.orders[min(atom, end), max(atom, end)] == 3:
                    graph.charges[end] = -int(len(graph.near[end]) == 1 and not hydrogens[end])  # of an isonitrile


def _pruned(residue: ObservedResidue) -> list[tuple[int, int]]:
    """Return the near pairs without those that give an atom more neighbours than it can have."""
    ratio = near_pairs(residue.xyz, residue.elements)
    free = [_MOST_NEIGHBOURS.get(element, 8) for element in residue.elements]
    bonded = []
    for a, b in sorted(ratio, key=lambda item: (ratio[item], item)):
        if free[a] and free[b]:
            bonded.append((a, b))
            free[a], free[b] = free[a] - 1, free[b] - 1
    return sorted(bonded)


def _set_oxo_groups(graph: _Graph) -> None:
    """Write nitro, sulfonyl, sulfoxide and phosphoryl groups."""
    for atom, element in enumerate(graph.elements):
        oxygens = [b for b in graph.near[atom] if graph.elements[b] == "O" and len(graph.near[b]) == 1]
        oxygens.sort(key=lambda b: (graph.charges[b] < 0, graph.length(atom, b), b))
        degree = len(graph.near[atom]) + (atom in graph.linked)
        if element == "N" and len(oxygens) == 2 and degree == 3:
            graph.charges[atom], graph.charges[oxygens[1]] = 1, -1
            doubles = oxygens[:1]
        elif element in ("S", "Se") and degree in (3, 4):
            doubles = oxygens[: degree - 2]
        elif element in ("P", "As", "V") and degree == 4:
            doubles = oxygens[:1]
        else:
            continue
        for oxygen in doubles:
            graph.set_order(atom, oxygen, 2)
        graph.settled.update([atom, *oxygens])


def _set_azides(graph: _Graph) -> None:
    for atom, near in enumerate(graph.near):
        ends = [b for b in near if len(graph.near[b]) == 1]
        if {graph.elements[k] for k in (atom, *near)} == {"N"} and len(ends) == 1 and _angle(graph, atom) > LINEAR:
            for b in near:
                graph.set_order(atom, b, 2)
            graph.charges[atom], graph.charges[ends[0]] = 1, -1
            graph.settled.update([atom, *near])


def _set_triple_bonds(graph: _Graph) -> None:
    for a, b in list(graph.orders):
        limit = _TRIPLE.get(_kinds(graph, a, b), 0.0)
        is_short = limit > 0 and graph.settled.isdisjoint((a, b)) and graph.length(a, b) <= limit
        if is_short and all(len(graph.near[end]) == 1 or _angle(graph, end) > LINEAR for end in (a, b)):
            graph.set_order(a, b, 3)
            graph.settled.update((a, b))


def _set_double_bonds(graph: _Graph, hydrogens: tuple[int, ...]) -> None:
    """Place the double bonds that suit planarity and lengths best, at most one an atom."""
    rings = flat_rings(graph.xyz, graph.near)
    trigonal = _trigonality(graph, hydrogens, {atom for ring in rings for atom in ring})
    in_ring: dict[tuple[int, int], float] = {}
    for ring in rings:
        for a, b in pairwise([*ring, ring[0]]):
            bonus = _SIX_RING_BONUS if len(ring) == 6 else _RING_BONUS
            in_ring[min(a, b), max(a, b)] = max(bonus, in_ring.get((min(a, b), max(a, b)), 0.0))
    weights = {}
    for a, b in graph.orders:
        if a in trigonal and b in trigonal:
            weight = 2 * _shortness(graph, a, b) + trigonal[a] + trigonal[b] + in_ring.get((a, b), 0.0) - _COST
            if weight > 0:
                weights[a, b] = weight
    for a, b in heaviest_matching(weights):
        graph.set_order(a, b, 2)


def heaviest_matching(weights: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Return the pairs without a common member whose weights sum up highest, sorted.

    Ties (the two Kekulé forms of a regular ring) go to the one with the first pairs: whole numbers prevent decisions by
    rounding, and the lower bits of a weight contain the pair's rank.

    >>> heaviest_matching({(0, 1): 1.0, (1, 2): 1.5, (2, 3): 1.0})
    [(0, 1), (2, 3)]
    """
    if not weights:
        return []
    import networkx  # loads slower than most molecules match, and few need it

    graph = networkx.Graph()
    for rank, (pair, weight) in enumerate(sorted(weights.items()), 1):
        graph.add_edge(*pair, weight=(round(weight / _SAME_WEIGHT) << len(weights)) + (1 << len(weights) - rank))
    return sorted((min(pair), max(pair)) for pair in networkx.max_weight_matching(graph))


def _trigonality(graph: _Graph, hydrogens: tuple[int, ...], in_flat_ring: set[int]) -> dict[int, float]:
    """Return a score of -2 to 3 for a double bond of each atom that can have one, by its neighbours.

    With three neighbours, nitrogen has the least: it gets a double bond, and a charge, only if a flat carbon would
    otherwise have none, as in amidinium and pyridinium.
    """
    complete = any(count for count, element in zip(hydrogens, graph.elements, strict=True) if element == "C")
    clearness: dict[int, float] = {}
    for atom, element in enumerate(graph.elements):
        degree = len(graph.near[atom]) + (atom in graph.linked)
        if atom in graph.settled:
            continue
        if element == "C":
            value = _carbon(graph, atom, degree, atom in in_flat_ring)
            if complete and degree + hydrogens[atom] >= 3:
                value = _CERTAIN if degree + hydrogens[atom] == 3 else -1.0
            if value > 0 or (degree == 1 and value == 0):
                clearness[atom] = value
        elif element == "N" and degree + hydrogens[atom] <= (3 if complete else 2):
            clearness[atom] = (0.0, 0.0, _IN_FLAT_RING, _CATION)[degree + hydrogens[atom]] if complete else 0.0
        elif (element == "N" and graph.charges[atom] > 0 and atom in in_flat_ring) or (
            element in ("O", "S", "Se") and degree == 1 and not hydrogens[atom] and graph.charges[atom] >= 0
        ):
            clearness[atom] = 0.0
    return clearness


def _carbon(graph: _Graph, atom: int, degree: int, in_flat_ring: bool) -> float:
    """Return a score for a trigonal carbon by its geometry."""
    if in_flat_ring and degree < 4:
        return _IN_FLAT_RING
    if degree == 3 and atom not in graph.linked:
        height = height_above(graph.xyz[atom], *(graph.xyz[other] for other in graph.near[atom]))
        return float(np.clip((_PYRAMIDAL - height) / (_PYRAMIDAL - _PLANAR), 0.0, 1.5))
    if len(graph.near[atom]) == 2 and _angle(graph, atom) <= LINEAR:
        return float(np.clip((_angle(graph, atom) - _TETRAHEDRAL) / (_TRIGONAL - _TETRAHEDRAL), 0.0, 1.0))
    return 0.0


def _kinds(graph: _Graph, a: int, b: int) -> tuple[str, ...]:
    return tuple(sorted((graph.elements[a], graph.elements[b])))


def _shortness(graph: _Graph, a: int, b: int) -> float:
    """Return 0 for the length of a single bond, 1 for that of a double bond, and more for a carbonyl."""
    kinds = _kinds(graph, a, b)
    if kinds not in _LENGTHS:
        return 0.5
    single, double = _LENGTHS[kinds]
    short = float(np.clip((single - graph.length(a, b)) / (single - double), -1.0, 1.2))
    return short + (_CARBONYL_BONUS if kinds == ("C", "O") else 0.0)


def _angle(graph: _Graph, atom: int) -> float:
    if len(graph.near[atom]) != 2:
        return 0.0
    a, b = (graph.xyz[other] - graph.xyz[atom] for other in graph.near[atom])
    return angle_between(a, b)


def small_rings(near: Sequence[Sequence[int]]) -> set[tuple[int, ...]]:
    """Return the cycles of five or six atoms, each as its path from the lowest atom on.

    Parameters
    ----------
    near : sequence of sequence of int
        Neighbours of each atom.

    >>> small_rings([[1, 5], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]])
    {(0, 1, 2, 3, 4, 5)}
    """
    rings: set[tuple[int, ...]] = set()

    def walk(path: list[int]) -> None:
        for other in near[path[-1]]:
            if other == path[0] and len(path) >= 5 and path[1] < path[-1]:
                rings.add(tuple(path))
            elif other > path[0] and other not in path and len(path) < 6:
                walk([*path, other])

    for start in range(len(near)):
        walk([start])
    return rings


def flat_rings(xyz: FloatArray, near: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the flat rings of five or six atoms.

    A ring that is less flat counts as well when its bonds are as short as aromatic ones.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    near : sequence of sequence of int
        Neighbours of each atom.
    """
    flat = []
    for ring in sorted(small_rings(near)):
        points = xyz[list(ring)]
        centred = points - points.mean(axis=0)
        normal = np.linalg.svd(centred)[2][2]
        height = float(np.abs(centred @ normal).max())
        mean_bond = float(np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).mean())
        if height <= FLAT or (height <= NEARLY_FLAT and mean_bond <= SHORT_BOND):
            flat.append(ring)
    return flat
