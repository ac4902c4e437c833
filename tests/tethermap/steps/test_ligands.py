"""The ligands that exposure and exits share."""

from __future__ import annotations

from collections.abc import Callable

from tests.tools.components import ideal_instance
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.instance.store import instance_line
from tethermap.matching.build import build_ligand
from tethermap.molecule.store import packed_molecule
from tethermap.steps.ligands import instance_of, molecule_of


def test_same_bytes_are_read_once(known: Callable[[str], Component], index: ComponentIndex) -> None:
    instance = ideal_instance(known("478"))
    line, record = instance_line(instance), packed_molecule(build_ligand(instance, index))
    assert instance_of(line) is instance_of(bytes(bytearray(line)))
    assert instance_of(line).stem == instance.stem
    assert molecule_of(record) is molecule_of(bytes(bytearray(record)))
    assert molecule_of(record).stem == instance.stem
