"""Exit sites: a division of a ligand's heavy atoms into the places that a chemist would name."""

from dataclasses import replace
from functools import lru_cache

from tethermap.base.tables import by_key
from tethermap.exits.graph import LigandGraph, ring_systems

END_RING = 10
"""Most atoms of a saturated ring system at the end of a ligand that is one site."""

END_SUBSTITUENTS = 4
"""Most heavy atoms of its substituents together."""

LONGEST_CHAIN = 6
"""Maximum number of atoms in the chain from a site to the next ring that belong to the site, and in an acyclic piece
that is not divided."""

FORK_BRANCHES, FORK_BRANCH_ATOMS = 3, 3
"""A larger piece is split at atoms with so many branches of so many atoms."""


def exit_sites(graph: LigandGraph) -> list[tuple[int, ...]]:
    """Return the exit sites of a ligand, each heavy atom in exactly one, by their first atoms."""
    sites = _ring_ends(graph)
    in_ring_ends = frozenset(atom for site in sites for atom in site)
    sites += _acyclic_sites(graph, in_ring_ends)
    covered = {atom for site in sites for atom in site}
    sites += [frozenset({atom}) for atom in range(len(graph)) if atom not in covered]
    return sorted(tuple(sorted(site)) for site in sites)


@lru_cache(maxsize=1)  # a ligand's exits of each kind are ranked in sequence
def site_numbers(graph: LigandGraph) -> tuple[int, ...]:
    """Return the number of each heavy atom's site, from 1; symmetry-equivalent sites share the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> bonds = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]  # bicyclopropyl
    >>> near = tuple(tuple(b if a == atom else a for a, b in bonds if atom in (a, b)) for atom in range(6))
    >>> both_ways = bonds + [(b, a) for a, b in bonds]
    >>> graph = LigandGraph(
    ...     element=("C",) * 6, names=("C1", "C2", "C3", "C4", "C5", "C6"), xyz=np.zeros((6, 3)), near=near,
    ...     order=dict.fromkeys(both_ways, 1.0), ring_bonds=frozenset(both_ways) - {(2, 3), (3, 2)},
    ...     hydrogens=(), symmetry_class=np.array([0, 0, 1, 1, 0, 0]),
    ... )
    >>> exit_sites(graph), site_numbers(graph)
    ([(0, 1, 2), (3,), (4,), (5,)], (1, 1, 1, 1, 1, 1))
    """
    classes = graph.symmetry_class.tolist()
    alike = by_key((number, atom) for atom, number in enumerate(classes))
    sites = exit_sites(graph)
    site_of = {atom: site for site in sites for atom in site}
    near = tuple((*site_of[atom], *alike[number]) for atom, number in enumerate(classes))
    joined = replace(graph, near=near).components(range(len(graph)))
    number_of = {atom: sites.index(site_of[min(atoms)]) + 1 for atoms in joined for atom in atoms}
    return tuple(number_of[atom] for atom in range(len(graph)))


def _ring_ends(graph: LigandGraph) -> list[frozenset[int]]:
    """Return the saturated ring systems at the ends of a ligand, with their substituents and chains."""
    systems = [ring for ring in ring_systems(graph) if len(ring) <= END_RING and graph.is_saturated(ring)]
    remaining = set(range(len(graph)))
    ends: list[frozenset[int]] = []
    before = -1
    while before < len(ends):
        before = len(ends)
        for system in systems:
            if system <= remaining and (site := _ring_end(graph, system, remaining)):
                ends.append(site)
                remaining -= site
    return ends


def _ring_end(graph: LigandGraph, system: frozenset[int], remaining: set[int]) -> frozenset[int] | None:
    """Return the site of a ring system if it is at the end of the remaining ligand."""
    beside = {other for atom in system for other in graph.near[atom]} & remaining - system
    branches = [part for part in graph.components(remaining - system) if part & beside]
    onward = [part for part in branches if part & graph.ring_atoms]
    others = [part for part in branches if not part & graph.ring_atoms]
    if len(onward) != 1 or sum(map(len, others)) > END_SUBSTITUENTS:
        return None
    start = min(onward[0] & beside)
    chain: frozenset[int] = frozenset()
    if start not in graph.ring_atoms:
        piece = graph.component(start, remaining - graph.ring_atoms)
        next_rings = {other for atom in piece for other in graph.near[atom]} & graph.ring_atoms - system
        if len(piece) <= LONGEST_CHAIN and len(next_rings) == 1:
            chain = piece
    return system.union(chain, *others)


def _acyclic_sites(graph: LigandGraph, covered: frozenset[int]) -> list[frozenset[int]]:
    """Return the acyclic pieces outside the given sites, each with its only ring neighbour."""
    acyclic = set(range(len(graph))) - graph.ring_atoms - covered
    by_carrier: dict[int, frozenset[int]] = {}
    sites = []
    for piece in graph.components(acyclic):
        for part in _split(graph, piece) if len(piece) > LONGEST_CHAIN else [piece]:
            carriers = {other for atom in part for other in graph.near[atom]} & graph.ring_atoms
            carrier = min(carriers) if len(carriers) == 1 and not carriers & covered else None
            if carrier is None:
                sites.append(part)
            else:
                by_carrier[carrier] = by_carrier.get(carrier, frozenset({carrier})) | part
    return sites + list(by_carrier.values())


def _split(graph: LigandGraph, piece: frozenset[int]) -> list[frozenset[int]]:
    """Return the parts of an acyclic piece divided at its forks; a fork keeps its short branches."""
    everything = frozenset(range(len(graph)))
    parts: list[frozenset[int]] = []
    remaining = set(piece)
    for fork in sorted(atom for atom in piece if len(graph.near[atom]) >= FORK_BRANCHES):
        branches = [branch for branch in graph.components(everything - {fork}) if branch & frozenset(graph.near[fork])]
        if sum(len(branch) >= FORK_BRANCH_ATOMS for branch in branches) >= FORK_BRANCHES:
            short = [branch for branch in branches if len(branch) < FORK_BRANCH_ATOMS and branch <= piece]
            parts.append(frozenset({fork}).union(*short))
            remaining -= parts[-1]
    return parts + graph.components(remaining)
