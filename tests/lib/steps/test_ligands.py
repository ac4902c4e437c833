"""The ligands that exposure and exits share."""

from __future__ import annotations

from collections.abc import Callable

from scripts.lib.components.component import Component
from scripts.lib.components.index import ComponentIndex
from scripts.lib.instance.store import instance_line
from scripts.lib.matching.build import build_ligand
from scripts.lib.molecule.store import packed_molecule
from scripts.lib.steps.ligands import instance_of, molecule_of
from tests.tools.components import ideal_instance


def test_same_bytes_are_read_once(known: Callable[[str], Component], index: ComponentIndex) -> None:
    instance = ideal_instance(known("478"))
    line, record = instance_line(instance), packed_molecule(build_ligand(instance, index))
    assert instance_of(line) is instance_of(bytes(bytearray(line)))
    assert instance_of(line).stem == instance.stem
    assert molecule_of(record) is molecule_of(bytes(bytearray(record)))
    assert molecule_of(record).stem == instance.stem
