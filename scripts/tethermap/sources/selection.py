"""Select among the entries found, with a reason for each that is rejected."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tethermap.base.errors import PROGRAM_ERROR, failed_at, isolate_errors
from tethermap.base.tables import Value
from tethermap.sources.base import EntrySummary, Source
from tethermap.sources.query import words_of
from tethermap.sources.search import ACCESSIONS, FoundEntry, SearchResult

Row = dict[str, Value]
Filters = Mapping[str, Any]

STEP = "search_entries"
_BATCH = 300


def entry_rows(source: Source, outcome: SearchResult, filters: Filters) -> Iterator[Row]:
    """Yield a row of the table of entries for each one seen, best first.

    Metadata are requested only while entries can still be selected; those after the cut are listed by id. The cut
    removes entries that can't contain a requested ligand first.

    Parameters
    ----------
    source : Source
        Knows the metadata.
    outcome : SearchResult
        Result of the search.
    filters : mapping
        The job's ``filters``.
    """
    candidates = outcome.candidates
    owner = _owners(candidates)
    room = max(0, filters["max_entries"] - sum(c.exempt and owner.get(c.entry_id) is c for c in candidates))
    wanted = set(map(str.upper, filters.get("only_ligands", ())))
    rows: list[Row] = []
    waiting: list[Row] = []  # without a requested ligand: cut first, a peptide-like ligand may be in a polymer
    for start in range(0, len(candidates), _BATCH):
        batch = candidates[start : start + _BATCH]
        summaries, failed = _summaries(source, [c.entry_id for c in batch if c.entry_id and (room or c.exempt)])
        for rank, candidate in enumerate(batch, start=start + 1):
            summary = summaries.get(candidate.entry_id, EntrySummary(candidate.entry_id))
            with isolate_errors(f"{candidate.requested_id}: {STEP}") as errors:
                left_out = failed.get(candidate.entry_id) or _left_out(candidate, summary, owner, filters, rank, room)
                row = _row(candidate, summary, left_out, rank)
                if left_out is None and not candidate.exempt:
                    if wanted & set(summary.ligands) if wanted else summary.ligands:
                        room -= 1
                    else:
                        waiting.append(row)
                rows.append(row)
            rows += [_row_of_id(candidate.requested_id, *_program_error(error), rank=rank) for error in errors]
    for row in waiting[room:]:
        reason, threshold, value = _cut(filters, row["rank"])
        row.update(selected=False, reason=reason, threshold=threshold, value=value)
    yield from rows
    yield from _not_listed(source, outcome, len(rows))


LeftOut = tuple[str, str, str]
"""Reason to reject a candidate: reason, threshold and value."""


def _summaries(source: Source, ids: Sequence[str]) -> tuple[dict[str, EntrySummary], dict[str, LeftOut]]:
    """Return the metadata of entries, and the errors in single ones."""
    failed = {entry_id: (PROGRAM_ERROR, "", value) for entry_id, value in source.failed.items()}
    summaries: dict[str, EntrySummary] = {}
    with isolate_errors(f"metadata of {len(ids)} entries: {STEP}") as errors:
        summaries = source.summaries(ids) if ids else {}
    for entry_id in ids if errors else ():
        with isolate_errors(f"{entry_id}: {STEP}") as alone:
            summaries |= source.summaries([entry_id])
        for error in alone:
            failed[entry_id] = _program_error(error)
    return summaries, failed


def _program_error(error: Exception) -> LeftOut:
    return PROGRAM_ERROR, "", failed_at(STEP, error)


def rejection(summary: EntrySummary, filters: Filters) -> LeftOut | None:
    """Return reason, threshold and value of the first filter that rejects an entry; None if it passes all.

    Parameters
    ----------
    summary : EntrySummary
        The entry's metadata.
    filters : mapping
        ``methods``, ``max_resolution`` (Å), ``released_after``, ``released_before`` (both inclusive), ``organism``.
    """
    methods = set(map(str.upper, filters["methods"]))
    if methods and methods.isdisjoint(map(str.upper, summary.methods)):
        return "method", ", ".join(sorted(methods)), "; ".join(summary.methods)
    limit = filters["max_resolution"]
    if limit is not None and (summary.resolution is None or summary.resolution > limit):
        return "resolution", f"{limit:g}", "" if summary.resolution is None else f"{summary.resolution:g}"
    after, before = filters["released_after"], filters["released_before"]
    if after and not summary.release_date >= str(after):
        return "release_date", f"from {after}", summary.release_date
    if before and not "" < summary.release_date <= str(before):
        return "release_date", f"to {before}", summary.release_date
    organism = filters["organism"]
    # a scientific name with all requested words: ``Escherichia coli`` and its strains
    if organism and not any(set(words_of(organism)) <= set(words_of(name)) for name in summary.organisms):
        return "organism", organism, "; ".join(summary.organisms)
    return None


def _owners(candidates: Sequence[FoundEntry]) -> dict[str, FoundEntry]:
    """Return the candidate used for each entry: the entry itself before one that it replaced."""
    owner: dict[str, FoundEntry] = {}
    for candidate in candidates:
        current = owner.get(candidate.entry_id)
        itself = candidate.requested_id == candidate.entry_id
        if candidate.entry_id and (current is None or (itself and current.requested_id != current.entry_id)):
            owner[candidate.entry_id] = candidate
    return owner


def _left_out(
    candidate: FoundEntry,
    summary: EntrySummary,
    owner: Mapping[str, FoundEntry],
    filters: Filters,
    rank: int,
    room: int,
) -> LeftOut | None:
    if not candidate.entry_id:
        return "withdrawn", "", " ".join(candidate.successors)
    if owner[candidate.entry_id] is not candidate:
        return "same_as_other", "", candidate.entry_id
    if candidate.exempt:
        return None
    return rejection(summary, filters) if room else _cut(filters, rank)


def _cut(filters: Filters, rank: Value) -> LeftOut:
    return "cut_by_max_entries", str(filters["max_entries"]), str(rank)


def _with_accessions(hit: str, summary: EntrySummary) -> str:
    """Return a reason with the requested accessions that the entry has."""
    begin, separator, names = hit.partition(ACCESSIONS)
    shared = [name for name in names.split(",") if name in summary.uniprot]
    return f"{begin}{separator}{','.join(shared)}" if separator and shared else hit


def _row(candidate: FoundEntry, summary: EntrySummary, left_out: LeftOut | None, rank: int) -> Row:
    reason, threshold, value = left_out or ("", "", "")
    stands_for_itself = candidate.entry_id and reason != "same_as_other"
    if not stands_for_itself:
        summary = EntrySummary(candidate.requested_id)
    return {
        "rank": rank,
        "pdb_id": candidate.entry_id if stands_for_itself else candidate.requested_id,
        "requested_id": candidate.requested_id,
        "selected": left_out is None,
        "reason": reason,
        "threshold": threshold,
        "value": value,
        "hits": ";".join(dict.fromkeys(_with_accessions(hit, summary) for hit in candidate.hits)),
        "score": candidate.score,
        "title": summary.title,
        "method": "; ".join(summary.methods),
        "resolution": summary.resolution,
        "release_date": summary.release_date,
        "organism": "; ".join(summary.organisms),
        **{name: "; ".join(getattr(summary, name)) for name in ("uniprot", "genes", "descriptions", "ligands")},
        "successor": " ".join(candidate.successors),
        "size": summary.size,
    }


def _not_listed(source: Source, outcome: SearchResult, rank: int) -> Iterator[Row]:
    """Yield rows for ids that the source doesn't know and for the user's files that the query doesn't match."""
    rows = [(entry_id, "not_found") for entry_id in outcome.not_found]
    if source.lists_all and "pinned" not in outcome.totals:
        listed = {candidate.entry_id for candidate in outcome.candidates}
        rows += [(entry_id, "not_matched") for entry_id in source.all_entries() if entry_id not in listed]
    for number, (entry_id, reason) in enumerate(rows, start=rank + 1):
        yield _row_of_id(entry_id, reason, rank=number)


def _row_of_id(entry_id: str, reason: str, threshold: str = "", value: str = "", *, rank: int) -> Row:
    names = {"pdb_id": entry_id, "requested_id": entry_id}
    return {"rank": rank, **names, "selected": False, "reason": reason, "threshold": threshold, "value": value}
