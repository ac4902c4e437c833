"""A search that was done before, carried by a job's settings so that a rerun starts from the same entries."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base import layout, tables
from tethermap.base.atomic import read_json
from tethermap.base.tables import Row, format_value, parse_value

KEY = "recorded_search"
"""The setting that contains one."""

_PARTS = {"asked": list, "query": dict, "entries": list}
_ENTRY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COLUMNS = {column.name: column for column in tables.ENTRIES.columns}


def record_search(requested: Sequence[str], query: Mapping[str, Any], entries: Iterable[Row]) -> dict[str, Any]:
    """Return a search as a setting.

    Parameters
    ----------
    requested : sequence of str
        `filters.entries` of the job that searched.
    query : mapping
        Content of ``search/query.json``.
    entries : iterable of Row
        Rows of its ``search/entries.csv``.

    Returns
    -------
    dict
        `asked`, `query`, and `entries` without empty columns.
    """
    rows = [{name: value for name, value in row.items() if value not in (None, "")} for row in entries]
    return {"asked": list(requested), "query": dict(query), "entries": rows}


def taken(recorded: Mapping[str, Any]) -> list[str]:
    """Return the requested ids of the entries that the search accepted, the best first.

    >>> taken({"entries": [{"pdb_id": "1hpv", "selected": True}, {"pdb_id": "1gbt", "selected": False}]})
    ['1hpv']
    """
    return [str(row.get("requested_id") or row["pdb_id"]) for row in recorded["entries"] if row["selected"]]


def entry_rows(recorded: Mapping[str, Any]) -> list[Row]:
    """Return the rows of ``search/entries.csv`` that the search wrote."""
    return [{name: parse_value(format_value(row.get(name), column), column) for name, column in _COLUMNS.items()}
            for row in recorded["entries"]]  # fmt: skip


def fault(recorded: Mapping[str, Any]) -> str:
    """Describe briefly why a setting is not a recorded search; empty if it is valid."""
    if set(recorded) != set(_PARTS):
        return f"it holds {', '.join(sorted(map(str, recorded))) or 'nothing'} instead of {', '.join(_PARTS)}"
    for name, kind in _PARTS.items():
        if not isinstance(recorded[name], kind):
            return f"{name} is no {'list' if kind is list else 'section'}"
    if not isinstance(recorded["query"].get("source"), dict):
        return "query.source is missing"
    for number, row in enumerate(recorded["entries"]):
        if wrong := _row_fault(row):
            return f"entries[{number}] {wrong}"
    return ""


def _row_fault(row: Any) -> str:
    if not isinstance(row, dict):
        return "is no section"
    if unknown := sorted(row.keys() - _COLUMNS.keys()):
        return f"has {unknown[0]}, which is not a column of {tables.ENTRIES.path}"
    for name in ("rank", "pdb_id", "selected"):
        if name not in row:
            return f"has no {name}"
    for name in ("pdb_id", "requested_id"):
        if not _ENTRY_ID.fullmatch(str(row.get(name, row["pdb_id"]))):
            return f"has a {name} that is not an entry id"
    for name, value in row.items():
        kinds: tuple[type, ...] = {"text": (str,), "flag": (bool,), "integer": (int,), "number": (int, float)}[
            _COLUMNS[name].kind
        ]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            return f"has a {name} of the wrong type"
    return ""


def search_source(job: Path) -> str:
    """Return the source of a job's search by the name that the status of unused entries has."""
    origin = read_json(job / layout.SEARCH_QUERY)["source"]
    return f"{origin['kind']}:{origin['label']}" if origin["kind"] == "mirror" else str(origin["kind"])
