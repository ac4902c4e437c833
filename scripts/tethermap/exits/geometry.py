"""Room for a linker's first atom, and its way out: the geometry of a candidate.

Both grids of points are laid out in a frame of the direction and the ligand, so that results do not depend on the
orientation of the file.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray, IntArray, as_text
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.entry.near import count_within, squared_distances
from tethermap.exits.candidates import TORSIONS, Candidate, frames_of, rotations
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import BOND, LINKER_RADIUS, RAY_END, RAY_START
from tethermap.exits.words import OPEN_FROM
from tethermap.instance.model import Surroundings
from tethermap.kernels.spheres import Grid, LevelArray, Spheres

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

RAY_SPHERE, SOFTNESS = 1.5, 0.9
"""Radius in angstroms of the sphere that moves along a ray, and the fraction of an atom's radius that stops it."""

SWEPT = 4
"""Number of directions, those with the most room, for which the way out is computed."""

DEPTH_AHEAD, DEPTH_WITHIN = 3.0, 8.0
"""Protein atoms are counted within 8 angstroms of a point 3 angstroms ahead of the linker's first atom."""

REACH = BOND + RAY_END + RAY_SPHERE + SOFTNESS * max(RADII.values())
"""Distance from the ligand, in angstroms, up to which an atom can block a ray."""


CLASH, POLAR_CLASH = 2.6, 2.4
"""Least distances of rotated atoms from others in a free torsion, in angstroms: for any pair, and for N and O."""

NEAR_ANCHOR = 6.0
"""Atoms that rotate with an anchor are nearer to it than this, in angstroms: four bonds."""

_TINY = 1e-6


@dataclass(frozen=True, eq=False)
class Opening:
    """The geometry of a candidate in its best direction.

    Parameters
    ----------
    direction : ndarray of float, shape (3,)
        Unit vector from the anchor to the linker's first atom.
    room, way_out : dict of str to float
        Shares of free points and of free rays (E and F) by context, from the headline on; NaN if a context is not
        defined.
    clearance : float
        Mean path of the sphere along the rays, in angstroms.
    depth : int
        Number of protein atoms around a point ahead.
    torsion : float
        Rotation of the anchor's group relative to its deposited torsion, in degrees from 0 to 330; NaN if it does not
        rotate.
    torsions_open : int or None
        Number of its torsions that are free and leave room and a way out; None if it does not turn.
    cone : float
        Largest angle in degrees between the direction and that of another open torsion; 0 without one.
    """

    direction: FloatArray
    room: dict[str, float]
    way_out: dict[str, float]
    clearance: float
    depth: int
    torsion: float = float("nan")
    torsions_open: int | None = None
    cone: float = 0.0


@dataclass(frozen=True, eq=False)
class Poses:
    """The directions of a candidate in all torsions that are free.

    Parameters
    ----------
    directions : ndarray of float, shape (n, 3)
        Unit vectors.
    frames : ndarray of float, shape (n, 3, 3)
        Frame of each, turned along with it.
    torsion : ndarray of int, shape (n,)
        Number of the torsion that each belongs to.
    group : tuple of int
        Atoms that rotate.
    places : ndarray of float, shape (n_torsions, n_group, 3)
        Their coordinates in each torsion, in angstroms.
    """

    directions: FloatArray
    frames: FloatArray
    torsion: IntArray
    group: tuple[int, ...]
    places: FloatArray


def fibonacci_cap(count: int, widest: float) -> FloatArray:
    """Return points spread evenly over the part of the unit sphere within an angle of the third axis.

    Parameters
    ----------
    widest : float
        The angle in radians; pi for the whole sphere.

    Returns
    -------
    ndarray of float, shape (count, 3)

    >>> fibonacci_cap(3, np.pi)[:, 2].round(3).tolist()
    [0.667, 0.0, -0.667]
    """
    z = 1.0 - (1.0 - np.cos(widest)) * (np.arange(count) + 0.5) / count
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    across = np.sqrt(1.0 - z**2)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)


_SPHERE = fibonacci_cap(ROOM_POINTS, np.pi)
_CONE = fibonacci_cap(RAYS, float(CONE))


def radii_of(elements: Sequence[str]) -> FloatArray:
    """Return the radii of the given elements in angstroms, shape (n_atoms,)."""
    return np.array([RADII.get(element, OTHER_RADIUS) for element in elements], dtype=np.float64)


class Obstacles:
    """Atoms that can block a linker, for many places at once.

    Parameters
    ----------
    xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
        In angstroms.
    level : ndarray of int, shape (n_atoms,), optional
        Number of the smallest of the nested sets that contains each atom, from 0; by default all atoms are in one set.
    n_levels : int
        Number of sets.
    """

    def __init__(self, xyz: FloatArray, radii: FloatArray, level: IntArray, n_levels: int) -> None:
        self._around_points = Spheres(xyz, radii + PROBE, level, n_levels)
        self._around_rays = Spheres(xyz, SOFTNESS * radii + RAY_SPHERE, level, n_levels)

    def room(self, places: FloatArray, frames: FloatArray, ignored: BoolArray | None = None) -> LevelArray:
        """Return the first set that covers each point around a linker's first atom.

        Parameters
        ----------
        places : ndarray of float, shape (n, 3)
            Coordinates of that atom, in angstroms.
        frames : ndarray of float, shape (n, 3, 3)
            Frame of each direction (`frames_of`).
        ignored : ndarray of bool, shape (n, n_atoms), optional
            Atoms to ignore for each of them.

        Returns
        -------
        ndarray of int8, shape (n, ROOM_POINTS)
            `n_levels` if the point is outside all atoms.
        """
        return self._around_points.covered(Grid(places, frames, _SPHERE, ignored), LINKER_RADIUS + PROBE)

    def rays(
        self, places: FloatArray, frames: FloatArray, ignored: BoolArray | None = None
    ) -> tuple[FloatArray, LevelArray]:
        """Return the path of a sphere along each ray of the cone around a direction.

        Parameters
        ----------
        places, frames, ignored : ndarray
            As for `room`.

        Returns
        -------
        lengths : ndarray of float, shape (n, RAYS)
            Path among the atoms of set 0, in angstroms: 0 if it can't start, infinite if nothing stops it before
            `RAY_END`.
        stopped : ndarray of int8, shape (n, RAYS)
            The first set that stops it, `n_levels` if none does.
        """
        grid = Grid(places, frames, _CONE, ignored)
        return self._around_rays.ray_lengths(grid, float(CONE), RAY_START, RAY_END)


class Pocket:
    """A ligand in its surroundings.

    Parameters
    ----------
    surroundings : Surroundings
        The atoms around it, as far as `REACH`.
    """

    def __init__(self, graph: LigandGraph, surroundings: Surroundings) -> None:
        self._graph = graph
        first = CONTEXTS.index(HEADLINE_CONTEXT)
        self._contexts = CONTEXTS[first:]
        self._defined = CONTEXTS[first : surroundings.largest + 1]
        around = surroundings.xyz.astype(np.float64)
        level = np.maximum(surroundings.context.astype(np.int64) - first, 0)
        self._xyz = np.concatenate([graph.xyz, around])
        elements = as_text(surroundings.element)
        self._radii = np.concatenate([radii_of(graph.element), radii_of(elements.tolist())])
        self._level = np.concatenate([np.zeros(len(graph), dtype=np.int64), level])
        self._around = around[level == 0]
        own, others = np.array(graph.element), elements[level == 0]
        self._own_polar, self._is_polar = ((element == "N") | (element == "O") for element in (own, others))

    def openings(self, candidates: Sequence[Candidate]) -> list[Opening]:
        """Return the geometry of candidates, each in the best of its directions, without its leaving group."""
        if not candidates:
            return []
        graph = self._graph
        all_poses = [self._poses(candidate) for candidate in candidates]
        counts = [len(poses.torsion) for poses in all_poses]
        owner = np.repeat(np.arange(len(candidates)), counts)
        frames = np.concatenate([poses.frames for poses in all_poses])
        posed = list(zip(candidates, all_poses, strict=True))
        starts = np.concatenate([graph.xyz[one.anchor] + BOND * poses.directions for one, poses in posed])
        obstacles, away, beside = self._obstacles(candidates, all_poses)
        points = obstacles.room(starts, frames, away)
        room = np.count_nonzero(points > 0, axis=1) / ROOM_POINTS
        torsion = np.concatenate([poses.torsion for poses in all_poses])
        turns = np.array([candidate.turn is not None for candidate in candidates])[owner]
        wanted = turns & (room >= OPEN_FROM)
        wanted[_most_open(room, owner, SWEPT)] = True
        unseen = np.array([candidate.unseen is not None for candidate in candidates])[owner]
        wanted |= unseen  # so that more surrounding atoms can't favour a direction that was not tried
        swept = np.flatnonzero(wanted)
        swept = swept[np.lexsort((-room[swept], owner[swept]))]
        lengths, stopped = obstacles.rays(starts[swept], frames[swept], beside[swept])
        way_out = np.count_nonzero(np.isinf(lengths), axis=1) / RAYS
        free = (room[swept] >= OPEN_FROM).astype(np.int64) + (way_out >= OPEN_FROM)
        best = _most_open(np.round(room[swept] + way_out, 6) + 2 * unseen[swept] * free, owner[swept], 1)
        opened = swept[turns[swept] & (room[swept] >= OPEN_FROM) & (way_out >= OPEN_FROM)]
        chosen = swept[best]
        directions = frames[chosen, 2]
        depth = count_within(starts[chosen] + DEPTH_AHEAD * directions, self._around, DEPTH_WITHIN).tolist()
        clearance = np.minimum(lengths[best], RAY_END).mean(axis=1).tolist()
        shares = self._shares(points[chosen], ROOM_POINTS), self._shares(stopped[best], RAYS)
        openings = list(map(Opening, directions, *shares, clearance, depth))
        for number, k in enumerate(chosen.tolist()):
            if turns[k]:
                same = opened[owner[opened] == owner[k]]
                opening = openings[number]
                cosines = np.append(frames[same, 2] @ opening.direction, 1.0)
                openings[number] = replace(
                    opening,
                    torsion=int(torsion[k]) * (360.0 / TORSIONS),
                    torsions_open=len(set(torsion[same].tolist())),
                    cone=float(np.degrees(np.arccos(np.clip(cosines.min(), -1.0, 1.0)))),
                )
        return openings

    def _poses(self, candidate: Candidate) -> Poses:
        """Return the directions of a candidate, for a rotatable group in all free torsions."""
        graph, anchor, turn = self._graph, candidate.anchor, candidate.turn
        start = graph.xyz[anchor]
        frames = frames_of(candidate.directions, graph.offsets(anchor))
        count = len(frames)
        if turn is None:
            return Poses(candidate.directions, frames, np.zeros(count, dtype=np.int64), (), np.zeros((1, 0, 3)))
        axis = start - graph.xyz[turn.parent]
        turned = rotations(axis / max(math.sqrt(axis @ axis), _TINY))
        group = list(turn.group)
        places = start + np.einsum("tij,gj->tgi", turned, graph.xyz[group] - start)
        numbers = np.flatnonzero(self._free(places, group, [*candidate.leaving, *group, anchor, turn.parent], start))
        return Poses(
            np.einsum("tij,dj->tdi", turned[numbers], candidate.directions).reshape(-1, 3),
            np.einsum("tij,dkj->tdki", turned[numbers], frames).reshape(-1, 3, 3),
            numbers.repeat(count),
            turn.group,
            places,
        )

    def _free(self, places: FloatArray, group: Sequence[int], away: Sequence[int], anchor: FloatArray) -> BoolArray:
        """Return which torsions keep the turned atoms off protein and ligand; the deposited one always does.

        `away` are atoms of the ligand that never clash.
        """
        free = np.ones(len(places), dtype=bool)
        if not group:
            return free
        own = np.ones(len(self._graph), dtype=bool)
        own[away] = False
        near = squared_distances(anchor[None], self._around)[0] < (CLASH + NEAR_ANCHOR) ** 2
        others = np.concatenate([self._graph.xyz[own], self._around[near]])
        polar = np.concatenate([self._own_polar[own], self._is_polar[near]])
        limits = np.where(self._own_polar[list(group)][:, None] & polar, POLAR_CLASH, CLASH)
        apart = squared_distances(places.reshape(-1, 3), others).reshape(*places.shape[:2], -1)
        free[1:] = (apart[1:] > limits**2).all(axis=(1, 2))
        return free

    def _obstacles(
        self, candidates: Sequence[Candidate], all_poses: Sequence[Poses]
    ) -> tuple[Obstacles, BoolArray, BoolArray]:
        """Return the obstacles; the atoms of rotated groups in all torsions follow the other atoms.

        Returns
        -------
        obstacles : Obstacles
            All atoms, each group of atoms in each torsion once.
        away, beside : ndarray of bool, shape (n_directions, n_atoms)
            Atoms to ignore for a direction: the leaving ones, and a group in torsions other than its own; for rays also
            the anchor and the atoms bonded to it.
        """
        graph = self._graph
        moved = [poses.places.reshape(-1, 3) for poses in all_poses if poses.group]
        groups = [list(poses.group) * len(poses.places) for poses in all_poses if poses.group]
        xyz = np.concatenate([self._xyz, *moved])
        radii = np.concatenate([self._radii, *(self._radii[group] for group in groups)])
        level = np.concatenate([self._level, np.zeros(len(xyz) - len(self._xyz), dtype=np.int64)])
        away = np.zeros((sum(len(poses.torsion) for poses in all_poses), len(xyz)), dtype=bool)
        away[:, len(self._xyz) :] = True
        beside = away.copy()
        row, column = 0, len(self._xyz)
        for candidate, poses in zip(candidates, all_poses, strict=True):
            count, size = len(poses.torsion), len(poses.group)
            rows = slice(row, row + count)
            away[rows, [*candidate.leaving, *poses.group]] = True
            bonded = [candidate.anchor, *graph.near[candidate.anchor]]
            beside[rows, [*candidate.leaving, *poses.group, *bonded]] = True
            for k, atom in enumerate(poses.group):
                columns = column + poses.torsion * size + k
                away[np.arange(row, row + count), columns] = False
                beside[np.arange(row, row + count), columns] = atom in bonded
            row, column = row + count, column + size * len(poses.places) if size else column
        return Obstacles(xyz, radii, level, len(self._contexts)), away, beside

    def polar_contacts(self, within: float) -> IntArray:
        """Return the number of the protein's N and O near each N and O of the ligand; 0 for other atoms.

        Parameters
        ----------
        within : float
            Largest distance, in angstroms.

        Returns
        -------
        ndarray of int, shape (n_atoms,)
        """
        contacts = np.zeros(len(self._graph), dtype=np.int64)
        contacts[self._own_polar] = count_within(self._graph.xyz[self._own_polar], self._around[self._is_polar], within)
        return contacts

    def _shares(self, levels: LevelArray, count: int) -> list[dict[str, float]]:
        """Return the free share of each direction's points or rays by context; NaN if a context is not defined."""
        shares = np.full((len(levels), len(self._contexts)), np.nan)
        for level in range(len(self._defined)):
            shares[:, level] = np.count_nonzero(levels > level, axis=1) / count
        return [dict(zip(self._contexts, row, strict=True)) for row in shares.tolist()]


def _most_open(shares: FloatArray, owner: IntArray, most: int) -> IntArray:
    """Return the indices of the largest fractions of each candidate, the first of equal ones first, by candidate."""
    order = np.lexsort((-shares, owner))
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return order[rank < most]
