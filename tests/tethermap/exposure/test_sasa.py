"""Areas against closed formulae, another algorithm, and the whole structure; atoms far apart, or in one place."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.tools import cleaning
from tests.tools.cleaning import Find, Sample, clean_file, clean_sample
from tests.tools.ligands import small_neighbourhood
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.exposure.method import ENGINES as ENGINE_NAMES, FREESASA
from tethermap.exposure.sasa import Exposure, Sasa
from tethermap.instance.model import Neighbourhood

METHOD, BY_FREESASA = Sasa(1.4, 100), Sasa(1.4, 100, FREESASA)
ENGINES = pytest.mark.parametrize("method", [METHOD, BY_FREESASA], ids=ENGINE_NAMES)


@pytest.fixture(scope="module")
def samples(archive: Path, find: Find) -> list[Sample]:
    return [clean_sample(kept) for path in sorted(archive.glob("*.gz")) for kept in clean_file(path, find)[1].kept]


@ENGINES
def test_single_sphere_has_the_area_of_a_sphere(method: Sasa) -> None:
    area = method.areas(np.zeros((1, 3)), np.array([1.88]), 1)
    assert area[0] == pytest.approx(4 * math.pi * (1.88 + 1.4) ** 2, rel=1e-3)


@ENGINES
@pytest.mark.parametrize(("distance", "first", "second"), [(1.5, 1.88, 1.61), (3.0, 1.64, 1.42), (4.5, 1.88, 1.88)])
def test_two_spheres_lose_the_caps_of_the_formula(method: Sasa, distance: float, first: float, second: float) -> None:
    """Area of a sphere less its cap: 2 pi R (R + (d^2 + R^2 - r^2) / 2d)."""
    big, small = first + 1.4, second + 1.4
    expected = 2 * math.pi * big * (big + (distance**2 + big**2 - small**2) / (2 * distance))
    areas = method.areas(np.array([[0.0, 0, 0], [0, distance, 0]]), np.array([first, second]), 1)
    assert areas[0] == pytest.approx(expected, rel=1e-3)


@given(distance=st.floats(min_value=6.6, max_value=50))
def test_spheres_that_do_not_touch_keep_their_areas(distance: float) -> None:
    xyz = np.array([[0.0, 0, 0], [distance, 0, 0]])
    assert METHOD.areas(xyz, np.array([1.88, 1.88]), 1)[0] == pytest.approx(4 * math.pi * 3.28**2, rel=1e-3)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(2, 9))
def test_larger_context_never_exposes_an_atom(seed: int, spread: float) -> None:
    random = np.random.default_rng(seed)
    ligand, around = random.normal(0, 2, (6, 3)), random.normal(0, spread, (10, 3))
    levels = random.integers(0, len(CONTEXTS), 10)
    names = np.array(["C"] * 10)
    neighbourhood = Neighbourhood(around, names, names, names, names, names, names, levels, largest=3)
    exposure = METHOD.exposure(ligand, np.full(6, 1.88), neighbourhood, np.full(10, 1.64))
    again = BY_FREESASA.exposure(ligand, np.full(6, 1.88), neighbourhood, np.full(10, 1.64))
    assert np.allclose(exposure.free, again.free, rtol=0, atol=1e-9)
    assert all(np.allclose(exposure.bound[name], again.bound[name], rtol=0, atol=1e-9) for name in CONTEXTS)
    ordered = [exposure.free, *(exposure.bound[context] for context in CONTEXTS)]
    for wider, narrower in pairwise(ordered):
        assert (narrower <= wider).all()


def test_ligand_without_neighbours_keeps_its_whole_surface() -> None:
    xyz = np.array([[0.0, 0, 0], [1.5, 0, 0]])
    exposure = METHOD.exposure(xyz, np.array([1.88, 1.88]), small_neighbourhood(), np.zeros(0))
    assert np.array_equal(exposure.headline, exposure.free)
    assert exposure.relative == pytest.approx(1.0)


def test_undefined_context_has_no_areas() -> None:
    nmr = replace(small_neighbourhood(), largest=2)
    exposure = METHOD.exposure(np.zeros((1, 3)), np.array([1.88]), nmr, np.zeros(0))
    assert np.isnan(exposure.bound["crystal"]).all()
    assert not np.isnan(exposure.bound["assembly"]).any()


def test_atom_under_the_protein_is_buried_and_one_without_surface_has_no_share() -> None:
    exposure = Exposure(np.array([20.0, 0.0]), {HEADLINE_CONTEXT: np.zeros(2)})
    assert np.array_equal(exposure.relative, [0.0, np.nan], equal_nan=True)


def test_neighbourhood_gives_the_areas_of_the_whole_complex_in_the_archive(samples: list[Sample], find: Find) -> None:
    assert len(samples) == 4
    for sample in samples:
        whole = cleaning.read_cleaned(sample)
        assert whole is not None
        assert cleaning.largest_difference(sample, "target", whole, find) < 1e-9, sample.instance.stem


def test_areas_are_those_of_freesasa_in_the_archive(samples: list[Sample], find: Find) -> None:
    assert cleaning.differ_from_freesasa(samples, find) == []


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
    assert np.array_equal(METHOD.areas(far, radii, 12), METHOD.areas(xyz, radii, 12))


def test_atoms_in_one_place_have_the_area_of_one() -> None:
    xyz, radii = scattered()
    doubled = np.concatenate([xyz, xyz[:3]]), np.concatenate([radii, radii[:3]]), 27
    assert np.array_equal(METHOD.areas(*doubled), [*BY_FREESASA.areas(xyz, radii, 24), 0.0, 0.0, 0.0])
    assert np.array_equal(METHOD.areas(*doubled), BY_FREESASA.areas(*doubled))


def test_of_atoms_in_one_place_the_largest_has_the_area() -> None:
    xyz, radii = scattered()
    doubled = np.concatenate([xyz, xyz[:1]]), np.append(radii, 2.5), 25
    areas = METHOD.areas(*doubled)
    assert np.array_equal(areas, BY_FREESASA.areas(*doubled))
    radii[0] = 2.5
    assert np.array_equal(areas, [0.0, *(alone := BY_FREESASA.areas(xyz, radii, 24))[1:], alone[0]])


def test_atoms_above_each_other_share_what_is_between_them() -> None:
    """Their circles coincide in the slice halfway, whose area only one of them may have."""
    areas = METHOD.areas(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.5]]), np.full(2, 1.88), 2)
    assert areas[0] - areas[1] in (0.0, 4 * np.pi * 3.28**2 / 100)
    assert METHOD.areas(np.zeros((0, 3)), np.zeros(0), 0).shape == (0,)
