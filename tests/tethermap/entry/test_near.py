"""The search for near atoms against all distances."""

import numpy as np
import pytest

from tethermap.entry.near import NearAtoms, count_within, distances


@pytest.mark.parametrize("cutoff", [0.5, 6.0, 100.0])
def test_nearest_atoms_and_their_distances_are_those_of_all_pairs(cutoff: float) -> None:
    chance = np.random.default_rng(1)
    xyz, points = chance.normal(scale=9.0, size=(400, 3)), chance.normal(scale=2.0, size=(25, 3))
    members = np.sort(chance.permutation(400)[:300])
    expected = distances(xyz[members], points).min(axis=1)
    index, distance = NearAtoms(xyz, members).nearest(points, cutoff)
    assert index.tolist() == members[expected < cutoff].tolist()
    assert distance.tolist() == expected[expected < cutoff].tolist()


def test_atom_at_the_cut_off_is_not_near() -> None:
    atoms = NearAtoms(np.array([[0.0, 0.0, 4.0], [3.0, 0.0, 0.0]]), np.arange(2))
    assert atoms.nearest(np.zeros((1, 3)), 4.0)[0].tolist() == [1]


def test_empty_set_of_atoms_has_no_neighbours() -> None:
    index, distance = NearAtoms(np.zeros((5, 3)), np.zeros(0, dtype=np.int64)).nearest(np.zeros((1, 3)), 4.0)
    assert len(index) == len(distance) == 0


def test_distances_are_those_in_space_and_in_a_plane() -> None:
    points = np.random.default_rng(3).normal(size=(7, 3))
    for some in (points, points[:, :2]):
        assert np.allclose(distances(some, some[:4]), np.linalg.norm(some[:, None] - some[:4], axis=2))


def test_atoms_within_a_cutoff_are_counted() -> None:
    chance = np.random.default_rng(2)
    points, xyz = chance.normal(scale=9.0, size=(20, 3)), chance.normal(scale=9.0, size=(400, 3))
    apart = np.linalg.norm(points[:, None] - xyz, axis=2)
    assert count_within(points, xyz, 8.0).tolist() == np.count_nonzero(apart < 8.0, axis=1).tolist()
    assert count_within(points, np.zeros((0, 3)), 8.0).tolist() == [0] * len(points)
