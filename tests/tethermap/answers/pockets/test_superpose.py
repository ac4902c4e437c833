"""Superposition compared with Biopython's, and the count of pairs that don't fit."""

import numpy as np
import pytest
from Bio.SVDSuperimposer import SVDSuperimposer
from scipy.spatial.transform import Rotation

from tethermap.answers.pockets.limits import FEWEST_PAIRS, POCKET_RADIUS
from tethermap.answers.pockets.superpose import pocket, superpose
from tethermap.base.arrays import FloatArray


def points(count: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).uniform(-12, 12, (count, 3))


def moved(xyz: FloatArray, seed: int) -> FloatArray:
    turn = Rotation.random(random_state=seed).as_matrix()
    there: FloatArray = xyz @ turn.T + np.array([40.0, -25.0, 7.0])
    return there


@pytest.mark.parametrize("seed", range(5))
def test_motion_and_rmsd_are_those_of_another_method(seed: int) -> None:
    fixed = points(30, seed)
    moving = moved(fixed, seed) + np.random.default_rng(seed + 9).normal(0, 0.3, (30, 3))
    ours = superpose(fixed, moving)
    other = SVDSuperimposer()
    other.set(fixed, moving)
    other.run()
    rotation, translation = other.get_rotran()
    assert (ours.n_pairs, ours.n_used, ours.reason) == (30, 30, "")
    assert ours.rotation == pytest.approx(rotation.T, abs=1e-6)
    assert ours.translation == pytest.approx(translation, abs=1e-5)
    assert ours.rmsd == pytest.approx(other.get_rms(), abs=1e-6)
    assert ours.rmsd_all == ours.rmsd
    assert ours.apply(moving) == pytest.approx(other.get_transformed(), abs=1e-5)


def test_rotation_never_mirrors() -> None:
    fixed = points(20, 1)
    assert np.linalg.det(superpose(fixed, fixed * np.array([1, 1, -1])).rotation) == pytest.approx(1.0)


def test_moved_loop_is_left_out_of_the_fit_and_counted() -> None:
    fixed = points(40, 2)
    moving = fixed.copy()
    moving[:6] += [6.0, 0.0, 0.0]
    found = superpose(fixed, moved(moving, 3))
    assert (found.n_pairs, found.n_used, found.reason) == (40, 34, "")
    assert found.rmsd == pytest.approx(0.0, abs=1e-4)
    assert found.rmsd_all == pytest.approx(6.0 * np.sqrt(6 / 40), abs=1e-3)


def test_pocket_of_another_shape_is_left_out_with_its_reason() -> None:
    found = superpose(points(30, 4), points(30, 5))
    assert found.reason == "poor_fit"
    assert found.rmsd > 1.5


def test_too_few_pairs_are_left_out_with_their_reason() -> None:
    few = points(FEWEST_PAIRS - 1, 6)
    assert superpose(few, few).reason == "too_few_matched"
    assert superpose(points(FEWEST_PAIRS, 6), points(FEWEST_PAIRS, 6)).reason == ""


def test_pocket_is_the_residues_within_its_radius() -> None:
    alpha = np.array([[POCKET_RADIUS - 0.1, 0, 0], [POCKET_RADIUS + 0.1, 0, 0], [0, 0, 3.0]])
    assert pocket(alpha, np.zeros((1, 3))).tolist() == [0, 2]
    assert pocket(np.zeros((0, 3)), np.zeros((1, 3))).tolist() == []
