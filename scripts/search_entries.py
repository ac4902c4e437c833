"""Find the entries of a job: query, filters, ranks, and the reason for each entry left out."""

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts.lib import recorded_search
from scripts.lib.atomic import write_text
from scripts.lib.config import recorded
from scripts.lib.logs import logged_to
from scripts.lib.sources.base import Source
from scripts.lib.sources.choose import open_source
from scripts.lib.sources.mirror import no_sequence_search
from scripts.lib.sources.search import Outcome, add_sequence_hits, find_entries, pinned_entries, sequences_of
from scripts.lib.sources.selection import entry_rows, reasons_counted
from scripts.lib.tables import ENTRIES, Value, write_table

_LOG = logging.getLogger("scripts.search_entries")


def main(config: Mapping[str, Any], entries: Path, query: Path, job_config: Path) -> None:
    """Write the table of entries, how they were found, and the job's settings.

    Parameters
    ----------
    config : mapping
        The job's resolved settings. A recorded search among them is taken as it is; no source is asked then.
    entries, query, job_config : Path
        The files to write.
    """
    earlier = config[recorded_search.KEY]
    if earlier is not None:
        write_table(entries, ENTRIES, recorded_search.entry_rows(earlier))
        write_text(query, _json(earlier["query"], sort_keys=True))
        write_text(job_config, _json(recorded(config)))
        _LOG.info("the entries are those of the search of %s", earlier["query"].get("date", "an unknown day"))
        return
    source = open_source(config)
    try:
        outcome = search(source, config)
        rows = list(entry_rows(source, outcome, config["filters"]))
    finally:
        source.close()
    write_table(entries, ENTRIES, rows)
    write_text(query, _json(query_record(source, outcome, rows, config), sort_keys=True))
    write_text(job_config, _json(recorded(config)))
    taken = sum(bool(row["selected"]) for row in rows)
    for note in [*outcome.notes, *source.notes]:
        _LOG.info("%s", note)
    _LOG.info("%s (%s): %d entries seen, %d taken", source.kind, source.label, len(rows), taken)


def search(source: Source, config: Mapping[str, Any]) -> Outcome:
    """Return the entries that the job's settings ask for, pinned ones or those that the query finds."""
    filters = config["filters"]
    if config["sequence_search"] and not source.searches_sequences:
        raise no_sequence_search(source.kind)
    if filters["entries"]:
        return pinned_entries(source, filters["entries"])
    sequences = sequences_of(config["fasta_seq"]) if config["sequence_search"] else []
    outcome = find_entries(source, config["search_query"], config["target_name"])
    if sequences:
        add_sequence_hits(source, outcome, sequences, filters["min_identity"])
    return outcome


def query_record(
    source: Source, outcome: Outcome, rows: Sequence[Mapping[str, Value]], config: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what was asked of which source, when, and what came of it."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "source": {"kind": source.kind, "label": source.label},
        "search_query": config["search_query"],
        "target_name": config["target_name"],
        "parsed": outcome.parsed,
        "requests": source.requests,
        "totals": {
            **outcome.totals,
            "seen": len(rows),
            "selected": sum(bool(row["selected"]) for row in rows),
            "left_out": reasons_counted(rows),
        },
        "fallbacks": outcome.fallbacks,
        "notes": [*outcome.notes, *source.notes],
    }


def _json(value: Mapping[str, Any], *, sort_keys: bool = False) -> str:
    """Return text for a file; a record that may come in any order of its keys is written in one."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=sort_keys) + "\n"


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            config=snakemake.params.settings,
            entries=Path(snakemake.output.entries),
            query=Path(snakemake.output.query),
            job_config=Path(snakemake.output.config),
        )
