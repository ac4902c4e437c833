"""Placement of a depiction's arrows: from an anchor out of the drawing, away from the remaining atoms."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.entry.near import squared_distances
from tethermap.exits.graph import LigandGraph
from tethermap.exits.model import Exit

ARROW_START, ARROW_END = 0.4, 1.3
"""Start and end of an arrow, in bond lengths from its anchor."""

BADGE = 10.0
"""Radius of the number at an arrow's end, in pixels."""

GAP = 3.0
"""Between the arrow and its number, in pixels."""

DIRECTIONS = 24
"""Directions that are tried, 15 degrees apart."""

STRAIGHT, PAST_LEAVING = 0.25, 0.3
"""Weights of the natural direction and of the distance to leaving atoms, relative to the distance to remaining atoms
(1)."""

_ALONG = (0.6, 0.95, ARROW_END)
_TURNS = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)


class Arrow(NamedTuple):
    """One arrow in the plane of a depiction, in pixels.

    Parameters
    ----------
    angle : float
        Its direction in radians, clockwise from the right as y points down.
    anchor, start, end, badge : ndarray of float, shape (2,)
        The anchor, both ends, and the middle of the number.
    """

    angle: float
    anchor: FloatArray
    start: FloatArray
    end: FloatArray
    badge: FloatArray


def best_of_sites(exits: Sequence[Exit], count: int) -> list[Exit]:
    """Return the best candidate of each of the first sites, in their order.

    Parameters
    ----------
    exits : sequence of Exit
        All candidates, ranked ones first and in order.

    >>> from tethermap.exits.candidates import Candidate
    >>> acid, ring = Candidate(4, (7,), np.eye(3)[:1]), Candidate(2, (), np.eye(3)[:1])
    >>> ranked = [
    ...     Exit(ring, "ring C-H", site=1, rank=1, site_rank=1),
    ...     Exit(acid, "carbonyl C, O or N leaves", site=2, rank=2, site_rank=2),
    ... ]
    >>> [exit_.candidate.anchor for exit_ in best_of_sites(ranked, 1)]
    [2]
    """
    best = {exit_.site_rank: exit_ for exit_ in reversed(exits)}
    return [best[rank] for rank in range(1, count + 1) if rank in best]


def pale_groups(shown: Sequence[Exit]) -> list[frozenset[int]]:
    """Return the atoms that each exit shows as leaving.

    None for a closed exit, or if an exit before it has its anchor in the group.
    """
    groups = []
    anchors: set[int] = set()
    for exit_ in shown:
        group = frozenset(exit_.candidate.leaving)
        groups.append(frozenset() if exit_.closed or group & anchors else group)
        anchors.add(exit_.candidate.anchor)
    return groups


def place_arrows(graph: LigandGraph, shown: Sequence[Exit], places: FloatArray, bond: float) -> list[Arrow]:
    """Return an arrow for each exit, the first ones choosing first.

    Each arrow gets the direction that keeps it and its number farthest from the remaining atoms and bonds and from the
    previous arrows, with a preference for the direction of the new bond.

    Parameters
    ----------
    places : ndarray of float, shape (n_atoms, 2)
        The atoms in the drawing, in pixels.
    bond : float
        Length of a bond in pixels.
    """
    pairs = np.array([pair for pair in graph.order if pair[0] < pair[1]], dtype=np.int64).reshape(-1, 2)
    middles = places[pairs].sum(axis=1) / 2
    arrow_points: list[FloatArray] = []
    arrows = []
    for exit_, group in zip(shown, pale_groups(shown), strict=True):
        anchor, leaving = exit_.candidate.anchor, sorted(group)
        staying = np.ones(len(graph), dtype=bool)
        staying[[anchor, *leaving]] = False
        hard = np.concatenate([places[staying], middles[staying[pairs].all(axis=1)], *arrow_points])
        arrow = _best_arrow(places[anchor], hard, places[leaving], _natural(graph, exit_, places), bond)
        arrow_points.append(np.stack([arrow.badge, arrow.end, (arrow.start + arrow.end) / 2]))
        arrows.append(arrow)
    return arrows


def _natural(graph: LigandGraph, exit_: Exit, places: FloatArray) -> FloatArray:
    """Return the usual drawing direction of the new bond; zero if there is none."""
    anchor, leaving = exit_.candidate.anchor, exit_.candidate.leaving
    if leaving:
        along = places[leaving[0]] - places[anchor]
    else:
        away = places[anchor] - places[list(graph.near[anchor])]
        lengths = np.linalg.norm(away, axis=1, keepdims=True)
        along = (away / np.maximum(lengths, 1e-9)).sum(axis=0)
    length = float(np.linalg.norm(along))
    return along / length if length > 1e-6 else np.zeros(2)


def _best_arrow(anchor: FloatArray, hard: FloatArray, soft: FloatArray, natural: FloatArray, bond: float) -> Arrow:
    base = float(np.arctan2(natural[1], natural[0])) if natural.any() else -np.pi / 2
    angles = base + _TURNS
    units = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    steps = np.array([*(share * bond for share in _ALONG), ARROW_END * bond + BADGE + GAP])
    points = anchor + steps[:, None] * units[:, None, :]
    hard = hard[np.linalg.norm(hard - anchor, axis=1) < steps[-1] + BADGE + bond]  # others leave all room
    room = np.minimum(_nearest(points, hard) / bond, 1.0)
    past = np.minimum(_nearest(points, soft) / bond, 0.6)
    best = int((room + PAST_LEAVING * past + STRAIGHT * (units @ natural)).round(6).argmax())
    unit = units[best]
    start, end = (anchor + share * bond * unit for share in (ARROW_START, ARROW_END))
    return Arrow(float(angles[best]), anchor, start, end, end + (BADGE + GAP) * unit)


def _nearest(points: FloatArray, others: FloatArray) -> FloatArray:
    """Return the least distance of each row of points from others, its last point nearer by the number's radius."""
    if not len(others):
        return np.full(len(points), np.inf)
    apart = np.sqrt(squared_distances(points.reshape(-1, 2), others).min(axis=1)).reshape(points.shape[:2])
    apart[:, -1] -= BADGE
    nearest: FloatArray = apart.min(axis=1)
    return nearest
