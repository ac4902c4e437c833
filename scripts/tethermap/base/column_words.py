"""Unit and meaning of every column, read from data/reference/columns.csv."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tethermap.base.reference import rows_of
from tethermap.base.tables import Column, Table


class Words(NamedTuple):
    """Unit of a column, empty if it has none, and its meaning."""

    unit: str
    meaning: str


@cache
def column_words() -> dict[str, Words]:
    """Return the words of columns by name; a name prefixed with a table applies to that table only."""
    return {row["column"]: Words(row["unit"], row["meaning"]) for row in rows_of("columns")}


def words_of(table: Table, name: str) -> Words | None:
    """Return the words of a column of a table; None if it has none.

    >>> from tethermap.base.tables import EXIT_VECTORS
    >>> words_of(EXIT_VECTORS, "cone_deg").unit
    '°'
    """
    return column_words().get(f"{table.title}.{name}") or column_words().get(name)


_TYPES = {"text": "text", "integer": "integer", "number": "number", "flag": "true or false"}


def dictionary(tables: tuple[Table, ...]) -> Iterator[str]:
    """Yield the data dictionary of the given tables as lines of Markdown."""
    yield "# Columns of the tables\n\n"
    yield "Each Parquet file has the rows of its CSV file. Missing values are null in Parquet, empty in CSV.\n"
    for table in tables:
        yield f"\n## {table.title}\n\n`{table.path}`\n\n| column | type | unit | meaning |\n|---|---|---|---|\n"
        for column in table.columns:
            unit, meaning = words_of(table, column.name) or Words("", "")
            yield f"| `{column.name}` | {_type(column)} | {unit} | {meaning.replace('|', chr(92) + '|')} |\n"


def _type(column: Column) -> str:
    return f"list of {column.items}, joined by `{column.separator}` in CSV" if column.separator else _TYPES[column.kind]
