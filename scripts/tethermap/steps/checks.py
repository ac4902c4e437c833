"""Check the ligands of one entry of a shard: read its results back."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import groupby
from pathlib import Path

from tethermap.base import layout
from tethermap.base.records import EntryParts
from tethermap.base.tables import SASA_ATOMS, SASA_SUMMARY, Row, Table, rows_of
from tethermap.run.shard_step import ShardStep
from tethermap.selfcheck.ligand import ATOM_COLUMNS, SUMMARY_COLUMNS, check_ligand


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

    def check(self, parts: EntryParts) -> None:
        """Write the outcome of every check of an entry's ligands."""
        summaries = _by_instance(parts.rows["sasa_summary"], SASA_SUMMARY, SUMMARY_COLUMNS)
        atoms = _by_instance(parts.rows["sasa_atoms"], SASA_ATOMS, ATOM_COLUMNS)
        for stem, (summary,), areas in zip(parts.stems, summaries, atoms, strict=True):
            with self._step.isolated(parts.entry_id, stem):
                files, drawn = self._written[stem], self._step.draws
                outcomes = check_ligand(self._job, stem, summary, areas, files, self._on_disk, drawn=drawn)
                self._step.add_all("checks", (one.logged_row(stem) for one in outcomes))


def _by_instance(lines: list[bytes], table: Table, names: Collection[str]) -> list[list[Row]]:
    """Return the rows of each instance, with the columns that the checks use."""
    rows = rows_of(lines, table, {"stem", *names})
    return [list(own) for _, own in groupby(rows, lambda row: row["stem"])]
