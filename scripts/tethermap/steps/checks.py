"""Check the ligands of one entry of a shard: read its results and compare them with the deposited file."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from tethermap.base import layout
from tethermap.base.records import EntryParts
from tethermap.base.tables import SASA_ATOMS, SASA_SUMMARY, Row, Table, rows_of
from tethermap.entry.reader import EntryError
from tethermap.instance.store import instance_of_line
from tethermap.run.shard_step import ShardStep
from tethermap.selfcheck.deposited import Atom, ResidueKey, read_as_pipeline, read_deposited
from tethermap.selfcheck.ligand import ATOM_COLUMNS, SUMMARY_COLUMNS, LigandFiles, check_ligand

log = logging.getLogger(__name__)

OF_DEPOSITED = frozenset(("coordinates_complex", "coordinates_sdf", "formula"))
"""Checks that are repeated on failure, with the deposited atoms from the pipeline's reader."""


class EntryChecker:
    """Checks the ligands of a shard.

    Parameters
    ----------
    job : Path
        The job folder.
    written, on_disk : mapping
        sha256 of every file of the shard by path, as reported by its writer and as found on disk.
    step : ShardStep
        Receives the outcomes.
    """

    def __init__(self, job: Path, written: Mapping[str, str], on_disk: Mapping[str, str], step: ShardStep) -> None:
        self._job = job
        self._written: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for path, digest in written.items():
            self._written[layout.stem_of_file(path)][path] = digest
        self._on_disk = on_disk
        self._step = step

    def check(self, parts: EntryParts, path: Path) -> None:
        """Write the outcome of every check of an entry's ligands."""
        instances = [instance_of_line(line) for line in parts.lines]
        comp_ids = {residue.comp_id for instance in instances for residue in instance.components}
        deposited: dict[ResidueKey, list[Atom]] = {}
        with suppress(OSError, RuntimeError, ValueError):
            deposited = read_deposited(path, comp_ids)
        as_pipeline: dict[ResidueKey, list[Atom]] | None = None
        summaries = _by_instance(parts.rows["sasa_summary"], SASA_SUMMARY, SUMMARY_COLUMNS)
        atoms = _by_instance(parts.rows["sasa_atoms"], SASA_ATOMS, ATOM_COLUMNS)
        for instance, (summary,), areas in zip(instances, summaries, atoms, strict=True):
            with self._step.isolated(parts.entry_id, instance.stem):
                files = LigandFiles(
                    instance, summary, areas, deposited, self._written[instance.stem], self._on_disk, self._step.draws
                )
                outcomes = list(check_ligand(self._job, files))
                if any(outcome.check in OF_DEPOSITED and not outcome.passed for outcome in outcomes):
                    if as_pipeline is None:
                        as_pipeline = self._read_as_pipeline(path, parts.entry_id, comp_ids)
                    again = list(check_ligand(self._job, replace(files, deposited=as_pipeline)))
                    outcomes = min(outcomes, again, key=lambda tried: sum(not outcome.passed for outcome in tried))
                for outcome in outcomes:
                    self._step.add("checks", outcome.logged_row(instance.stem))

    def _read_as_pipeline(self, path: Path, entry_id: str, comp_ids: Collection[str]) -> dict[ResidueKey, list[Atom]]:
        """Return the deposited atoms; none, and nothing is cached, if the file can't be read."""
        try:
            return read_as_pipeline(path, entry_id, comp_ids)
        except (EntryError, OSError, RuntimeError, ValueError) as error:
            log.warning("%s could not be read again: %s", entry_id, error)
            self._step.forget()
            return {}


def _by_instance(lines: list[bytes], table: Table, names: Collection[str]) -> list[list[Row]]:
    """Return the rows of each instance, with the columns that the checks use."""
    rows = rows_of(lines, table, {"stem", *names})
    return [list(own) for _, own in groupby(rows, lambda row: row["stem"])]
