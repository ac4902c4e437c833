"""Small rings of a graph, and which of them are flat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tethermap.base.arrays import FloatArray

FLAT, NEARLY_FLAT = 0.10, 0.22
"""Largest distance in angstroms of a ring atom from the ring's plane."""

SHORT_BOND = 1.45
"""Mean bond length in angstroms up to which a nearly flat ring counts as flat."""


def small_rings(near: Sequence[Sequence[int]], largest: int = 6) -> set[tuple[int, ...]]:
    """Return the cycles of 5 to `largest` atoms, each as its path from the lowest atom on.

    Parameters
    ----------
    near : sequence of sequence of int
        Neighbours of each atom.
    largest : int
        Longest cycle that is looked for.

    >>> small_rings([[1, 5], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]])
    {(0, 1, 2, 3, 4, 5)}
    """
    rings: set[tuple[int, ...]] = set()

    def walk(path: list[int]) -> None:
        for other in near[path[-1]]:
            if other == path[0] and len(path) >= 5 and path[1] < path[-1]:
                rings.add(tuple(path))
            elif other > path[0] and other not in path and len(path) < largest:
                walk([*path, other])

    for start in range(len(near)):
        walk([start])
    return rings


def flat_rings(xyz: FloatArray, near: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the flat rings of five or six atoms.

    A ring that is less flat counts as well when its bonds are as short as aromatic ones.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    near : sequence of sequence of int
        Neighbours of each atom.
    """
    flat = []
    for ring in sorted(small_rings(near)):
        points = xyz[list(ring)]
        centred = points - points.mean(axis=0)
        normal = np.linalg.svd(centred)[2][2]
        height = float(np.abs(centred @ normal).max())
        mean_bond = float(np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).mean())
        if height <= FLAT or (height <= NEARLY_FLAT and mean_bond <= SHORT_BOND):
            flat.append(ring)
    return flat
