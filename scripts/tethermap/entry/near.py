"""Search for atoms near a few others, with a sorted axis instead of all pairs."""

from functools import cached_property

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray


class NearAtoms:
    """Atoms sorted along x, so that a box around a ligand is a short slice of them.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    members : ndarray of int, shape (n_members,)
        Indices of the atoms to look among, ascending.
    """

    def __init__(self, xyz: FloatArray, members: IntArray) -> None:
        self.members = members
        self.index = members[np.argsort(xyz[members, 0])]
        self._xyz = xyz

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def _columns(self) -> FloatArray:
        """The coordinates of each axis, shape (3, n_members)."""
        return np.ascontiguousarray(self._xyz[self.index].T, dtype=np.float64)

    def within(self, xyz: FloatArray, cutoff: float) -> tuple[IntArray, FloatArray]:
        """Return the atoms within a cut-off of any of the points.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_points, 3)
            The points, in angstroms.
        cutoff : float
            In angstroms.

        Returns
        -------
        index : ndarray of int, shape (n_found,)
            Indices of the atoms, ascending.
        distance : ndarray of float, shape (n_found, n_points)
            Distance of each found atom to each point.
        """
        index, _ = self.nearest(xyz, cutoff)
        return index, distances(self._xyz[index], xyz)

    def nearest(self, xyz: FloatArray, cutoff: float) -> tuple[IntArray, FloatArray]:
        """Return the atoms within a cut-off of any of the points, and their distances to the nearest point.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_points, 3)
            The points, in angstroms; at least one.
        cutoff : float
            In angstroms.

        Returns
        -------
        index : ndarray of int, shape (n_found,)
            Indices of the atoms, ascending.
        distance : ndarray of float, shape (n_found,)
            In angstroms.
        """
        low, high = box_around(xyz)
        low, high = low - cutoff, high + cutoff
        x, y, z = self._columns
        begin, end = np.searchsorted(x, (low[0], high[0]))
        y, z = y[begin:end], z[begin:end]
        inside = (y >= low[1]) & (y <= high[1]) & (z >= low[2]) & (z <= high[2])
        positions: IntArray = begin + np.flatnonzero(inside)
        if not len(positions):  # the usual case
            return positions, np.zeros(0)
        # Points are rows: NumPy reduces few long rows several times as fast as many short ones.
        distance = np.sqrt(squared_distances(xyz, self._columns[:, positions].T).min(axis=0))
        near = distance < cutoff
        index, distance = self.index[positions[near]], distance[near]
        order = np.argsort(index)
        return index[order], distance[order]


def count_within(points: FloatArray, xyz: FloatArray, cutoff: float) -> IntArray:
    """Return the number of atoms nearer to each point than a cut-off.

    Parameters
    ----------
    points, xyz : ndarray of float, shapes (n, 3) and (n_atoms, 3)
        Points and atoms, in angstroms.
    cutoff : float
        In angstroms.

    Returns
    -------
    ndarray of int, shape (n,)

    >>> count_within(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), 2.0).tolist()
    [1]
    """
    counts: IntArray = np.count_nonzero(squared_distances(points, xyz) < cutoff**2, axis=1)
    return counts


def box_around(xyz: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest coordinates of the points, each of shape (3,).

    >>> [corner.tolist() for corner in box_around(np.array([[1.0, 2.0, 3.0], [0.0, 5.0, 4.0]]))]
    [[0.0, 2.0, 3.0], [1.0, 5.0, 4.0]]
    """
    columns = np.ascontiguousarray(xyz.T)  # NumPy is thirty times slower along the columns of many rows
    return columns.min(axis=1), columns.max(axis=1)


def distances(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return all distances between two sets of points.

    Parameters
    ----------
    first, second : ndarray of float, shapes (n, 3) and (m, 3)
        In angstroms.

    Returns
    -------
    ndarray of float, shape (n, m)
    """
    squared = squared_distances(first, second)
    return np.sqrt(squared, out=squared)


def squared_distances(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the squares of all distances between two sets of points in space or in a plane, for `distances`."""
    axes = zip(first.T, np.ascontiguousarray(second.T), strict=True)  # a small table per axis
    squared: FloatArray = np.subtract.outer(*next(axes))
    squared *= squared
    along = np.empty_like(squared)
    for axis in axes:
        np.subtract.outer(*axis, out=along)
        along *= along
        squared += along
    return squared
