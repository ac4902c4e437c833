"""What takes the results of steps that write many files, one entry after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from tethermap.base.tables import ENTRY_STATUS, EXIT_VECTORS, GEOMETRIES, LIGAND_STATUS, NAME_MAP, Row
from tethermap.steps.shard_step import EntryStream, ShardStep


@dataclass(frozen=True, slots=True)
class CleaningWriters:
    """The files of a shard that cleaning writes: rows of its tables, lines and records of instances."""

    entry: Callable[[Row], None]
    ligand: Callable[[Row], None]
    name: Callable[[Row], None]
    instances: EntryStream
    neighbourhoods: EntryStream
    surroundings: EntryStream
    backbones: EntryStream

    @classmethod
    def of(cls, step: ShardStep) -> Self:
        """Begin the files."""
        return cls(
            step.table("entry_status", ENTRY_STATUS),
            step.table("ligand_status", LIGAND_STATUS),
            step.table("name_map", NAME_MAP),
            step.lines("instances"),
            *(step.records(name) for name in ("neighbourhoods", "surroundings", "backbones")),
        )


@dataclass(frozen=True, slots=True)
class ExitWriters:
    """The files of a shard that ranking exits writes: its tables, and lines of ligands that two proteins hold."""

    exit: Callable[[Row], None]
    geometry: Callable[[Row], None]
    observed: Callable[[Row], None]
    bridging: EntryStream

    @classmethod
    def of(cls, step: ShardStep) -> Self:
        """Begin the files."""
        return cls(
            step.table("exits", EXIT_VECTORS),
            step.table("geometry", GEOMETRIES),
            step.table("observed", EXIT_VECTORS),
            step.lines("bridging"),
        )
