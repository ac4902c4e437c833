"""The compiled loops compared with NumPy."""

import numpy as np
import pytest

from tethermap.base.arrays import FloatArray
from tethermap.kernels.spheres import Grid, LevelArray, Spheres

N_LEVELS = 3


@pytest.fixture
def spheres() -> Spheres:
    """Return spheres in a box wider than the distance within which places share a neighbour search."""
    rng = np.random.default_rng(5)
    return Spheres(rng.uniform(-9, 9, (120, 3)), rng.uniform(1.5, 3.0, 120), rng.integers(0, N_LEVELS, 120), N_LEVELS)


@pytest.fixture
def grid() -> Grid:
    """Return points around places near to and far from each other, with atoms that some of them ignore."""
    rng = np.random.default_rng(6)
    places = np.concatenate([rng.uniform(-1, 1, (6, 3)), rng.uniform(-9, 9, (6, 3))])
    frames = np.array([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in places])
    points = rng.normal(size=(200, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Grid(places, frames, points, rng.random((len(places), 120)) < 0.1)


def directions(grid: Grid) -> FloatArray:
    """Return the points of a grid as seen from each of its places."""
    turned: FloatArray = np.einsum("pk,nkj->npj", grid.points, grid.frames)
    return turned


def first_levels(hit: np.ndarray, spheres: Spheres, grid: Grid) -> LevelArray:
    """Return the lowest level of the atoms that hit each point, of those that its place does not ignore."""
    assert grid.ignored is not None
    levels = np.where(hit & ~grid.ignored[:, None], spheres.level, N_LEVELS)
    lowest: LevelArray = levels.min(axis=2)
    return lowest


def test_points_are_covered_according_to_distances(spheres: Spheres, grid: Grid) -> None:
    points = grid.places[:, None] + 3.1 * directions(grid)
    hit = np.linalg.norm(points[:, :, None] - spheres.xyz, axis=3) <= spheres.radii
    assert (spheres.covered(grid, 3.1) == first_levels(hit, spheres, grid)).all()


@pytest.mark.parametrize("half_angle", [np.pi, 2.0, 1.0, 0.3])
def test_rays_are_stopped_where_they_meet_a_sphere(spheres: Spheres, grid: Grid, half_angle: float) -> None:
    rays, begin, end = directions(grid), 0.5, 10.0
    assert grid.ignored is not None
    away = spheres.xyz - grid.places[:, None]
    along = np.einsum("npj,naj->npa", rays, away)
    inside = along**2 - ((away**2).sum(axis=2) - spheres.radii**2)[:, None]
    half = np.sqrt(np.maximum(inside, 0))
    hit = (inside > 0) & (along + half > begin) & (along - half < end)
    nearest = np.where(along - half > begin, along - half, 0.0)
    nearest = np.where(hit & ~grid.ignored[:, None] & (spheres.level == 0), nearest, np.inf).min(axis=2)
    within = grid.points[:, 2] >= np.cos(half_angle)
    assert within.any()
    lengths, stopped = (values[:, within] for values in spheres.ray_lengths(grid, half_angle, begin, end))
    assert (stopped == first_levels(hit, spheres, grid)[:, within]).all()
    assert lengths.ravel().tolist() == pytest.approx(nearest[:, within].ravel().tolist())


def test_areas_do_not_depend_on_the_order_of_the_atoms_around(spheres: Spheres) -> None:
    order = np.concatenate([[0], np.random.default_rng(7).permutation(np.arange(1, len(spheres)))])
    other = Spheres(spheres.xyz[order], spheres.radii[order], spheres.level[order], N_LEVELS)
    assert (spheres.areas(1, 100) == other.areas(1, 100)).all()
