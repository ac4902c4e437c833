"""Filters, sorts and pages of the rows of a table."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

from service.errors import InvalidParameter, wrong_parameter, wrong_value
from service.results.tables import JobTables, ordered_by, plain_number, same_entry, same_residue
from service.scrub import FORMULA
from tethermap.base.parquet import cell_of, literal, quoted, text_of
from tethermap.base.tables import Column, Row, Table, csv_lines, format_value

RESERVED = ("table", "sort", "limit", "offset", "format", "columns")
"""Parameters of the route that are not columns."""

MAX_FILTERS = 50
"""Maximum number of columns in the filters of one request, each of which reads all rows."""

_OPERATORS = {"": "=", "gte": ">=", "lte": "<="}
_LINES = 20_000
"""Rows of CSV per query."""

_NUMBER = re.compile(r"[+-][0-9.]+[A-Za-z]?")
"""A signed number, residue ids with insertion codes included."""


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """The requested view of a table.

    Parameters
    ----------
    tests : sequence of str
        Conditions in SQL that a row must meet, all of them.
    values : sequence
        Values of their question marks.
    order : str
        Clause that sorts the rows; empty for the table's own order.
    """

    tests: Sequence[str]
    values: Sequence[Any]
    order: str = ""

    @property
    def where(self) -> str:
        """The clause that filters the rows."""
        return f"WHERE {' AND '.join(self.tests)}" if self.tests else ""

    def having(self, test: str, *values: Any) -> Self:
        """Return the view with a further condition and the values of its question marks."""
        return replace(self, tests=[*self.tests, test], values=[*self.values, *values])

    def count(self, reader: JobTables, table: Table) -> int:
        """Return how many rows of a job's table are in the view."""
        found = reader.fetch(table, "count(*)", self.where, self.values)
        return int(found[0][0]) if found else 0

    def csv(
        self, reader: JobTables, table: Table, columns: Sequence[Column], limit: int | None, offset: int
    ) -> Iterator[str]:
        """Yield the header and rows of the view as CSV, as `csv_text` does; DuckDB writes the lines."""
        yield csv_lines([[column.name for column in columns]])
        line, end = _line_of(columns), None if limit is None else offset + limit
        for start in range(offset, sys.maxsize if end is None else end, _LINES):
            size = _LINES if end is None else min(_LINES, end - start)
            lines = reader.fetch(table, line, self.page(size, start), self.values)
            yield "".join(chain.from_iterable(lines))
            if len(lines) < _LINES:
                return

    def page(self, limit: int | None, offset: int) -> str:
        """Return the clauses that give some rows of the view."""
        return f"{self.where} {self.order} {'' if limit is None else f'LIMIT {limit:d}'} OFFSET {offset:d}"


def view_of(
    columns: Sequence[Column],
    parameters: Sequence[tuple[str, str]],
    sort: str | None = None,
    reserved: Sequence[str] = RESERVED,
) -> RowsWanted:
    """Return the view in query parameters.

    Parameters
    ----------
    columns : sequence of Column
        Columns of the table.
    parameters : sequence of tuple of str
        Names and values of the query.
    sort : str or None
        Column that sorts the rows, with ``-`` for descending order.
    reserved : sequence of str
        Parameters of the route that are not columns.

    Raises
    ------
    InvalidParameter
        If a column is unknown or a value can't be compared with it.
    """
    known = {column.name: column for column in columns}
    tests: list[str] = []
    values: list[Any] = []
    for name, text in parameters:
        if name in reserved:
            continue
        column_name, _, operator = name.rpartition("__") if name not in known else (name, "", "")
        if operator not in ("", "gte", "lte", "contains") or column_name not in known:
            reason = "is not a column of the table; details.known has all"
            raise wrong_parameter(name[:64], reason, known=[*reserved, *known])
        test, value = _test(known[column_name], operator, text, name)
        tests.append(test)
        values += value
    if len(tests) > MAX_FILTERS:
        message = f"At most {MAX_FILTERS} filters may be given."
        raise InvalidParameter(message, parameter="filters", maximum=MAX_FILTERS)
    if not sort:
        return RowsWanted(tests, values)
    column = sort.removeprefix("-")
    if column not in known:
        wanted = "a column of the table, with a leading - for descending order"
        raise wrong_value("sort", sort, wanted, known=list(known))
    return RowsWanted(tests, values, ordered_by(known[column], descending=sort.startswith("-")))


def _test(column: Column, operator: str, text: str, parameter: str) -> tuple[str, list[Any]]:
    """Return the condition of one parameter and the values of its question marks."""
    if operator == "contains":
        return f"contains(lower({text_of(column)}), ?)", [text.lower()]
    name = quoted(column.name)
    if column.kind == "text":
        cell = cell_of(column)
        if operator == "" and column.name in ("pdb_id", "Warhead", "Ligand", "ligand"):
            return f"lower({cell}) IN (?, ?)", [text.lower(), same_entry(text)]
        if operator == "" and column.name in ("Residue_ID", "residue"):
            text = same_residue(text)
        known = f"{cell} <> '' AND " if operator == "lte" else ""
        return f"({known}{cell} {_OPERATORS[operator]} ?)", [text]
    wanted = _value(column, text, parameter)
    if wanted is None:
        return (f"{name} IS NULL" if operator == "" else "false"), []
    return f"{name} {_OPERATORS[operator]} ?", [wanted]


def _value(column: Column, text: str, parameter: str) -> float | bool | None:
    text = text.strip()
    flags = {"true": True, "false": False, "1": True, "0": False}
    value = flags.get(text.lower()) if column.kind == "flag" else plain_number(text)
    if value is None and text:
        raise wrong_value(parameter, text, "true or false" if column.kind == "flag" else "a number")
    return value


def _safe(text: str, column: Column) -> str:
    """Return a cell that no spreadsheet reads as a formula; numbers, also residue -5, are unchanged."""
    if column.kind != "text" or not text.startswith(FORMULA) or len(text) == 1 or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def _line_of(columns: Sequence[Column]) -> str:
    """Return the expression that gives a row as a line of CSV, as `csv_text` writes it."""
    first = ", ".join(map(literal, FORMULA))
    formula = f"x[1] IN ({first}) AND length(x) > 1 AND NOT regexp_full_match(x, {literal(_NUMBER.pattern)})"
    safe = f"list_transform([{', '.join(map(text_of, columns))}], lambda x: if({formula}, '''' || x, x))"
    special = " OR ".join(f"contains(x, {literal(one)})" for one in (",", '"', "\n", "\r"))
    quoted_cells = f"""list_transform({safe}, lambda x: if({special}, '"' || replace(x, '"', '""') || '"', x))"""
    return f"array_to_string({quoted_cells}, ',') || chr(10)"


def csv_text(columns: Sequence[Column], rows: Iterable[Row]) -> str:
    """Return a table as CSV, each cell in the pipeline's format."""
    cells = ([_safe(format_value(row.get(column.name), column), column) for column in columns] for row in rows)
    return csv_lines([[column.name for column in columns], *cells])
