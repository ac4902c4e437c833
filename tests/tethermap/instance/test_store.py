"""Instances are read back from disk unchanged."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tools.cleaning import Find, clean_file
from tests.tools.shard_files import instance_writer, read_instances
from tethermap.complex.clean import KeptInstance
from tethermap.instance.store import instance_line, packed_surroundings, surroundings_of_record


@pytest.fixture(scope="module")
def written(archive: Path, find: Find) -> list[KeptInstance]:
    return [kept for path in sorted(archive.glob("*.gz")) for kept in clean_file(path, find)[1].kept]


def assert_same(one: Any, other: Any) -> None:
    for field in fields(one):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


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
        assert_same(instance.atoms, kept.instance.atoms)
        assert_same(around, kept.neighbourhood)


def test_surroundings_are_read_back_unchanged(written: list[KeptInstance]) -> None:
    for kept in written:
        around = surroundings_of_record(packed_surroundings("4cup_A_ZYB_2971", kept.surroundings))
        assert_same(around, kept.surroundings)
