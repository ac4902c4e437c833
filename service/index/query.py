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


def where(filters: JobFilters) -> tuple[str, list[Any]]:
    """Return the condition of filters, with its values; empty when there is none."""
    parts: list[str] = []
    values: list[Any] = []

    def add(value: Any, condition: str, *own_values: Any) -> None:
        if value is not None:
            parts.append(condition)
            values.extend(own_values or (value,))

    add(filters.protein, "contains(lower(target_name), lower(?))")
    add(filters.query, "contains(lower(search_query), lower(?))")
    add(filters.available, "has_results = ?")
    add(filters.status, "status = ?")
    add(filters.created_after, "created_at >= ?")
    add(filters.created_before, "created_at < ?")
    add(filters.viewer, "(owner = ? OR source = 'example')")
    add(filters.ligand, "contains(codes, ?)", words([filters.ligand or ""]))
    add(filters.pdb_id, "contains(entries, ?)", words([filters.pdb_id or ""]))
    return ("WHERE " + " AND ".join(parts) if parts else ""), values


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
