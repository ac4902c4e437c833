"""The wider set of atoms that exits are searched in."""

from pathlib import Path

import numpy as np
import pytest

from tests.tools.cleaning import Find, brute_force_assembly, clean_file, clean_sample
from tethermap.base.arrays import as_text
from tethermap.complex.clean import KeptInstance
from tethermap.entry.reader import Entry
from tethermap.exits.geometry import REACH

Cleaned = list[tuple[Entry, KeptInstance]]


@pytest.fixture(scope="module")
def cleaned(archive: Path, find: Find) -> Cleaned:
    files = [clean_file(path, find) for path in sorted(archive.glob("*.gz"))]
    return [(entry, kept) for entry, result in files for kept in result.kept[:2]]


def test_surroundings_have_the_neighbourhood_in_the_same_contexts(cleaned: Cleaned) -> None:
    assert cleaned
    for _, kept in cleaned:
        near, far = kept.neighbourhood, kept.surroundings
        assert far.largest == near.largest
        assert len(far.element) > 2 * len(near.element)
        apart = np.linalg.norm(near.xyz[:, None] - far.xyz[None], axis=2)
        same = apart.argmin(axis=1)
        assert apart.min(axis=1).max() < 1e-4
        assert far.context[same].tolist() == near.context.tolist()
        assert as_text(far.element[same]).tolist() == near.element.tolist()


def test_surroundings_are_all_atoms_of_the_assembly_that_can_stop_a_linker(cleaned: Cleaned) -> None:
    samples = [(entry, clean_sample(kept), kept.surroundings) for entry, kept in cleaned]
    compared = [(s.xyz, whole, around) for e, s, around in samples if (whole := brute_force_assembly(e, s))]
    assert compared
    for ligand, atoms, around in compared:
        polymers = np.array([place.tolist() for place, _, _ in atoms])
        distance = np.linalg.norm(polymers[:, None] - ligand[None], axis=2).min(axis=1)
        assert int((around.context < 3).sum()) == int((distance < REACH).sum())
