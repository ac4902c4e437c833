"""Areas against closed formulae, another algorithm, and the whole structure."""

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
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.exposure.method import ENGINES as ENGINE_NAMES, FREESASA
from tethermap.exposure.sasa import Exposure, Sasa
from tethermap.instance.model import Neighbourhood

METHOD = Sasa(probe_radius=1.4, slices=100)
ENGINES = pytest.mark.parametrize("method", [Sasa(1.4, 100, engine) for engine in ENGINE_NAMES], ids=ENGINE_NAMES)


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
    again = Sasa(1.4, 100, FREESASA).exposure(ligand, np.full(6, 1.88), neighbourhood, np.full(10, 1.64))
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
    assert np.array_equal(exposure.buried, [1.0, np.nan], equal_nan=True)


def test_neighbourhood_gives_the_areas_of_the_whole_complex_in_the_archive(samples: list[Sample], find: Find) -> None:
    assert len(samples) == 4
    for sample in samples:
        whole = cleaning.read_cleaned(sample)
        assert whole is not None
        assert cleaning.largest_difference(sample, "target", whole, find) < 1e-9, sample.instance.stem


def test_areas_are_those_of_freesasa_in_the_archive(samples: list[Sample], find: Find) -> None:
    assert cleaning.differ_from_freesasa(samples, find) == []
