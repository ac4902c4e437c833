"""Room for a linker's first atom, and its way out: the geometry of a candidate.

Both grids of points are laid out in a frame made of the direction and the ligand itself, so
that nothing depends on how the file is oriented.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scripts.lib.contexts import CONTEXTS, HEADLINE_CONTEXT
from scripts.lib.exits.candidates import Candidate, frame_of
from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.linker import BOND, LINKER_RADIUS
from scripts.lib.instance.model import FloatArray, IntArray, Surroundings

RADII = {
    "C": 1.80, "N": 1.64, "O": 1.46, "S": 1.77, "P": 1.80, "F": 1.47, "Cl": 1.75, "Br": 1.85, "I": 1.98, "Se": 1.90,
}  # fmt: skip
"""Radii in angstroms: those of the exposure (Tsai et al. 1999, Bondi 1964), carbon as one mean value."""

OTHER_RADIUS = 1.80
"""Radius of other elements, in angstroms."""

PROBE = 1.4
"""Radius of the water around the linker's first atom, in angstroms."""

ROOM_POINTS = 200

RAYS, CONE = 150, np.radians(60.0)
"""Rays that are tried, and the largest angle between them and the direction."""

RAY_START, RAY_END = 0.5, 10.0
"""Where the sphere on a ray begins and ends, in angstroms from the linker's first atom."""

RAY_SPHERE, SOFTNESS = 1.5, 0.9
"""Radius in angstroms of the sphere that goes along a ray, and the share of an atom's radius that stops it."""

SWEPT = 4
"""How many directions, those with the most room, are tried for the way out."""

DEPTH_AHEAD, DEPTH_WITHIN = 3.0, 8.0
"""Protein atoms are counted within 8 angstroms of a point 3 angstroms ahead of the linker's first atom."""

REACH = BOND + RAY_END + RAY_SPHERE + SOFTNESS * max(RADII.values())
"""Distance from the ligand, in angstroms, up to which an atom can block a ray."""


@dataclass(frozen=True, eq=False)
class Opening:
    """The geometry of a candidate in its best direction.

    Parameters
    ----------
    direction : ndarray of float, shape (3,)
        Unit vector from the anchor to the linker's first atom.
    room, way_out : dict of str to float
        Shares of free points and of free rays (E and F) by context, from the headline on; NaN
        where a context is not defined.
    clearance : float
        How far the sphere gets along the rays in the mean, in angstroms.
    depth : int
        Number of protein atoms around a point ahead.
    """

    direction: FloatArray
    room: dict[str, float]
    way_out: dict[str, float]
    clearance: float
    depth: int


def fibonacci_cap(count: int, widest: float) -> FloatArray:
    """Return points spread evenly over the part of the unit sphere within an angle of the third axis.

    Parameters
    ----------
    count : int
        Number of points.
    widest : float
        The angle in radians; pi for the whole sphere.

    Returns
    -------
    ndarray of float, shape (count, 3)
    """
    z = 1.0 - (1.0 - np.cos(widest)) * (np.arange(count) + 0.5) / count
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    across = np.sqrt(1.0 - z**2)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)


_TINY = 1e-6
_SPHERE = fibonacci_cap(ROOM_POINTS, np.pi)
_CONE = fibonacci_cap(RAYS, float(CONE))


def radii_of(elements: Sequence[str]) -> FloatArray:
    """Return the radii of some elements in angstroms, shape (n_atoms,)."""
    return np.array([RADII.get(element, OTHER_RADIUS) for element in elements], dtype=np.float64)


def room(places: FloatArray, frames: FloatArray, xyz: FloatArray, radii: FloatArray) -> FloatArray:
    """Return which points around the linker's first atom are free.

    Parameters
    ----------
    places : ndarray of float, shape (n, 3)
        Where that atom may stand.
    frames : ndarray of float, shape (n, 3, 3)
        Frame of each direction (`frame_of`).
    xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
        Atoms that stand in the way, in angstroms.

    Returns
    -------
    ndarray of bool, shape (n, ROOM_POINTS)
    """
    centre = places.mean(axis=0)
    spread = float(np.sqrt(((places - centre) ** 2).sum(axis=1).max()))
    away = xyz - centre
    squared = np.einsum("ij,ij->i", away, away)
    near = squared < (spread + LINKER_RADIUS + 2 * PROBE + radii) ** 2
    points = (places[:, None, :] - centre + (LINKER_RADIUS + PROBE) * (_SPHERE @ frames)).reshape(-1, 3)
    # A point p is free of an atom a when |p - a|² > r², that is p·a - (|a|² - r²) / 2 < |p|² / 2.
    limits = (squared[near] - (radii[near] + PROBE) ** 2) / 2
    closest = (points @ away[near].T - limits).max(axis=1, initial=-np.inf)
    free: FloatArray = closest < np.einsum("ij,ij->i", points, points) / 2
    return free.reshape(len(places), ROOM_POINTS)


def ray_lengths(place: FloatArray, frame: FloatArray, xyz: FloatArray, radii: FloatArray) -> FloatArray:
    """Return how far a sphere gets along each ray of the cone around a direction.

    Parameters
    ----------
    place : ndarray of float, shape (3,)
        The linker's first atom.
    frame : ndarray of float, shape (3, 3)
        Frame of the direction.
    xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
        Atoms that stand in the way, in angstroms.

    Returns
    -------
    ndarray of float, shape (RAYS,)
        0 where it can't start, infinite where nothing stops it before `RAY_END`.
    """
    away = xyz - place
    reach = SOFTNESS * radii + RAY_SPHERE
    squared = np.einsum("ij,ij->i", away, away)
    near = squared < (RAY_END + reach) ** 2
    away, squared, reach = away[near], squared[near], reach[near]
    # A sphere that holds the place or meets the cone: its angle to the axis is within that of the cone plus its own.
    distance = np.sqrt(squared)
    share = np.minimum(reach / np.maximum(distance, _TINY), 1.0)
    edge = np.cos(CONE) * np.sqrt(1 - share**2) - np.sin(CONE) * share
    near = (distance <= reach) | (away @ frame[2] > distance * edge - _TINY)
    away, squared, reach = away[near], squared[near], reach[near]
    lengths = np.full(RAYS, np.inf)
    along = away @ (_CONE @ frame).T
    inside = along**2 - (squared - reach**2)[:, None]
    atom, ray = np.nonzero(inside > 0)
    half = np.sqrt(inside[atom, ray])
    begin, end = along[atom, ray] - half, along[atom, ray] + half
    hit = (end > RAY_START) & (begin < RAY_END)
    np.minimum.at(lengths, ray[hit], np.where(begin[hit] > RAY_START, begin[hit], 0.0))
    return lengths


class Pocket:
    """A ligand in its surroundings, asked for one candidate after another.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    surroundings : Surroundings
        The atoms around it, as far as `REACH`.
    headline : str
        Context that is scored.
    """

    def __init__(self, graph: LigandGraph, surroundings: Surroundings, headline: str = HEADLINE_CONTEXT) -> None:
        self._graph = graph
        self._largest = surroundings.largest
        self._levels = range(CONTEXTS.index(headline), len(CONTEXTS))
        self._xyz = surroundings.xyz.astype(np.float64)
        self._references: dict[int, FloatArray] = {}
        self._level: IntArray = surroundings.context.astype(np.int64)
        self._radii = radii_of(surroundings.element.tolist())
        self._polar = np.isin(surroundings.element, ("N", "O")) & (self._level <= self._levels[0])
        self._own_radii = radii_of(graph.element)
        headline_atoms = self._level <= self._levels[0]
        self._around = self._xyz[headline_atoms]
        self._around_radii = self._radii[headline_atoms]

    def opening(self, candidate: Candidate) -> Opening:
        """Return the geometry of a candidate in the best of its directions, the leaving group taken away."""
        graph, anchor = self._graph, candidate.anchor
        staying = np.ones(len(graph), dtype=bool)
        staying[list(candidate.leaving)] = False
        beside = staying.copy()
        beside[[anchor, *graph.near[anchor]]] = False
        start = graph.xyz[anchor]
        if anchor not in self._references:
            self._references[anchor] = graph.xyz[graph.in_graph_order(anchor)] - start
        references = self._references[anchor]
        frames = np.stack([frame_of(direction, references) for direction in candidate.directions])
        places = start + BOND * candidate.directions
        free = room(places, frames, *self._with(staying))
        share = np.count_nonzero(free, axis=1) / ROOM_POINTS
        best: tuple[float, int, FloatArray] | None = None
        others = self._with(beside)
        for place in sorted(range(len(share)), key=lambda k: (-share[k], k))[:SWEPT]:
            lengths = ray_lengths(places[place], frames[place], *others)
            total = round(float(share[place]) + _share(np.isinf(lengths)), 6)
            if best is None or total > best[0]:
                best = total, place, lengths
        assert best is not None
        _, place, lengths = best
        rooms, ways = self._contexts(places[place], frames[place], free[place], np.isinf(lengths))
        ahead = places[place] + DEPTH_AHEAD * candidate.directions[place]
        depth = int((((self._around - ahead) ** 2).sum(axis=1) < DEPTH_WITHIN**2).sum())
        clearance = float(np.minimum(lengths, RAY_END).mean())
        return Opening(candidate.directions[place], rooms, ways, clearance, depth)

    def polar_contacts(self, atoms: Sequence[int], within: float) -> int:
        """Return the number of pairs of N and O, one of some ligand atoms and one of the protein, in a distance."""
        polar = [k for k in atoms if self._graph.element[k] in ("N", "O")]
        if not polar:
            return 0
        pairs = self._graph.xyz[polar][:, None] - self._xyz[self._polar][None]
        return int(((pairs**2).sum(axis=2) < within**2).sum())

    def _with(self, atoms: np.ndarray) -> tuple[FloatArray, FloatArray]:
        """Return some atoms of the ligand together with those around it in the headline context, and their radii."""
        xyz = np.concatenate([self._graph.xyz[atoms], self._around])
        return xyz, np.concatenate([self._own_radii[atoms], self._around_radii])

    def _contexts(
        self, place: FloatArray, frame: FloatArray, free: FloatArray, open_rays: FloatArray
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return E and F in the headline context and in the larger ones, which only add atoms."""
        rooms: dict[str, float] = {}
        ways: dict[str, float] = {}
        for level in self._levels:
            if level > self._largest:
                rooms[CONTEXTS[level]] = ways[CONTEXTS[level]] = float("nan")
                continue
            more = self._level == level
            if level > self._levels[0] and more.any():
                xyz, radii = self._xyz[more], self._radii[more]
                free = free & room(place[None], frame[None], xyz, radii)[0]
                open_rays = open_rays & np.isinf(ray_lengths(place, frame, xyz, radii))
            rooms[CONTEXTS[level]], ways[CONTEXTS[level]] = _share(free), _share(open_rays)
        return rooms, ways


def _share(true: np.ndarray) -> float:
    """Return the share of what is true, as the mean would but in a tenth of its time."""
    return int(np.count_nonzero(true)) / true.size
