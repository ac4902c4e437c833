"""Filters, sorts and pages the rows of a table as a client asks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from service.errors import InvalidParameter
from service.index.query import FORMULA
from service.results.tables import CellRow, TableCache, cell_rows, row_count
from tethermap.base.tables import Column, Row, Table, format_value

R = TypeVar("R", bound=Row)

RESERVED = ("table", "sort", "limit", "offset", "format")
"""Parameters of the route that are no columns."""

MAX_FILTERS = 50
"""Columns that one request may filter by: each is looked at in every row."""

_BATCH = 500
_NUMBER = re.compile(r"[+-][0-9.]+[A-Za-z]?")
"""A signed number, residue ids with insertion codes included."""


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """A table as a client wants to see it.

    Parameters
    ----------
    columns : sequence of Column
        Its columns.
    tests : sequence of callable
        A row is in the view when all are true of it.
    sort : Column or None
        By what it is sorted; None for the table's own order.
    descending : bool
        Whether the largest comes first.
    holding : sequence of str
        What the text of every row of the view holds, in lower case.
    """

    columns: Sequence[Column]
    tests: Sequence[Callable[[Row], bool]]
    sort: Column | None = None
    descending: bool = False
    holding: Sequence[str] = ()

    def page(self, cache: TableCache, job: Path, table: Table, part: slice) -> tuple[list[CellRow], int]:
        """Return some rows of the view of a job's table, and how many it has."""
        if not self.tests and self.sort is None:
            return list(islice(cell_rows(job, table), part.start, part.stop)), row_count(job, table)
        # Of a long table only the lines that hold the texts asked for are even split.
        kept = self.rows(cache.small(job, table) or list(cell_rows(job, table, self.holding)))
        return kept[part], len(kept)

    def rows(self, rows: Sequence[R]) -> list[R]:
        """Return the rows of the view in its order; what is not known comes last."""
        kept = [row for row in rows if all(test(row) for test in self.tests)]
        if self.sort is None:
            return kept
        name = self.sort.name
        known = [row for row in kept if row[name] not in (None, "")]
        unknown = [row for row in kept if row[name] in (None, "")]
        known.sort(key=lambda row: row[name], reverse=self.descending)  # type: ignore[arg-type, return-value]
        return known + unknown


def view_of(columns: Sequence[Column], parameters: Sequence[tuple[str, str]], sort: str | None) -> RowsWanted:
    """Return the view that query parameters ask for.

    Raises
    ------
    InvalidParameter
        If a column is unknown or a value can't be compared with it.
    """
    known = {column.name: column for column in columns}
    tests, holding = [], []
    for name, text in parameters:
        if name in RESERVED:
            continue
        column_name, _, operator = name.rpartition("__") if name not in known else (name, "", "")
        if operator not in ("", "gte", "lte", "contains") or column_name not in known:
            raise InvalidParameter(
                f"{name[:64]} is not a column of the table.",
                details={"parameter": name[:64], "known": [*RESERVED, *known]},
            )
        tests.append(_test(known[column_name], operator, text, name))
        if operator in ("", "contains") and known[column_name].kind == "text" and '"' not in text:
            holding.append(text.lower())
    if len(tests) > MAX_FILTERS:
        raise InvalidParameter(
            f"At most {MAX_FILTERS} filters may be given.", details={"parameter": "filters", "maximum": MAX_FILTERS}
        )
    if not sort:
        return RowsWanted(columns, tests, holding=holding)
    column = sort.removeprefix("-")
    if column not in known:
        raise InvalidParameter("sort must be a column of the table, or - and a column.", details={"parameter": "sort"})
    return RowsWanted(columns, tests, known[column], descending=sort.startswith("-"), holding=holding)


def _test(column: Column, operator: str, text: str, parameter: str) -> Callable[[Row], bool]:
    """Return whether a row passes one parameter."""
    name = column.name
    if operator == "contains":
        part = text.lower()
        return lambda row: part in format_value(row[name], column).lower()
    if column.kind == "text":
        if operator == "gte":
            return lambda row: str(row[name]) >= text
        if operator == "lte":
            return lambda row: "" != str(row[name]) <= text
        if name in ("pdb_id", "Warhead", "Ligand", "ligand"):
            return lambda row: str(row[name]).lower() == text.lower()
        return lambda row: str(row[name]) == text
    wanted = _value(column, text, parameter)
    if operator == "":
        return lambda row: row[name] == wanted
    if operator == "gte":
        return lambda row: row[name] is not None and row[name] >= wanted  # type: ignore[operator]
    return lambda row: row[name] is not None and row[name] <= wanted  # type: ignore[operator]


def _value(column: Column, text: str, parameter: str) -> float | bool | None:
    text = text.strip()
    try:
        if text == "":
            return None
        if column.kind == "flag":
            return {"true": True, "false": False, "1": True, "0": False}[text.lower()]
        return float(text) + 0.0
    except (ValueError, KeyError):
        wanted = "true or false" if column.kind == "flag" else "a number"
        raise InvalidParameter(f"{parameter} must be {wanted}.", details={"parameter": parameter}) from None


def _safe(text: str, column: Column) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers, residue -5 too, stay as they are."""
    if column.kind != "text" or not text.startswith(FORMULA) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def csv_lines(columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[bytes]:
    """Yield a table as CSV, some hundred rows at a time, each cell as the pipeline writes it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    for start in range(0, len(rows), _BATCH):
        for row in rows[start : start + _BATCH]:
            writer.writerow([_safe(format_value(row[column.name], column), column) for column in columns])
        yield text.getvalue().encode("utf-8")
        text.seek(0)
        text.truncate()
    if not rows:
        yield text.getvalue().encode("utf-8")
