"""Check the ligands of one entry of a shard: read its results back."""

from collections.abc import Collection, Mapping
from itertools import groupby
from pathlib import Path

from tethermap.base.records import EntryParts
from tethermap.base.tables import SASA_ATOMS, SASA_SUMMARY, Row, Table, rows_of
from tethermap.run.shard_step import ShardStep
from tethermap.selfcheck.ligand import ATOM_COLUMNS, SUMMARY_COLUMNS, Digests, check_ligand


def check_entry(
    step: ShardStep, job: Path, written: Mapping[str, Digests], on_disk: Digests, parts: EntryParts
) -> None:
    """Write the outcome of every check of an entry's ligands.

    Parameters
    ----------
    step : ShardStep
        Receives the outcomes.
    job : Path
        The job folder.
    written, on_disk : mapping
        sha256 of every file of the shard by path, as reported by its writer (by stem) and as found on disk.
    """
    summaries = _by_instance(parts.rows["sasa_summary"], SASA_SUMMARY, SUMMARY_COLUMNS)
    atoms = _by_instance(parts.rows["sasa_atoms"], SASA_ATOMS, ATOM_COLUMNS)
    for stem, (summary,), areas in zip(parts.stems, summaries, atoms, strict=True):
        with step.isolated(parts.entry_id, stem):
            outcomes = check_ligand(job, stem, summary, areas, written.get(stem, {}), on_disk, drawn=step.draws)
            step.add_all("checks", (one.logged_row(stem) for one in outcomes))


def _by_instance(lines: list[bytes], table: Table, names: Collection[str]) -> list[list[Row]]:
    """Return the rows of each instance, with the columns that the checks use."""
    rows = rows_of(lines, table, {"stem", *names})
    return [list(own) for _, own in groupby(rows, lambda row: row["stem"])]
