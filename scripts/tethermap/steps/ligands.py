"""The ligands of a shard as exposure and exits take them, one after the other: read once for both."""

from __future__ import annotations

from functools import lru_cache

from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record

KEPT = 256
"""Ligands that are kept, somewhat more than a shard mostly holds; 0.2 MB each."""


@lru_cache(maxsize=KEPT)
def instance_of(line: bytes) -> Instance:
    """Return the instance of a line of `tethermap.instance.store`."""
    return instance_of_line(line)


@lru_cache(maxsize=KEPT)
def molecule_of(record: bytes) -> LigandMolecule:
    """Return the molecule of a record of `tethermap.molecule.store`."""
    return molecule_of_record(record)
