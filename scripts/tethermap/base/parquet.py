"""Tables as Parquet with real types, and SQL that reads a job's table from Parquet or, if there is none, from CSV.

Parquet is made from the finished CSV by DuckDB, so that both always have the same rows. DuckDB is imported only by the
functions that run it: its import takes as long as the rest of a light script.
"""

from __future__ import annotations

import csv
import glob
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tethermap.base import layout
from tethermap.base.atomic import replacing, write_parts
from tethermap.base.column_words import dictionary, words_of
from tethermap.base.tables import AFFINITY, POSES, PUBLISHED, RESULT_TABLES, Column, Table

if TYPE_CHECKING:
    import duckdb

PARQUET_TABLES = (*RESULT_TABLES, POSES, AFFINITY, PUBLISHED)
"""Tables that a job has as Parquet, the last three only if it has poses, `source.affinity` or `source.degraders`."""

ROW_GROUP = 20_480
"""Rows of a group; DuckDB writes a group when it is complete."""

_BUFFER = 4_000_000
"""Bytes of CSV in one buffer, twice the longest line; DuckDB uses several buffers, of 32 MB by default."""

_WRITER = "128MB"
"""Maximum memory of the database that writes Parquet, in a process that has other memory."""

_TYPES = {"integer": "BIGINT", "number": "DOUBLE", "flag": "BOOLEAN", "text": "VARCHAR"}


def connect(threads: int = 1, memory: str = "256MB") -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty database in memory, with limits.

    Parameters
    ----------
    threads : int
        Number of threads; with one the same rows give the same bytes.
    memory : str
        Maximum memory.
    """
    import duckdb

    fixed = {"temp_directory": "", "autoinstall_known_extensions": "false", "lock_configuration": "true"}
    return duckdb.connect(config={"threads": str(threads), "memory_limit": memory, **fixed})


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """Return the path of one file to read as a literal of SQL: DuckDB would match ``run[1]`` with ``run1`` too."""
    return literal(glob.escape(str(path)))


def file_columns(path: Path, table: Table) -> tuple[Column, ...]:
    """Return the columns of a CSV file: those of another version are text."""
    with path.open(encoding="utf-8", newline="") as stream:
        header = next(csv.reader(stream), [])
    by_name = {column.name: column for column in table.columns}
    return tuple(by_name.get(name, Column(name)) for name in header)


def csv_rows(path: Path, columns: Sequence[Column]) -> str:
    """Return SQL that reads a CSV file with typed columns: lists become lists, empty cells null."""
    names = ", ".join(f"{literal(column.name)}: '{_cell_type(column)}'" for column in columns)
    options = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', null_padding = true"
    options += f", parallel = false, strict_mode = false, buffer_size = {_BUFFER}, columns = {{{names}}}"
    return f"FROM read_csv({file_literal(path)}, {options}) SELECT {', '.join(map(_typed, columns))}"


def _cell_type(column: Column) -> str:
    """Return the type as which a cell of CSV is read."""
    return "VARCHAR" if column.separator or column.kind == "flag" else _TYPES[column.kind]


def _typed(column: Column) -> str:
    """Return the expression that types a cell of CSV, read as `_cell_type`."""
    name = quoted(column.name)
    if column.separator:
        cell = f"string_split({name}, {literal(column.separator)})"
        cell = f"list_transform({cell}, lambda x: TRY_CAST(x AS DOUBLE))" if column.items == "number" else cell
    elif column.kind == "flag":
        cell = f"{name} = 'True'"
    elif column.kind == "number":
        cell = f"CASE WHEN isfinite({name}) THEN {name} END"
    else:
        cell = name
    return f"{cell} AS {name}"


def _type(column: Column) -> str:
    """Return the type of a column in Parquet."""
    return f"{_TYPES[column.items]}[]" if column.separator else _TYPES[column.kind]


def cell_of(column: Column) -> str:
    """Return the SQL expression for a typed column's value in the format of `tables.parse_value`, with lists joined."""
    name = quoted(column.name)
    if column.separator:
        items = (
            f"list_transform({name}, lambda x: printf('%.{column.decimals}f', x))" if column.items == "number" else name
        )
        return f"coalesce(array_to_string({items}, {literal(column.separator)}), '')"
    return f"coalesce({name}, '')" if column.kind == "text" else name


def text_of(column: Column) -> str:
    """Return the expression that gives the text of a typed column's cell in CSV."""
    name = quoted(column.name)
    if column.kind == "number":
        return f"coalesce(printf('%.{column.decimals}f', {name}), '')"
    if column.kind == "flag":
        return f"CASE {name} WHEN true THEN 'True' WHEN false THEN 'False' ELSE '' END"
    return cell_of(column) if column.kind == "text" else f"coalesce({name}::VARCHAR, '')"


ROW = "file_row_number"
"""Column with the number of a row, which `source` adds."""


def source(job: Path, table: Table, columns: Sequence[Column]) -> str:
    """Return SQL that reads a job's table: from Parquet, or from CSV if that is newer or of another version.

    Columns that the CSV file of another version lacks are null.

    Parameters
    ----------
    job, table : Path, Table
        The job folder and the table.
    columns : sequence of Column
        Columns of the CSV file, from `file_columns`.
    """
    names = {column.name for column in columns}
    lacking = [f", NULL::{_type(one)} AS {quoted(one.name)}" for one in table.columns if one.name not in names]
    path, text = job / table.parquet, job / table.path
    same = tuple(columns) == table.having(names).columns
    if same and path.is_file() and path.stat().st_mtime_ns >= text.stat().st_mtime_ns:
        return f"FROM read_parquet({file_literal(path)}, {ROW} = true) SELECT *{''.join(lacking)}"
    rows = csv_rows(text, columns)
    return f"FROM ({rows}) SELECT *{''.join(lacking)}, row_number() OVER () AS {ROW}"


def write_parquet(job: Path, tables: Iterable[Table] = PARQUET_TABLES) -> None:
    """Write the Parquet files of a job's tables, and the data dictionary.

    Parameters
    ----------
    job : Path
        The job folder.
    tables : iterable of Table
        Tables to write; if one has no CSV file, its Parquet file is removed.
    """
    with connect(memory=_WRITER) as database:
        for table in tables:
            if (job / table.path).is_file():
                _write(database, job, table)
            else:
                (job / table.parquet).unlink(missing_ok=True)
    extra = (AFFINITY, PUBLISHED)
    written = (_written(job, table) for table in PARQUET_TABLES if table not in extra or (job / table.path).is_file())
    write_parts(job / layout.DATA_DICTIONARY, dictionary(tuple(written)))


def _written(job: Path, table: Table) -> Table:
    """Return a table with the columns that a job's file has."""
    path = job / table.path
    if not path.is_file():
        return table
    columns = file_columns(path, table)
    written = table.having([one.name for one in columns])
    return written if columns == written.columns else table


def _write(database: duckdb.DuckDBPyConnection, job: Path, table: Table) -> None:
    table = _written(job, table)
    words = {one.name: words._asdict() for one in table.columns if (words := words_of(table, one.name))}
    about = literal(json.dumps(words, ensure_ascii=False))
    with replacing(job / table.parquet) as temporary:
        rows = csv_rows(job / table.path, table.columns)
        options = f"FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {ROW_GROUP}, KV_METADATA {{columns: {about}}}"
        database.execute(f"COPY ({rows}) TO {literal(str(temporary))} ({options})")
