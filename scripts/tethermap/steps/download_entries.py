"""Get the structure file of each entry of a shard, checked, with its checksum and revision."""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from tethermap.base import layout
from tethermap.base.errors import PROGRAM_ERROR, failed_at, isolate_errors
from tethermap.base.tables import ENTRIES, SHARD_ENTRIES, Value, read_table
from tethermap.fit.file import NONE, ReportFile
from tethermap.run.cache import EntryResult, ResultCache
from tethermap.run.shard_step import ShardStep
from tethermap.run.task import Task
from tethermap.sources.base import Fetched, FetchError, Source, SourceError
from tethermap.sources.cache import CONNECTIONS
from tethermap.sources.choose import Reports, open_reports, open_source
from tethermap.sources.content import check_file, read_file
from tethermap.sources.folders import FolderSource
from tethermap.sources.naming import PDB_REDO

_LOG = logging.getLogger("scripts.download_entries")

STEP = "download_entries"
_COPIED = ("format", "source", "revision", "sha256", "source_file", "source_record")
_IN_VAIN = 8
"""Number of consecutive entries without any answer that means that there is no network."""

Row = dict[str, Value]
Result = tuple[Fetched | FetchError, ReportFile]


def make(task: Task) -> None:
    """Write the path of each entry's file, or the reason why it is missing."""
    rows = list(read_table(task.job / layout.shard_entries(task.shard), SHARD_ENTRIES))
    source, cache_dir = task.settings["source"], task.settings["cache_dir"]
    with ShardStep(task) as step:
        if not rows:
            return
        job_entries = {str(row["pdb_id"]) for row in rows}
        planned = read_table(task.job / layout.SEARCH_ENTRIES, ENTRIES)  # no input: a new file changes no shard
        job_entries |= {str(row["pdb_id"]) for row in planned if row["selected"]}
        opened = open_source(source, cache_dir, refresh=False)
        cache = task.cache()
        if cache is not None and isinstance(opened, FolderSource):
            opened.check = partial(check_once, cache)
        try:
            reports = open_reports(source, cache_dir, opened)
            results = fetched(opened, [str(row["pdb_id"]) for row in rows], reports)
            for row, (result, report) in zip(rows, results, strict=True):
                structure = _structure_row(row, result, job_entries, report)
                step.add("structures", structure)
                step.passed(str(structure["pdb_id"]))
                if isinstance(result, FetchError):
                    _LOG.warning("%s: %s", row["pdb_id"], result)
        finally:
            opened.close()


def check_once(cache: ResultCache, path: Path, entry_id: str, own: bool) -> Fetched:
    """Return the content of a structure file (`tethermap.sources.content.read_content`), checked once for its bytes."""
    data = read_file(path)
    key = cache.key(f"{hashlib.sha256(data).hexdigest()} {entry_id} {own}")
    if (kept := cache.get(key)) is not None:
        values = json.loads(kept.streams["checked"])
        return Fetched(entry_id, path=path, **{**values, "successors": tuple(values["successors"])})
    checked = check_file(data, entry_id, own=own)
    values = {name: getattr(checked, name) for name in ("format", "sha256", "revision", "withdrawn", "successors")}
    cache.put(key, EntryResult(streams={"checked": json.dumps(values).encode()}))
    return replace(checked, path=path, entities=())


def fetched(source: Source, entry_ids: Sequence[str], reports: Reports) -> Iterator[Result]:
    """Yield the file of each entry, or the reason why it is missing, and its validation report, in order.

    Raises
    ------
    SourceError
        If no service answers at all.
    """
    in_vain = 0
    reached = False
    for result, report in _results(source, entry_ids, reports):
        in_vain = in_vain + 1 if isinstance(result, FetchError) and result.unreachable else 0
        reached = reached or in_vain == 0
        if in_vain >= _IN_VAIN or (in_vain == len(entry_ids) and not reached):
            raise SourceError(
                f"No structure can be downloaded ({result}): check the network and run the job again; "
                "finished downloads are reused.",
                "upstream",
            )
        yield result, report


def structure_row(
    row: Mapping[str, Value], result: Fetched | FetchError, job_entries: set[str], report: ReportFile = NONE
) -> Row:
    """Return the row of one entry.

    Parameters
    ----------
    row : mapping
        The entry's row of the search.
    result : Fetched or FetchError
        Its file, or the reason.
    job_entries : set of str
        Entries that the job has anyway; a successor among them is not used twice. One taken here is added.
    report : ReportFile
        Validation report of the entry.
    """
    entry_id = str(row["pdb_id"])
    base: Row = {"pdb_id": entry_id, "requested_id": row["requested_id"] or entry_id}
    if isinstance(result, FetchError):
        successor = result.successor or str(row["successor"])
        return {**base, "reason": result.reason, "value": result.value, "successor": successor}
    successors = " ".join(result.successors) or str(row["successor"])
    if result.entry_id != entry_id:
        if result.entry_id in job_entries:
            return {**base, "reason": "same_as_other", "value": result.entry_id, "successor": successors}
        job_entries.add(result.entry_id)
    flags = {PDB_REDO: result.source.startswith(PDB_REDO), "withdrawn": result.withdrawn}
    return {
        **base,
        "pdb_id": result.entry_id,
        "path": str(result.path.absolute()),
        **{name: getattr(result, name) for name in _COPIED},
        "successor": successors,
        "flags": ";".join(flag for flag, holds in flags.items() if holds),
        "report": str(report.path.absolute()) if report.path else "",
        "report_status": report.status,
        "report_source": report.source,
        "report_sha256": report.sha256,
        "map": str(report.map.absolute()) if report.map else "",
    }


def _structure_row(
    row: Mapping[str, Value], result: Fetched | FetchError, job_entries: set[str], report: ReportFile
) -> Row:
    """Return the row of one entry, with the reason if its download failed."""
    with isolate_errors(f"{row['pdb_id']}: {STEP}") as errors:
        return structure_row(row, result, job_entries, report)
    names = {"pdb_id": row["pdb_id"], "requested_id": row["requested_id"] or row["pdb_id"], "successor": ""}
    return {**names, "reason": PROGRAM_ERROR, "value": failed_at(STEP, errors[0])}


def _results(source: Source, entry_ids: Sequence[str], reports: Reports) -> Iterator[Result]:
    """Yield results in order; from the network several entries at a time."""

    def fetch(entry_id: str) -> Result:
        with isolate_errors(f"{entry_id}: {STEP}") as errors:
            try:
                fetched = source.fetch(entry_id)
            except FetchError as error:
                return error, NONE
            return fetched, reports(fetched)
        return FetchError(PROGRAM_ERROR, failed_at(STEP, errors[0])), NONE

    if source.kind != "rcsb":
        yield from map(fetch, entry_ids)
        return
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        futures = [pool.submit(fetch, entry_id) for entry_id in entry_ids]
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
