"""End of the half of a degrader that one protein binds: the observed exit.

The rule uses only areas and bonds, never the identity of the ligand. All limits without a source are house rules,
chosen on eleven ternary complexes with the authors' cuts (`make bench-exits`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tethermap.base.arrays import FloatArray
from tethermap.exits.graph import LigandGraph, ring_systems
from tethermap.exits.prior import is_carbonyl

TESTED_FROM = 4
"""Smallest number of atoms of an acyclic block with its substituents that is tested."""

LEAST_AREA, LEAST_SHARE = 10.0, 0.4
"""Least area of a core that its protein covers, in square angstroms, and least covered share of the core's free
area."""

LONGEST_RUN = 4
"""More small blocks than this after a core end the walk."""

MOST_BONDS = 7
"""Maximum number of bonds between the last core and the exit."""

ATTACHMENT_RING = 7
"""Most atoms of a saturated ring that can belong to either side of the cut."""

STOP_SHARE, STOP_RATIO, STOP_BONDS = 0.25, 0.5, 2
"""A block that stopped the walk may still belong to the core: if the protein covers this share of its free area and at
least this ratio of the area that the partner covers, or if it is a saturated ring within this number of blocks."""

VARIED_SHARES, VARIED_RUNS = (0.3, 0.4, 0.5), (3, 4, 5)
"""Varied limits; a clear exit is the same bond under all of them."""

Bond = tuple[int, int]
"""The anchor, which is part of the half, and the linker's first atom."""


@dataclass(frozen=True, slots=True)
class ObservedExit:
    """End of one half of a ligand between two proteins.

    Parameters
    ----------
    anchor, linker_atom : int
        The bond.
    alternatives : tuple of (int, int)
        Other bonds that authors might have cut.
    weak : bool
        Whether no bond that chemists make was found, and the bond out of the core is given instead.
    clear : bool
        Whether varied limits give the same bond, and no ring could belong to either side.
    half : frozenset of int
        Atoms on the anchor's side.
    """

    anchor: int
    linker_atom: int
    alternatives: tuple[Bond, ...]
    weak: bool
    clear: bool
    half: frozenset[int]

    @property
    def bonds(self) -> tuple[Bond, ...]:
        """The bond found and its alternatives."""
        return ((self.anchor, self.linker_atom), *self.alternatives)


@dataclass(frozen=True, eq=False)
class PathStep:
    """One block on a path.

    Parameters
    ----------
    block : frozenset of int
        A ring system (rings that share an atom are one) or one acyclic atom.
    atoms : frozenset of int
        The block with its substituents outside the path.
    is_ring : bool
        Whether it is a ring system.
    enters : (int, int) or None
        The bond from the block before to this one; None for the first.
    """

    block: frozenset[int]
    atoms: frozenset[int]
    is_ring: bool
    enters: tuple[int, int] | None


def path_between(graph: LigandGraph, start: frozenset[int], end: frozenset[int]) -> list[PathStep]:
    """Return the blocks from one ring system to another, both included.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    start, end : frozenset of int
        Two of `ring_systems`.
    """
    block_of = {atom: system for system in ring_systems(graph) for atom in system}
    came: dict[frozenset[int], tuple[int, int] | None] = {start: None}
    front = [start]
    for block in front:
        for atom in sorted(block):
            for other in graph.near[atom]:
                following = block_of.get(other, frozenset({other}))
                if following not in came:
                    came[following] = (atom, other)
                    front.append(following)
    path = [end]
    while (bond := came[path[-1]]) is not None:
        path.append(block_of.get(bond[0], frozenset({bond[0]})))
    path.reverse()
    on_path = frozenset(atom for block in path for atom in block)
    everything = frozenset(range(len(graph)))
    steps = []
    for block in path:
        allowed = everything - (on_path - block)
        atoms = frozenset().union(*(graph.component(atom, allowed) for atom in block))
        steps.append(PathStep(block, atoms, len(block) > 1, came[block]))
    return steps


def observed_exit(graph: LigandGraph, free: FloatArray, own: FloatArray, other: FloatArray) -> ObservedExit | None:
    """Return the end of a protein's half of a ligand; None with fewer than two ring systems.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    free, own, other : ndarray of float, shape (n_heavy,)
        Area of each atom in the unbound ligand, and the parts of it that the protein and its partner cover separately,
        in square angstroms.
    """
    systems = ring_systems(graph)
    if len(systems) < 2:
        return None
    preference = [round(float((own - other)[sorted(system)].sum()), 3) for system in systems]
    start, end = systems[preference.index(max(preference))], systems[preference.index(min(preference))]
    if start == end:
        return None
    steps = path_between(graph, start, end)
    walk = _Walk(graph, steps, free, own, other)
    last, _ = walk.last_core(LEAST_SHARE, LONGEST_RUN)
    bond, weak = walk.exit_after(last)
    varied = {walk.exit_after(walk.last_core(share, run)[0])[0] for share in VARIED_SHARES for run in VARIED_RUNS}
    rings = [candidate for candidate in walk.of_rings(last) if candidate != bond]
    alternatives = [*rings, *walk.of_amide(bond)]
    unique = tuple(dict.fromkeys(candidate for candidate in alternatives if candidate != bond))
    return ObservedExit(*bond, unique, weak, not rings and len(varied) == 1, half_of(graph, bond))


def half_of(graph: LigandGraph, bond: Bond) -> frozenset[int]:
    """Return the atoms on the first side of an acyclic bond."""
    return graph.component(bond[0], frozenset(range(len(graph))) - {bond[1]})


class _Walk:
    """The path between the ring systems with the largest and smallest lead in area of a protein over its partner."""

    def __init__(
        self, graph: LigandGraph, steps: Sequence[PathStep], free: FloatArray, own: FloatArray, other: FloatArray
    ) -> None:
        self._graph = graph
        self._steps = steps
        self._areas = [tuple(float(areas[sorted(step.atoms)].sum()) for areas in (free, own, other)) for step in steps]

    def last_core(self, least_share: float, longest_run: int) -> tuple[int, int | None]:
        """Return the number of the last core, and of the block that failed, None if the walk ended otherwise."""
        core, run = 0, 0
        for k in range(1, len(self._steps) - 1):  # the last belongs to the partner in any case
            if not self._is_tested(k):
                run += 1
                if run > longest_run:
                    return core, None
                continue
            free, own, other = self._areas[k]
            if own < other or own < LEAST_AREA or own < least_share * free:
                return core, k
            core, run = k, 0
        return core, None

    def exit_after(self, core: int) -> tuple[Bond, bool]:
        """Return the first bond outwards from a core that chemists make, else the bond out of the core and True."""
        bonds = list(self._bonds_after(core))
        for (first, second), step in bonds:
            if self._is_made(first, second) and len(step.atoms) < TESTED_FROM:
                return (first, second), False
        return bonds[0][0], True

    def of_rings(self, core: int) -> Iterator[Bond]:
        """Yield the exits before and after a block that could belong to either side."""
        _, stopped = self.last_core(LEAST_SHARE, LONGEST_RUN)
        if core and self._is_attachment_ring(self._steps[core]):
            before = next(k for k in range(core - 1, -1, -1) if k == 0 or self._is_tested(k))
            yield self.exit_after(before)[0]
        if stopped is None or stopped + 1 >= len(self._steps):
            return
        free, own, other = self._areas[stopped]
        covered = own >= STOP_SHARE * free and own >= STOP_RATIO * other
        near = stopped - core <= STOP_BONDS and self._is_attachment_ring(self._steps[stopped])
        if covered or near:
            yield self.exit_after(stopped)[0]

    def of_amide(self, bond: Bond) -> Iterator[Bond]:
        """Yield the bond from an amide's acyl carbon to its nitrogen if the exit leaves from that nitrogen."""
        anchor, linker = bond
        if self._graph.element[anchor] == "N" and anchor not in self._graph.ring_atoms:
            for other in self._graph.near[anchor]:
                if other != linker and other not in self._graph.ring_atoms and is_carbonyl(self._graph, other):
                    yield other, anchor

    def _bonds_after(self, core: int) -> Iterator[tuple[Bond, PathStep]]:
        for step in self._steps[core + 1 : core + 1 + MOST_BONDS]:
            assert step.enters is not None
            yield step.enters, step
            if step.is_ring:
                return

    def _is_made(self, first: int, second: int) -> bool:
        graph = self._graph
        if graph.order[first, second] != 1 or second in graph.ring_atoms or graph.element[second] != "C":
            return False
        if graph.has_multiple_bond(second) or not graph.n_hydrogens(second):
            return False
        carbonyl = first not in graph.ring_atoms and is_carbonyl(graph, first)
        return graph.element[first] in ("N", "O", "S") or carbonyl

    def _is_tested(self, k: int) -> bool:
        return self._steps[k].is_ring or len(self._steps[k].atoms) >= TESTED_FROM

    def _is_attachment_ring(self, step: PathStep) -> bool:
        return step.is_ring and len(step.block) <= ATTACHMENT_RING and self._graph.is_saturated(step.block)
