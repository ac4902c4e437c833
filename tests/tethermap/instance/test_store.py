"""Instances are read back from disk unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tools.cleaning import Find, clean_file
from tests.tools.shard_files import instance_writer, read_instances
from tethermap.complex.clean import KeptInstance
from tethermap.instance.store import instance_line, packed_surroundings, surroundings_of_record


@pytest.fixture(scope="module")
def written(archive: Path, find: Find) -> list[KeptInstance]:
    return [kept for path in sorted(archive.glob("*.gz")) for kept in clean_file(path, find)[1].kept]


def test_instances_are_read_back_unchanged(written: list[KeptInstance], tmp_path: Path) -> None:
    paths = tmp_path / "instances.jsonl", tmp_path / "neighbourhoods.bin"
    with instance_writer(*paths) as write:
        for kept in written:
            write(kept.instance, kept.neighbourhood)
    read = list(read_instances(*paths))
    assert len(read) == len(written) == 4
    for (instance, around), kept in zip(read, written, strict=True):
        assert instance_line(instance) == instance_line(kept.instance)
        assert replace(instance, atoms=kept.instance.atoms) == kept.instance
        assert np.array_equal(instance.atoms.xyz, kept.instance.atoms.xyz)
        assert np.array_equal(around.xyz, kept.neighbourhood.xyz)
        assert around.atom_name.tolist() == kept.neighbourhood.atom_name.tolist()
        assert around.largest == kept.neighbourhood.largest


def test_surroundings_are_read_back_unchanged(written: list[KeptInstance]) -> None:
    for kept in written:
        around = surroundings_of_record(packed_surroundings("4cup_A_ZYB_2971", kept.surroundings))
        assert np.array_equal(around.xyz, kept.surroundings.xyz)
        assert around.element.tolist() == kept.surroundings.element.tolist()
        assert around.context.tolist() == kept.surroundings.context.tolist()
        assert around.largest == kept.surroundings.largest
