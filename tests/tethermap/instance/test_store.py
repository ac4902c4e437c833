"""Instances are read back from disk unchanged."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

from tests.tools.cleaning import Find, clean_file
from tests.tools.parts import instances_of, put, put_records
from tethermap.base.records import part, read_records
from tethermap.complex.clean import KeptInstance
from tethermap.instance.backbone import NO_BACKBONE, backbone_of_record, packed_backbone
from tethermap.instance.store import (
    instance_of_line,
    json_line,
    neighbourhood_of_record,
    of_plain,
    packed_neighbourhood,
    packed_surroundings,
    surroundings_of_record,
)


@pytest.fixture(scope="module")
def written(archive: Path, find: Find) -> list[KeptInstance]:
    return [kept for path in sorted(archive.glob("*.gz")) for kept in clean_file(path, find)[1].kept]


def assert_same(one: Any, other: Any) -> None:
    for field in fields(one):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


def test_instances_are_read_back_unchanged(written: list[KeptInstance], tmp_path: Path) -> None:
    put(tmp_path, "0", "clean_complexes/instances", b"".join(json_line(kept.instance) for kept in written))
    name = "clean_complexes/neighbourhoods"
    put_records(tmp_path, "0", name, (packed_neighbourhood("x", kept.neighbourhood) for kept in written))
    neighbourhoods = map(neighbourhood_of_record, read_records(part(tmp_path, "0", name)))
    assert len(written) == 4
    for instance, around, kept in zip(instances_of(tmp_path), neighbourhoods, written, strict=True):
        assert json_line(instance) == json_line(kept.instance)
        assert replace(instance, atoms=kept.instance.atoms) == kept.instance
        assert_same(instance.atoms, kept.instance.atoms)
        assert_same(around, kept.neighbourhood)


def test_surroundings_and_backbones_are_read_back_unchanged(written: list[KeptInstance]) -> None:
    assert len(backbone_of_record(packed_backbone("x", NO_BACKBONE))) == 0
    for kept in written:
        backbone = replace(kept.backbone, others=("P1:2",), partner=("Q1:3", "Q1:4"))
        assert_same(backbone_of_record(packed_backbone("x", backbone)), backbone)
        around = surroundings_of_record(packed_surroundings("4cup_A_ZYB_2971", kept.surroundings))
        assert_same(around, kept.surroundings)


def test_lines_of_an_earlier_version_lack_fields_that_are_new(written: list[KeptInstance]) -> None:
    instance = written[0].instance
    record = json.loads(json_line(instance))
    del record["conect"]
    read = instance_of_line(json.dumps(record).encode())
    assert (read.stem, read.conect) == (instance.stem, ())


Scalar = TypeVar("Scalar")


class Alias(Generic[Scalar]):
    """Like the alias `NDArray` since NumPy 2.5, which is no longer another name of `ndarray` at run time."""


def test_arrays_are_read_back_with_the_alias_of_a_later_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numpy.typing.NDArray", Alias)
    read: Any = of_plain(Alias[np.int32], [1, 2])
    assert isinstance(read, np.ndarray)
    assert (read.dtype, read.tolist()) == (np.int32, [1, 2])
