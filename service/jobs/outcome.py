"""Output of a run in its folder: results, counts, and the record of a job that ran elsewhere."""

import csv
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from service.jobs.artifacts import list_artifacts
from service.jobs.durable import raise_shortage, read_json
from service.jobs.record import COMPLETED, EntryCounts, JobRecord, ResultRow, utc_text
from tethermap.base import layout
from tethermap.base.tables import RESULTS_TABLE, Value, read_table

T = TypeVar("T")


def is_complete(folder: Path) -> bool:
    """Return whether a run has come to its end: the manifest is written last of all, at once."""
    return isinstance(read_json(folder / layout.MANIFEST), dict)


def read_outcome(folder: Path) -> tuple[dict[str, Any], tuple[ResultRow, ...]]:
    """Return the output of a run for its record, and its results; walks the folder, so only at the end of a job."""
    ready, rows = result_rows(folder)
    values = {
        "results_ready": ready,
        "has_results": bool(rows),
        "result_rows": len(rows),
        "ligand_count": len({row[2] for row in rows}),
        "artifacts": list_artifacts(folder).counts() if folder.is_dir() else {},
        "size_bytes": folder_bytes(folder),
    }
    return values, rows


def result_rows(folder: Path) -> tuple[bool, tuple[ResultRow, ...]]:
    """Return whether the results table exists, and its rows."""
    try:
        return True, tuple(
            _row(row) for row in read_table(folder / layout.RESULTS_DISPLAY, RESULTS_TABLE, strict=False)
        )
    except (OSError, ValueError, csv.Error) as error:
        raise_shortage(error)
        return False, ()


def _row(row: dict[str, Value]) -> ResultRow:
    numbers = [row["%Exposed"], row["SASA_in_complex_A2"], row["SASA_free_A2"]]
    exposed, bound, free = (float(value) if isinstance(value, int | float) else None for value in numbers)
    names = [str(row[name]) for name in ("pdb_id", "Chain", "Warhead", "Residue_ID", "components")]
    return names[0], names[1], names[2], names[3], names[4], exposed, bound, free


def folder_bytes(folder: Path) -> int:
    """Return the size of all files of a folder; links are not followed."""
    total = 0
    for root, _, names in os.walk(folder, onerror=raise_shortage):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118 - many files
            except OSError:
                continue
    return total


def record_of_folder(
    folder: Path, job_id: str, source: str, *, sequence: int = 0, time: str | None = None
) -> JobRecord:
    """Return the record of a job that was run outside the service, from its results; by default of their time.

    Raises
    ------
    ValueError
        If the folder does not contain a complete job.
    """
    manifest = read_json(folder / layout.MANIFEST)
    if not isinstance(manifest, dict) or not (folder / layout.RESULTS_DISPLAY).is_file():
        raise ValueError(f"{folder.name} is not a complete job: {layout.MANIFEST} is missing")
    target, query = _given(manifest, "target_name", str), _given(manifest, "search_query", str)
    settings, counts = _given(manifest, "settings", dict) or {}, _given(manifest, "counts", dict) or {}
    n_found, n_kept = _given(counts, "entries_found", int) or 0, _given(counts, "entries_kept", int) or 0
    fasta = _given(settings, "fasta_seq", str)
    time = time or utc_text(datetime.fromtimestamp((folder / layout.MANIFEST).stat().st_mtime, UTC))
    values = read_outcome(folder)[0]
    values |= dict.fromkeys(("created_at", "started_at", "finished_at", "modified_at"), time)
    return JobRecord(
        job_id=job_id,
        sequence=sequence,
        status=COMPLETED,
        target_name=target or "",
        search_query=query or "",
        source=source,
        request={"target_name": target, "search_query": query, "fasta_seq": fasta},
        fasta_len=fasta_length(fasta),
        percent=100,
        entries=EntryCounts(n_found, n_found, n_kept, n_found - n_kept),
        **values,
    )


def _given(values: dict[str, Any], name: str, kind: type[T]) -> T | None:
    """Return a value of a manifest; None if it is absent.

    Raises
    ------
    ValueError
        If it is of another type.
    """
    value = values.get(name)
    if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise ValueError(f"{layout.MANIFEST} is not one of the pipeline: {name} is not of type {kind.__name__}")


def fasta_length(text: str | None) -> int:
    """Return the number of residues of a FASTA text, over all its records."""
    lines = [line for line in (text or "").splitlines() if not line.startswith(">")]
    return sum(character.isalpha() for line in lines for character in line)
