"""Queries of the index, as SQL: filters, sorts, columns."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from service.scrub import FORMULA

COLUMNS = (
    "* EXCLUDE (sequence, started_at, owner, codes, entries, created_s, modified_s, stamp),"
    " target_name AS protein, has_results AS available"
)
"""Columns of a page."""

EXPORTED = (
    "job_id, target_name AS protein, search_query, if(has_results, 'yes', 'no') AS has_results, status, created_at,"
    " finished_at, result_rows, ligand_count"
)
"""Columns of the export."""

SORTS = {
    "created_desc": "created_s DESC, sequence DESC",
    "created_asc": "created_s, sequence",
    "modified_desc": "modified_s DESC, sequence DESC",
    "protein": "lower(target_name), created_s DESC, sequence DESC",
    "job_id": "job_id",
}
"""Orders by name; each is total, as no two jobs have the same number, so that pages fit together."""


@dataclass(frozen=True, slots=True)
class JobFilters:
    """Conditions for jobs; None matches all.

    Parameters
    ----------
    protein, query : str or None
        Part of the target's name or of the query, in any case.
    available : bool or None
        Whether the job has results.
    status, ligand, pdb_id : str or None
        State; a component code and an entry in its results.
    created_after, created_before : str or None
        Times in the format of records: from the first (inclusive) to the second (exclusive).
    viewer : str or None
        Owner whose jobs match, in addition to examples.
    """

    protein: str | None = None
    query: str | None = None
    available: bool | None = None
    status: str | None = None
    ligand: str | None = None
    pdb_id: str | None = None
    created_after: str | None = None
    created_before: str | None = None
    viewer: str | None = None


_CONDITIONS = {
    "protein": "contains(lower(target_name), lower(?))",
    "query": "contains(lower(search_query), lower(?))",
    "available": "has_results = ?",
    "status": "status = ?",
    "created_after": "created_at >= ?",
    "created_before": "created_at < ?",
    "viewer": "(owner = ? OR source = 'example')",
    "ligand": "contains(codes, ?)",
    "pdb_id": "contains(entries, ?)",
}
"""Condition of each filter."""


def where(filters: JobFilters) -> tuple[str, list[Any]]:
    """Return the condition of filters, with its values; empty when there is none."""
    given = {name: value for name in _CONDITIONS if (value := getattr(filters, name)) is not None}
    values = [words([value]) if name in ("ligand", "pdb_id") else value for name, value in given.items()]
    return ("WHERE " + " AND ".join(_CONDITIONS[name] for name in given) if given else ""), values


def words(names: Iterable[str]) -> str:
    """Return names as one text in which each is found between two spaces, in upper case."""
    return f" {' '.join(sorted({name.upper() for name in names}))} "


def csv_bytes(rows: Iterable[Iterable[object]]) -> bytes:
    """Return rows as CSV of RFC 4180; text that a spreadsheet would read as a formula is escaped."""
    text = io.StringIO()
    safe = (
        [f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in row] for row in rows
    )
    csv.writer(text).writerows(safe)
    return text.getvalue().encode()
