"""Rotatable groups with an anchor, and their coordinates in each torsion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.exits.graph import LigandGraph
from tethermap.exits.prior import is_carbonyl

TORSIONS = 12
"""Torsions that are tried, 30 degrees apart; the first is the deposited one."""

LARGEST_TURNED = 4
"""Maximum number of heavy atoms that rotate with an anchor: those of an acid, ester, amide or t-butyl (house rule)."""


_ANGLES = np.arange(TORSIONS)[:, None, None] * (2 * np.pi / TORSIONS)
_SINE, _PAST_COSINE = np.sin(_ANGLES), 1 - np.cos(_ANGLES)
_IDENTITY = np.eye(3)


@dataclass(frozen=True, slots=True)
class Turn:
    """An anchor whose group is attached by one acyclic single bond.

    Parameters
    ----------
    parent : int
        Atom on the other end of that bond.
    group : tuple of int
        Atoms that rotate with the anchor, without the leaving group; empty if only the anchor rotates.
    """

    parent: int
    group: tuple[int, ...]


def find_turn(graph: LigandGraph, anchor: int, leaving: tuple[int, ...]) -> Turn | None:
    """Return the bond about which a group with an anchor rotates, None if there is no such bond.

    Amide, ester and like bonds don't turn. If two bonds are possible, the one with the smaller rotating part is used.

    Parameters
    ----------
    anchor : int
        Atom that the linker is bonded to.
    leaving : tuple of int
        Heavy atoms that leave.
    """
    staying = frozenset(range(len(graph))).difference(leaving)
    turns: list[tuple[int, float, Turn]] = []
    for parent in graph.near[anchor]:
        if parent not in staying or not _turns(graph, parent, anchor):
            continue
        if not any(other != anchor and other in staying for other in graph.near[parent]):
            continue
        group = graph.component(anchor, staying - {parent}, LARGEST_TURNED + 1) - {anchor}
        if len(group) <= LARGEST_TURNED and not group & graph.ring_atoms:
            distance = round(graph.distance(parent, anchor), 4)
            turns.append((len(group), distance, Turn(parent, tuple(sorted(group)))))
    return min(turns, key=lambda turn: turn[:2])[2] if turns else None


def _turns(graph: LigandGraph, first: int, second: int) -> bool:
    """Return whether a bond is acyclic, single, and not that of an amide, ester or amidine."""
    if graph.order[first, second] != 1 or (first, second) in graph.ring_bonds:
        return False
    return not any(
        graph.element[end] in ("N", "O") and (is_carbonyl(graph, other) or _is_imine(graph, other))
        for end, other in ((first, second), (second, first))
    )


def _is_imine(graph: LigandGraph, atom: int) -> bool:
    return (
        graph.element[atom] == "C"
        and atom not in graph.aromatic
        and any(graph.element[k] == "N" and graph.order[atom, k] == 2 for k in graph.near[atom])
    )


def rotations(axis: FloatArray) -> FloatArray:
    """Return the rotations of all torsions about an axis.

    Parameters
    ----------
    axis : ndarray of float, shape (3,)
        Unit vector.

    Returns
    -------
    ndarray of float, shape (TORSIONS, 3, 3)
        Matrices for column vectors; the first is the identity.

    >>> quarter_turn = rotations(np.array([0.0, 0.0, 1.0]))[TORSIONS // 4]
    >>> (quarter_turn @ [1.0, 0.0, 0.0]).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: FloatArray = _IDENTITY + _SINE * cross + _PAST_COSINE * (cross @ cross)
    return turned
