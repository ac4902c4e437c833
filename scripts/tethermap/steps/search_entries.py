"""Find the entries of a job, with the reason for each rejected entry, and distribute the selected ones over shards."""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tethermap.base import layout, recorded_search
from tethermap.base.atomic import write_text
from tethermap.base.tables import ENTRIES, Value, read_table, write_table
from tethermap.run.task import Task
from tethermap.sources.base import Source, SourceError
from tethermap.sources.choose import open_source
from tethermap.sources.search import SearchResult, add_sequence_hits, find_entries, pinned_entries, sequences_of
from tethermap.sources.selection import entry_rows
from tethermap.sources.shards import plan_shards, write_plan

_LOG = logging.getLogger("scripts.search_entries")


def make(task: Task) -> None:
    """Write the table of entries with the reason of each hit, and distribute the selected ones over shards."""
    _, entries, query = task.outputs()
    run_search(entries, query, task.settings)
    for folder in layout.SHARED_FOLDERS:
        (task.job / folder).mkdir(parents=True, exist_ok=True)
    divide(entries, task.job / layout.SHARDS, task.resources["entries_per_shard"], task.resources["processes"])


def divide(entries: Path, folder: Path, entries_per_shard: int, cores: int) -> None:
    """Distribute the selected entries over shards, whose folders are in `folder`, in addition to existing ones."""
    selected = [row for row in read_table(entries, ENTRIES) if row["selected"]]
    write_plan(plan_shards(selected, folder, entries_per_shard, cores), folder)


def run_search(entries: Path, query: Path, settings: Mapping[str, Any], *, preview: bool = False) -> None:
    """Write the table of entries and how they were found.

    Parameters
    ----------
    entries, query : Path
        The files to write.
    settings : mapping
        `tethermap.steps.parameters.search_entries`; no source is queried if they contain a recorded search.
    preview : bool
        As for `tethermap.sources.choose.open_source`.
    """
    earlier = settings[recorded_search.KEY]
    if earlier is not None:
        write_table(entries, ENTRIES, recorded_search.entry_rows(earlier))
        write_text(query, _json(earlier["query"]))
        _LOG.info("the entries are those of the search of %s", earlier["query"].get("date", "an unknown day"))
        return
    request = settings["asked"]
    opened = open_source(settings["source"], settings["cache_dir"], preview=preview)
    try:
        outcome = search(opened, request)
        rows = list(entry_rows(opened, outcome, request["filters"]))
    finally:
        opened.close()
    write_table(entries, ENTRIES, rows)
    write_text(query, _json(query_record(opened, outcome, rows, request)))
    n_selected = sum(bool(row["selected"]) for row in rows)
    for note in [*request["notes"], *outcome.notes, *opened.notes]:
        _LOG.info("%s", note)
    _LOG.info("%s (%s): %d entries seen, %d taken", opened.kind, opened.label, len(rows), n_selected)


def search(source: Source, request: Mapping[str, Any]) -> SearchResult:
    """Return the entries of a job, pinned ones or those that the query finds."""
    fasta, filters = request["fasta_seq"], request["filters"]
    if fasta is not None and not source.searches_sequences:
        advice = "use structures from RCSB, or do not search by sequence"
        raise SourceError(f"The source {source.kind!r} can't search by sequence: {advice}.")
    if filters["entries"]:
        return pinned_entries(source, filters["entries"])
    sequences = sequences_of(fasta) if fasta is not None else []
    outcome = find_entries(source, request["search_query"], request["target_name"])
    if sequences:
        add_sequence_hits(source, outcome, sequences, filters["min_identity"])
    return outcome


def query_record(
    source: Source, outcome: SearchResult, rows: Sequence[Mapping[str, Value]], request: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the requests to the source, with times and results."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "source": {"kind": source.kind, "label": source.label},
        **{name: request[name] for name in ("search_query", "target_name")},
        "parsed": outcome.parsed,
        "requests": source.requests,
        "totals": {
            **outcome.totals,
            "seen": len(rows),
            "selected": sum(bool(row["selected"]) for row in rows),
            "left_out": Counter(str(row["reason"]) for row in rows if not row["selected"]),
        },
        "fallbacks": outcome.fallbacks,
        "notes": [*request["notes"], *outcome.notes, *source.notes],
    }


def _json(value: Mapping[str, Any]) -> str:
    """Return text for a file; a record may come in any order of its keys."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
