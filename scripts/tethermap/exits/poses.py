"""The directions of a candidate, in all torsions of its group that are free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray, IntArray
from tethermap.entry.near import squared_distances
from tethermap.exits.candidates import Candidate, frames_of, rotations
from tethermap.exits.graph import LigandGraph

CLASH, POLAR_CLASH = 2.6, 2.4
"""Least distances of rotated atoms from others in a free torsion, in angstroms: for any pair, and for N and O."""

NEAR_ANCHOR = 6.0
"""Atoms that rotate with an anchor are nearer to it than this, in angstroms: four bonds."""

_TINY = 1e-6


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


class Poser:
    """A ligand in its surroundings that generates the poses of candidates.

    Parameters
    ----------
    around : ndarray of float, shape (n_around, 3)
        The atoms around it, in angstroms.
    polar : ndarray of bool, shape (n_around,)
        Whether each of them is N or O.
    """

    def __init__(self, graph: LigandGraph, around: FloatArray, polar: BoolArray) -> None:
        self._graph = graph
        self._around = around
        self._polar = polar
        self._own_polar: BoolArray = np.array([element in ("N", "O") for element in graph.element], dtype=bool)

    def poses(self, candidate: Candidate) -> Poses:
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
        polar = np.concatenate([self._own_polar[own], self._polar[near]])
        limits = np.where(self._own_polar[list(group)][:, None] & polar, POLAR_CLASH, CLASH)
        apart = squared_distances(places.reshape(-1, 3), others).reshape(*places.shape[:2], -1)
        free[1:] = (apart[1:] > limits**2).all(axis=(1, 2))
        return free
