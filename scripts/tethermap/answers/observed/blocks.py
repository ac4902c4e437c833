"""A ligand as blocks: ring systems and acyclic atoms, any two of which are joined by one path."""

from __future__ import annotations

from dataclasses import dataclass

from tethermap.exits.graph import LigandGraph, ring_systems


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
