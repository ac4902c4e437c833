"""Check the ligands of one entry of a shard: read back what was written and hold it against the deposited file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from tethermap.base.records import EntryParts
from tethermap.base.tables import EXIT_VECTORS, SASA_ATOMS, SASA_SUMMARY, Row, Table, rows_of
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.selfcheck.compare import ATOM_COLUMNS, SUMMARY_COLUMNS
from tethermap.selfcheck.deposited import DepositedAtom, ResidueKey, read_deposited
from tethermap.selfcheck.exits import EXIT_COLUMNS
from tethermap.selfcheck.instance import InstanceFiles, check_instance
from tethermap.steps.shard_step import ShardStep

log = logging.getLogger(__name__)

OF_DEPOSITED = frozenset(("deposited_atoms", "coordinates_complex", "coordinates_sdf", "formula"))
"""Checks against the deposited file: those that fail are made again on what the pipeline's reader makes of it."""


class EntryChecker:
    """Checks the ligands of a shard.

    Parameters
    ----------
    job : Path
        The job folder.
    written, on_disk : mapping
        sha256 of every file of the shard by path, as its writer told it and as found on disk.
    step, write : ShardStep, callable
        What takes the outcomes.
    """

    def __init__(
        self,
        job: Path,
        written: Mapping[str, str],
        on_disk: Mapping[str, str],
        step: ShardStep,
        write: Callable[[Row], None],
    ) -> None:
        self._job = job
        self._written = written
        self._on_disk = on_disk
        self._step = step
        self._write = write

    def check(self, parts: EntryParts, path: Path) -> None:
        """Write the outcome of every check of an entry's ligands, the entry itself read anew."""
        instances = [instance_of_line(line) for line in parts.lines]
        deposited = self._deposited(path, instances)
        as_read = cache(partial(self._as_read, path, parts.entry_id))
        summaries = _by_instance(parts.rows["summary"], SASA_SUMMARY, SUMMARY_COLUMNS)
        atoms = _by_instance(parts.rows["atoms"], SASA_ATOMS, ATOM_COLUMNS)
        exits = _by_instance(parts.rows["exits"], EXIT_VECTORS, EXIT_COLUMNS)
        for instance, (summary,), areas, ways_out in zip(instances, summaries, atoms, exits, strict=True):
            with self._step.isolated(parts.entry_id, instance.stem):
                files = InstanceFiles(instance, summary, areas, ways_out, deposited, self._written, self._on_disk)
                outcomes = list(check_instance(self._job, files))
                if any(outcome.check in OF_DEPOSITED and not outcome.passed for outcome in outcomes):
                    again = list(check_instance(self._job, replace(files, deposited=as_read())))
                    outcomes = min(outcomes, again, key=lambda told: sum(not outcome.passed for outcome in told))
                for outcome in outcomes:
                    self._write(outcome.logged_row(instance.stem))

    def _deposited(self, path: Path, instances: list[Instance]) -> dict[ResidueKey, list[DepositedAtom]]:
        """Read the deposited atoms of all components of an entry's instances; none when that fails."""
        comp_ids = frozenset(residue.comp_id for instance in instances for residue in instance.components)
        try:
            return read_deposited(path, comp_ids)
        except (OSError, RuntimeError, ValueError) as error:
            log.warning("%s could not be read again: %s", instances[0].entry_id, error)
            self._step.forget()
            return {}

    def _as_read(self, path: Path, entry_id: str) -> dict[ResidueKey, list[DepositedAtom]]:
        """Read the deposited atoms as the pipeline does; none when that fails."""
        from tethermap.selfcheck.as_read import read_as_pipeline  # needed for odd files only

        try:
            return read_as_pipeline(path, entry_id)
        except (OSError, RuntimeError, ValueError) as error:
            log.warning("%s could not be read again: %s", entry_id, error)
            self._step.forget()
            return {}


def _by_instance(lines: list[bytes], table: Table, names: Collection[str]) -> list[list[Row]]:
    """Return the rows of each instance, with the columns that are looked at."""
    rows = rows_of(lines, table, {"stem", *names})
    return [list(own) for _, own in groupby(rows, lambda row: row["stem"])]
