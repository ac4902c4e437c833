"""The wider set of atoms that exits are searched in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.lib.exits.geometry import REACH
from scripts.lib.molecule.components import ComponentIndex
from tests.tools.cleaning import CleanedSample, brute_force_assembly, clean_samples


@pytest.fixture(scope="module")
def samples(archive: Path, component_index: Path) -> list[CleanedSample]:
    return clean_samples(archive, ComponentIndex(component_index).get, most_atoms=10_000)


def test_surroundings_hold_the_neighbourhood_in_the_same_contexts(samples: list[CleanedSample]) -> None:
    assert samples
    for sample in samples:
        near, far = sample.kept.neighbourhood, sample.kept.surroundings
        assert far.largest == near.largest
        assert len(far) > 2 * len(near)
        apart = np.linalg.norm(near.xyz[:, None] - far.xyz[None], axis=2)
        same = apart.argmin(axis=1)
        assert apart.min(axis=1).max() < 1e-4
        assert far.context[same].tolist() == near.context.tolist()
        assert far.element[same].tolist() == near.element.tolist()


def test_surroundings_are_all_atoms_of_the_assembly_that_can_stop_a_linker(samples: list[CleanedSample]) -> None:
    compared = 0
    for sample in samples:
        whole = brute_force_assembly(sample)
        if whole is None:
            continue
        distance = np.linalg.norm(whole.xyz[:, None] - sample.xyz[None], axis=2).min(axis=1)
        around = sample.kept.surroundings
        assert int((around.context < 3).sum()) == int((distance < REACH).sum())
        compared += 1
    assert compared
