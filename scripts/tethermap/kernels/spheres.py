"""Spheres in nested sets: the open surface of each, of points around a place, and of rays from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import BoolArray, FloatArray
from tethermap.kernels.library import call

LevelArray = npt.NDArray[np.int8]

_MOST_LEVELS = int(np.iinfo(np.int8).max)


def _laid_out(values: npt.ArrayLike, dtype: type, *shape: int) -> np.ndarray:
    """Return values as contiguous arrays of one type, with the last axes of a given shape."""
    return np.ascontiguousarray(values, dtype).reshape(-1, *shape)


class Grid(NamedTuple):
    """Points around some places, each turned into the frame of its place.

    Parameters
    ----------
    places : ndarray of float, shape (n, 3)
        In angstroms.
    frames : ndarray of float, shape (n, 3, 3)
        Axes as rows.
    points : ndarray of float, shape (n_points, 3)
        Of unit length, in the frame.
    ignored : ndarray of bool, shape (n, n_atoms), optional
        Atoms to ignore for a place; None to use all.
    """

    places: FloatArray
    frames: FloatArray
    points: FloatArray
    ignored: BoolArray | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Spheres:
    """Atoms in nested sets: those of level 0, then those of levels 0 and 1, and so on.

    Parameters
    ----------
    xyz : ndarray of float64, shape (n_atoms, 3)
        In angstroms.
    radii : ndarray of float64, shape (n_atoms,)
        Radii in angstroms, each plus the radius of the moving sphere.
    level : ndarray of int, shape (n_atoms,)
        The smallest set that contains each atom.
    n_levels : int
        Number of sets; some may add nothing.
    """

    xyz: FloatArray
    radii: FloatArray
    level: npt.NDArray[np.integer[Any]]
    n_levels: int

    def __post_init__(self) -> None:
        if not len(self.xyz) == len(self.radii) == len(self.level):
            raise ValueError("each atom has a place, a radius and a level")
        if len(self.level) and not 0 <= self.level.min() <= self.level.max() < self.n_levels <= _MOST_LEVELS:
            raise ValueError(f"levels must be between 0 and {self.n_levels - 1}")
        for name, dtype, shape in (("xyz", np.float64, (3,)), ("radii", np.float64, ()), ("level", np.int8, ())):
            object.__setattr__(self, name, _laid_out(getattr(self, name), dtype, *shape))

    def __len__(self) -> int:
        return len(self.radii)

    def _as_arguments(self) -> tuple[int, FloatArray, FloatArray, np.ndarray]:
        return len(self), self.xyz, self.radii, self.level

    def areas(self, count: int, slices: int) -> FloatArray:
        """Return the surface that the spheres of each set leave open on the first of them.

        Lee & Richards 1971 (doi:10.1016/0022-2836(71)90324-X), along z. If spheres coincide, the largest (then the
        first) gets the surface.

        Parameters
        ----------
        count : int
            Number of leading spheres.
        slices : int
            Slices of each sphere.

        Returns
        -------
        ndarray of float, shape (n_levels, count)
            In square angstroms; never more in a larger set.

        >>> alone = Spheres(np.zeros((1, 3)), np.ones(1), np.zeros(1, dtype=np.int8), n_levels=1)
        >>> alone.areas(1, slices=100).round(3).tolist()
        [[12.566]]
        """
        if not 0 <= count <= len(self):
            raise ValueError(f"there are {len(self)} spheres, not {count}")
        areas = np.zeros((self.n_levels, count))
        call("lee_richards", count, *self._as_arguments(), self.n_levels, slices, areas)
        return areas

    def covered(self, grid: Grid, radius: float) -> LevelArray:
        """Return the first set that covers each point of a sphere around each place of a grid.

        Parameters
        ----------
        grid : Grid
            Its points are those of the unit sphere.
        radius : float
            Of the sphere, in angstroms.

        Returns
        -------
        ndarray of int8, shape (n, n_points)
            `n_levels` if no atom covers the point.
        """
        covered = np.empty((len(grid.places), len(grid.points)), dtype=np.int8)
        self._call_with("covered_points", grid, radius, results=(covered,))
        return covered

    def ray_lengths(self, grid: Grid, half_angle: float, begin: float, end: float) -> tuple[FloatArray, LevelArray]:
        """Return the path of a point along each ray from each place of a grid.

        Parameters
        ----------
        grid : Grid
            Its points are the rays, of unit length.
        half_angle : float
            Largest angle between a ray and the third axis, in radians.
        begin, end : float
            Start and end of the path on a ray, in angstroms from the place.

        Returns
        -------
        lengths : ndarray of float, shape (n, n_points)
            Path until the spheres of level 0 stop it, in angstroms: 0 if it can't start, infinite if nothing stops it.
        stopped : ndarray of int8, shape (n, n_points)
            First set that stops it, `n_levels` if none does.
        """
        lengths = np.empty((len(grid.places), len(grid.points)))
        stopped = np.empty(lengths.shape, dtype=np.int8)
        self._call_with("ray_lengths", grid, half_angle, begin, end, results=(lengths, stopped))
        return lengths, stopped

    def _call_with(self, function: str, grid: Grid, *numbers: float, results: Sequence[np.ndarray]) -> None:
        """Call a compiled loop over the places of a grid.

        Raises
        ------
        ValueError
            If not each place has a frame and a mask of all atoms.
        """
        shapes = ((grid.places, (3,)), (grid.frames, (3, 3)), (grid.points, (3,)))
        places, frames, points = (_laid_out(values, np.float64, *shape) for values, shape in shapes)
        if len(frames) != len(places) or (grid.ignored is not None and grid.ignored.shape != (len(places), len(self))):
            raise ValueError("each place has a frame and a mask of all atoms")
        mask = None if grid.ignored is None else _laid_out(grid.ignored, np.uint8, len(self))
        around = len(places), places, frames, len(points), points
        call(function, *around, *numbers, *self._as_arguments(), mask, self.n_levels, *results)
