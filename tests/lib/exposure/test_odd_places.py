"""Areas of atoms where no structure has them: far apart, or in one place."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.lib.exposure.sasa import Sasa, gathered
from scripts.lib.instance.model import FloatArray

SASA = Sasa(1.4, 100)


def scattered() -> tuple[FloatArray, FloatArray]:
    """Return two clusters of atoms and their radii."""
    chance = np.random.default_rng(7)
    xyz = chance.uniform(0.0, 8.0, (24, 3))
    xyz[12:] += (0.0, 60.0, -90.0)
    return xyz, chance.uniform(1.4, 2.0, 24)


def test_atoms_moved_together_over_a_gap_keep_their_areas() -> None:
    xyz, radii = scattered()
    moved = gathered(xyz, 2 * (2.0 + 1.4))
    assert np.ptp(moved, axis=0).max() < 35.0
    assert SASA.areas(moved, radii, 24) == pytest.approx(SASA.areas(xyz, radii, 24), abs=1e-6)


def test_an_atom_thousands_of_angstroms_away_costs_nothing() -> None:
    xyz, radii = scattered()
    far = xyz.copy()
    far[12:] += (9_000.0, 0.0, 9_000.0)
    assert SASA.areas(far, radii, 24) == pytest.approx(SASA.areas(xyz, radii, 24), abs=1e-6)


def test_atoms_in_one_place_have_the_area_of_one() -> None:
    xyz, radii = scattered()
    doubled = np.concatenate([xyz, xyz[:3]])
    areas = SASA.areas(doubled, np.concatenate([radii, radii[:3]]), 27)
    assert areas[:24] == pytest.approx(SASA.areas(xyz, radii, 24), abs=1e-6)
    assert areas[24:].tolist() == [0.0, 0.0, 0.0]
