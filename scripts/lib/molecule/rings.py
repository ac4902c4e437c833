"""Small rings of a graph, and which of them are flat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scripts.lib.instance.model import FloatArray

FLAT_RING = 0.12
"""Largest distance in angstroms of a ring atom from the ring's plane for it to be flat."""


def small_rings(near: Sequence[Sequence[int]], largest: int = 6) -> set[tuple[int, ...]]:
    """Return the cycles of 5 to `largest` atoms, each as its path from the lowest atom on.

    Parameters
    ----------
    near : sequence of sequence of int
        Neighbours of each atom.
    largest : int
        Longest cycle that is looked for.
    """
    found: set[tuple[int, ...]] = set()

    def walk(path: list[int]) -> None:
        for other in near[path[-1]]:
            if other == path[0] and len(path) >= 5 and path[1] < path[-1]:
                found.add(tuple(path))
            elif other > path[0] and other not in path and len(path) < largest:
                walk([*path, other])

    for start in range(len(near)):
        walk([start])
    return found


def planar_rings(xyz: FloatArray, near: Sequence[Sequence[int]]) -> set[int]:
    """Return the atoms of flat rings of five or six.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    near : sequence of sequence of int
        Neighbours of each atom.
    """
    members: set[int] = set()
    for ring in small_rings(near):
        centred = xyz[list(ring)] - xyz[list(ring)].mean(axis=0)
        normal = np.linalg.svd(centred)[2][2]
        if float(np.abs(centred @ normal).max()) <= FLAT_RING:
            members.update(ring)
    return members
