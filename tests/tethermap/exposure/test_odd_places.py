"""Areas of atoms where no structure has them: far apart, or in one place."""

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.exposure.method import FREESASA
from tethermap.exposure.sasa import Sasa

SASA, BY_FREESASA = Sasa(1.4, 100), Sasa(1.4, 100, FREESASA)


def scattered() -> tuple[FloatArray, FloatArray]:
    """Return two clusters of atoms and their radii."""
    chance = np.random.default_rng(7)
    xyz = chance.uniform(0.0, 8.0, (24, 3))
    xyz[12:] += (0.0, 60.0, -90.0)
    return xyz, chance.uniform(1.4, 2.0, 24)


def test_an_atom_thousands_of_angstroms_away_changes_nothing() -> None:
    xyz, radii = scattered()
    far = xyz.copy()
    far[12:] += (9_000.0, 0.0, 9_000.0)
    assert np.array_equal(SASA.areas(far, radii, 12), SASA.areas(xyz, radii, 12))


def test_atoms_in_one_place_have_the_area_of_one() -> None:
    xyz, radii = scattered()
    doubled = np.concatenate([xyz, xyz[:3]]), np.concatenate([radii, radii[:3]]), 27
    assert np.array_equal(SASA.areas(*doubled), [*BY_FREESASA.areas(xyz, radii, 24), 0.0, 0.0, 0.0])
    assert np.array_equal(SASA.areas(*doubled), BY_FREESASA.areas(*doubled))


def test_of_atoms_in_one_place_the_largest_has_the_area() -> None:
    xyz, radii = scattered()
    doubled = np.concatenate([xyz, xyz[:1]]), np.append(radii, 2.5), 25
    areas = SASA.areas(*doubled)
    assert np.array_equal(areas, BY_FREESASA.areas(*doubled))
    radii[0] = 2.5
    assert np.array_equal(areas, [0.0, *(alone := BY_FREESASA.areas(xyz, radii, 24))[1:], alone[0]])


def test_atoms_above_each_other_share_what_is_between_them() -> None:
    """Their circles coincide in the slice halfway, whose area only one of them may have."""
    areas = SASA.areas(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.5]]), np.full(2, 1.88), 2)
    assert areas[0] - areas[1] in (0.0, 4 * np.pi * 3.28**2 / 100)
    assert SASA.areas(np.zeros((0, 3)), np.zeros(0), 0).shape == (0,)
