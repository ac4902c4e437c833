"""Bonds and their orders from nothing but coordinates: the last resort, right for most drug-like molecules only."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scripts.lib.instance.model import FloatArray
from scripts.lib.molecule.geometry import covalent_radius, near_pairs
from scripts.lib.molecule.residue import ObservedResidue, ResidueGraph
from scripts.lib.molecule.rings import planar_rings

_MOST_NEIGHBOURS = {"H": 1, "B": 4, "C": 4, "N": 4, "O": 2, "F": 1, "Si": 4, "P": 5, "S": 6, "Cl": 1, "Br": 1, "I": 1}

_LENGTHS = {
    ("C", "C"): (1.51, 1.34),
    ("C", "N"): (1.46, 1.28),
    ("C", "O"): (1.40, 1.22),
    ("C", "S"): (1.80, 1.66),
    ("N", "N"): (1.42, 1.25),
    ("N", "O"): (1.41, 1.22),
}
"""Typical lengths of single and double bonds in angstroms (Allen et al. 1987, doi:10.1039/P298700000S1)."""

_TRIPLE = {("C", "C"): 1.26, ("C", "N"): 1.22}
"""Shorter than this, in angstroms, a bond at a linear or terminal atom is triple."""

LINEAR = 155.0
"""Angle in degrees from which an atom with two neighbours is linear."""

TRIGONAL = 116.0
"""Angle in degrees from which an atom with two neighbours outside planar rings is trigonal."""

FLAT = 0.22
"""Distance in angstroms from the plane of its three neighbours up to which an atom is trigonal."""

_CARBONYL_BONUS = 0.6
_MUST = 10.0
_MOST_STEPS = 20_000


@dataclass(slots=True)
class _Graph:
    """Atoms, bonds and orders while they are worked out."""

    elements: tuple[str, ...]
    xyz: FloatArray
    near: list[list[int]]
    orders: dict[tuple[int, int], int]
    charges: list[int]
    settled: set[int] = field(default_factory=set)

    def length(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.xyz[a] - self.xyz[b]))

    def set_order(self, a: int, b: int, order: int) -> None:
        self.orders[min(a, b), max(a, b)] = order


def perceived(residue: ObservedResidue) -> ResidueGraph:
    """Return the bonds of a residue as its geometry suggests them.

    Parameters
    ----------
    residue : ObservedResidue
        Heavy atoms; deposited hydrogens, where there are any, say which atoms are saturated.
    """
    pairs = _pruned(residue)
    near: list[list[int]] = [[] for _ in range(len(residue))]
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    graph = _Graph(residue.elements, residue.xyz, near, dict.fromkeys(pairs, 1), list(residue.charges))
    _set_oxo_groups(graph)
    _set_triple_bonds(graph)
    _set_double_bonds(graph, residue.hydrogens)
    for atom, element in enumerate(graph.elements):
        valence = sum(order for pair, order in graph.orders.items() if atom in pair)
        if element == "N" and valence == 4:
            graph.charges[atom] = 1
        elif element == "B" and valence == 4:
            graph.charges[atom] = -1
    return ResidueGraph(
        atom_index=residue.atom_index,
        dictionary_names=("",) * len(residue),
        elements=residue.elements,
        charges=tuple(graph.charges),
        hydrogens=None,
        bonds=tuple((a, b, order) for (a, b), order in sorted(graph.orders.items())),
        source="perceived",
    )


def _pruned(residue: ObservedResidue) -> list[tuple[int, int]]:
    """Return the near pairs without those that give an atom more neighbours than it can have."""
    radii = [covalent_radius(element) for element in residue.elements]
    ratio = {
        (a, b): float(np.linalg.norm(residue.xyz[a] - residue.xyz[b])) / (radii[a] + radii[b])
        for a, b in near_pairs(residue.xyz, residue.elements)
    }
    count = [0] * len(residue)
    kept = []
    for pair in sorted(ratio, key=lambda item: (ratio[item], item)):
        if all(count[end] < _MOST_NEIGHBOURS.get(residue.elements[end], 8) for end in pair):
            kept.append(pair)
            for end in pair:
                count[end] += 1
    return sorted(kept)


def _set_oxo_groups(graph: _Graph) -> None:
    """Write nitro, sulfonyl, sulfoxide and phosphoryl groups."""
    for atom, element in enumerate(graph.elements):
        oxygens = [b for b in graph.near[atom] if graph.elements[b] == "O" and len(graph.near[b]) == 1]
        oxygens.sort(key=lambda b: (graph.length(atom, b), b))
        degree = len(graph.near[atom])
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


def _set_triple_bonds(graph: _Graph) -> None:
    for a, b in list(graph.orders):
        limit = _TRIPLE.get(_kinds(graph, a, b))
        if limit is None or graph.length(a, b) > limit or {a, b} & graph.settled:
            continue
        if all(len(graph.near[end]) == 1 or _angle(graph, end) > LINEAR for end in (a, b)):
            graph.set_order(a, b, 3)
            graph.settled.update((a, b))


def _set_double_bonds(graph: _Graph, hydrogens: tuple[int, ...]) -> None:
    """Give each trigonal carbon one double bond where that is possible, the shortest bonds first."""
    trigonal = _trigonal_carbons(graph, hydrogens)
    takers = {
        atom
        for atom, element in enumerate(graph.elements)
        if atom not in graph.settled
        and (
            atom in trigonal
            or (element == "N" and len(graph.near[atom]) <= 2 and not _is_saturated(graph, atom, hydrogens))
            or (element in ("O", "S", "Se") and len(graph.near[atom]) == 1 and not hydrogens[atom])
        )
    }
    weights = {}
    for a, b in graph.orders:
        if a in takers and b in takers and (a in trigonal or b in trigonal or _is_short(graph, a, b)):
            weights[a, b] = _shortness(graph, a, b) + _MUST * ((a in trigonal) + (b in trigonal))
    for a, b in _best_matching(weights):
        graph.set_order(a, b, 2)


def _trigonal_carbons(graph: _Graph, hydrogens: tuple[int, ...]) -> set[int]:
    in_plane = planar_rings(graph.xyz, graph.near)
    complete = any(hydrogens)
    found = set()
    for atom, element in enumerate(graph.elements):
        if element != "C" or atom in graph.settled:
            continue
        degree = len(graph.near[atom])
        if complete:
            trigonal = degree + hydrogens[atom] == 3
        elif degree == 3:
            trigonal = atom in in_plane or _out_of_plane(graph, atom) < FLAT
        elif degree == 2:
            trigonal = atom in in_plane or TRIGONAL < _angle(graph, atom) <= LINEAR
            trigonal = trigonal and any(_is_short(graph, atom, b) for b in graph.near[atom])
        else:
            trigonal = degree == 1 and _is_short(graph, atom, graph.near[atom][0])
        if trigonal:
            found.add(atom)
    return found


def _is_saturated(graph: _Graph, atom: int, hydrogens: tuple[int, ...]) -> bool:
    """Return whether deposited hydrogens show that a nitrogen has no double bond."""
    return any(hydrogens) and len(graph.near[atom]) + hydrogens[atom] >= 3


def _kinds(graph: _Graph, a: int, b: int) -> tuple[str, str]:
    first, second = sorted((graph.elements[a], graph.elements[b]))
    return first, second


def _shortness(graph: _Graph, a: int, b: int) -> float:
    """Return 0 for the length of a single bond, 1 for that of a double bond, and more for a carbonyl."""
    kinds = _kinds(graph, a, b)
    single, double = _LENGTHS.get(kinds, (0.0, 0.0))
    if not single:
        return 0.5
    short = float(np.clip((single - graph.length(a, b)) / (single - double), 0.0, 1.0))
    return short + (_CARBONYL_BONUS if kinds == ("C", "O") else 0.0)


def _is_short(graph: _Graph, a: int, b: int) -> bool:
    single, double = _LENGTHS.get(_kinds(graph, a, b), (0.0, 0.0))
    return graph.length(a, b) < (0.4 * single + 0.6 * double if single else 0.0) + (0.02 if single else 0.0)


def _angle(graph: _Graph, atom: int) -> float:
    if len(graph.near[atom]) != 2:
        return 0.0
    a, b = (graph.xyz[other] - graph.xyz[atom] for other in graph.near[atom])
    cosine = float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _out_of_plane(graph: _Graph, atom: int) -> float:
    a, b, c = (graph.xyz[other] for other in graph.near[atom])
    normal = np.cross(b - a, c - a)
    size = float(np.linalg.norm(normal))
    return abs(float(np.dot(graph.xyz[atom] - a, normal))) / size if size else 0.0


def _best_matching(weights: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Return the set of pairs without a common atom whose weights sum up highest, part by part."""
    chosen: list[tuple[int, int]] = []
    remaining = dict(weights)
    while remaining:
        part, todo = set(), [min(remaining)]
        while todo:
            pair = todo.pop()
            if pair not in part:
                part.add(pair)
                todo += [other for other in remaining if set(other) & set(pair) and other not in part]
        chosen += _matching_of_part({pair: remaining.pop(pair) for pair in sorted(part)})
    return sorted(chosen)


def _matching_of_part(weights: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Search depth first from the atom with the fewest choices; the first hit is nearly always the best."""
    best: tuple[float, list[tuple[int, int]]] = (-1.0, [])
    steps = 0

    def search(free: frozenset[int], value: float, taken: list[tuple[int, int]]) -> None:
        nonlocal best, steps
        steps += 1
        options: dict[int, list[tuple[int, int]]] = {}
        for pair in weights:
            if pair[0] in free and pair[1] in free:
                for end in pair:
                    options.setdefault(end, []).append(pair)
        if value > best[0] + 1e-9:
            best = (value, list(taken))
        if not options or steps > _MOST_STEPS:
            return
        bound = value + sum(max(weights[pair] for pair in pairs) for pairs in options.values()) / 2
        if bound <= best[0] + 1e-9:
            return
        atom = min(options, key=lambda end: (len(options[end]), end))
        for pair in sorted(options[atom], key=lambda item: (-weights[item], item)):
            search(free - set(pair), value + weights[pair], [*taken, pair])
        search(free - {atom}, value, taken)

    search(frozenset(end for pair in weights for end in pair), 0.0, [])
    return best[1]
