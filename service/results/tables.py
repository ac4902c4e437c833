"""Rows of a job's tables, queried with DuckDB: from Parquet, or from CSV in jobs of earlier versions."""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from service.errors import QueueFull
from service.jobs.durable import raise_shortage
from service.lru import Lru
from tethermap.base.parquet import ROW, cell_of, connect, file_columns, literal, quoted, source
from tethermap.base.tables import Column, Row, Table, Value, by_key, natural_key

Rows = Sequence[Row]

_MEMORY = "256MB"
_SECONDS = 20.0
"""Limits of all queries together, and of one."""

_FILES = 512
"""Maximum number of files whose columns are cached."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)

OF_STEMS = "stem IN (SELECT unnest(?))"
"""Condition for the rows of a list of instances."""

INSTANCE_COLUMNS = ("pdb_id", "Chain", "Warhead", "Residue_ID", "stem")
"""Columns by which `matching` finds instances."""


class TableFile(NamedTuple):
    """A table's file: its columns, those that the file of another version lacks, and SQL that reads its rows."""

    path: Path
    columns: tuple[Column, ...]
    lacking: tuple[Column, ...]
    rows: str


class Database:
    """DuckDB over the tables of all jobs; each query has a separate cursor.

    Parameters
    ----------
    seconds : float
        Time limit of a query.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._database = connect(memory=_MEMORY)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._ends: dict[duckdb.DuckDBPyConnection, float] = {}
        self._timer: threading.Timer | None = None
        self._files: Lru[tuple[Path, int, int], TableFile] = Lru(_FILES)

    def close(self) -> None:
        """Close the database; a query that still runs ends first."""
        self._database.close()

    def of(self, job: Path) -> JobTables:
        """Return the tables of a job's folder."""
        return JobTables(job, self)

    def file(self, job: Path, table: Table) -> TableFile | None:
        """Return the columns of a table's file and the SQL that reads it; None if it does not exist or is empty."""
        path = job / table.path
        try:
            status = path.stat()
            key = (path, status.st_mtime_ns, status.st_size)
            with self._lock:
                file = self._files.use(key)
            if file is None:
                columns = file_columns(path, table)
                names = {column.name for column in columns}
                lacking = tuple(column for column in table.columns if column.name not in names)
                file = TableFile(path, columns, lacking, source(job, table, columns) if columns else "")
                with self._lock:
                    self._files.keep(key, file)
        except OSError as error:
            raise_shortage(error)
            return None
        return file if file.columns else None

    def query(self, file: TableFile, select: str, rest: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the selection of a query from a file; none if it was removed meanwhile.

        Raises
        ------
        QueueFull
            If it takes longer than the time limit, or more memory than all queries may have.
        """
        query = f"FROM ({file.rows}) SELECT {select} {rest}"
        with self._database.cursor() as cursor, self._limited(cursor):
            try:
                return cursor.execute(query, list(values)).fetchall()
            except duckdb.InterruptException:
                raise took_too_long() from None
            except duckdb.OutOfMemoryException:
                raise took_too_long("needs too much memory") from None
            except duckdb.IOException as error:
                raise_shortage(error)
                if file.path.is_file():
                    raise
                return []

    @contextlib.contextmanager
    def _limited(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Interrupt a query at its time limit; all share a timer, as one of its own takes as long as a short query."""
        with self._lock:
            self._ends[cursor] = time.monotonic() + self._seconds
            if self._timer is None:
                self._start_timer(self._seconds)
        try:
            yield
        finally:
            with self._lock:
                del self._ends[cursor]

    def _start_timer(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._interrupt_late)
        self._timer.daemon = True
        self._timer.start()

    def _interrupt_late(self) -> None:
        with self._lock:
            now, self._timer = time.monotonic(), None
            for cursor, end in self._ends.items():
                if end <= now:
                    cursor.interrupt()
            if self._ends:
                self._start_timer(max(min(self._ends.values()) - now, self._seconds / 100))


@dataclass(frozen=True, slots=True)
class JobTables:
    """The result tables of a job, read with DuckDB.

    Parameters
    ----------
    folder : Path
        The job folder.
    database : Database
        The database of all jobs.
    """

    folder: Path
    database: Database

    def columns(self, table: Table) -> tuple[Column, ...]:
        """Return the columns of a table: those of its file, else those that it would have."""
        file = self.database.file(self.folder, table)
        return file.columns if file else table.columns

    def rows(
        self, table: Table, rest: str = "", values: Sequence[Any] = (), names: Collection[str] | None = None
    ) -> list[dict[str, Value]]:
        """Return rows of a table; none if it does not exist (yet).

        Columns that the file of another version lacks come last, empty.

        Parameters
        ----------
        table : Table
            The table.
        rest : str
            Clauses of SQL, such as ``WHERE stem = ?``.
        values : sequence
            Values of the question marks.
        names : collection of str or None
            Columns to return; None for all.
        """
        file = self.database.file(self.folder, table)
        if file is None:
            return []
        chosen = [one for one in file.columns if names is None or one.name in names]
        lacking = [one for one in file.lacking if names is None or one.name in names]
        blank = {one.name: "" if one.kind == "text" else None for one in lacking}
        cells = [quoted(column.name) if column.separator else cell_of(column) for column in chosen]
        keys = [column.name for column in chosen]
        found = self.database.query(file, ", ".join(cells) or "NULL", rest, values)
        rows = [{**dict(zip(keys, row, strict=False)), **blank} for row in found]
        for column in chosen:  # joined here, as SQL for it takes longer to plan than the other columns of few rows
            if column.separator:
                for row in rows:
                    row[column.name] = joined(column, row[column.name])
        return rows

    def of_entries(self, table: Table, pdb_ids: Iterable[str], names: Collection[str]) -> list[dict[str, Value]]:
        """Return the rows of the instances of the given entries, for any form of their ids."""
        known = [form for one in pdb_ids for form in (same_entry(one), f"pdb_0000{same_entry(one)}")]
        return self.rows(table, "WHERE lower(pdb_id) IN (SELECT unnest(?))", [known], names)

    def fetch(self, table: Table, select: str, rest: str = "", values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the selection of a query from a table; none if the table does not exist."""
        file = self.database.file(self.folder, table)
        return self.database.query(file, select, rest, values) if file else []


def took_too_long(reason: str = "took too long") -> QueueFull:
    """Return the error for a request whose queries need too much time, or `reason`."""
    return QueueFull(f"The query {reason}: request fewer rows, or try again later.", retry_after=30)


def joined(column: Column, values: Sequence[Any] | None) -> str:
    """Return the cell of a list, as `cell_of` does."""
    items = [value for value in values or () if value is not None]
    return column.separator.join([f"{x:.{column.decimals}f}" for x in items] if column.items == "number" else items)


def json_of(columns: Sequence[Column]) -> str:
    """Return the expression that gives a row as JSON in UTF-8."""
    return f"encode(to_json({{{', '.join(f'{literal(one.name)}: {cell_of(one)}' for one in columns)}}})::VARCHAR)"


def ordered_by(column: Column, *, descending: bool = False) -> str:
    """Return the clause that sorts rows by a column; unknown values are last."""
    cell = f"nullif({cell_of(column)}, '')" if column.kind == "text" else quoted(column.name)
    return f"ORDER BY {cell} {'DESC' if descending else 'ASC'} NULLS LAST, {ROW}"


def same_entry(one: str) -> str:
    """Return a PDB id in the form by which ids are compared: lower case, ``pdb_00001abc`` as ``1abc``."""
    name = one.lower()
    short = name.removeprefix("pdb_0000")
    return short if len(name) == len("pdb_00001abc") and len(short) == 4 else name


def same_residue(one: str) -> str:
    """Return a residue id in the format of tables: text, ``200.0`` as ``200``, with insertion code."""
    whole, dot, rest = one.partition(".")
    return whole if dot and rest.strip("0") == "" and whole.lstrip("-").isdigit() else one


def pick_chain(chains: Sequence[str], asked: str) -> str | None:
    """Return the requested chain: an exact match, else the only match in any case."""
    if asked in chains:
        return asked
    near = sorted({chain for chain in chains if chain.lower() == asked.lower()})
    return near[0] if len(near) == 1 else None


def matching(
    rows: Rows, pdb_id: str | None, chain: str | None = None, ligand: str | None = None, residue: str | None = None
) -> list[Row]:
    """Return the rows of the requested instances, lowest residue first; without an entry, one entry after another.

    Parameters
    ----------
    rows : sequence of mapping
        Rows with `pdb_id`, `Chain`, `Warhead` and `Residue_ID`.
    pdb_id, chain, ligand, residue : str or None
        A client's parameters; None for any.
    """
    if pdb_id is None:  # chain and ligand mean something in each entry for itself
        entries = by_key((str(row["pdb_id"]), row) for row in rows)
        return [row for one in sorted(entries) for row in matching(entries[one], one, chain, ligand, residue)]
    entry = same_entry(pdb_id)
    matches = [row for row in rows if same_entry(str(row["pdb_id"])) == entry]
    if chain is not None:
        name = pick_chain([str(row["Chain"]) for row in matches], chain)
        matches = [row for row in matches if row["Chain"] == name]
    if ligand is not None:
        code = ligand.upper()  # of a component, else of the groups that it is part of
        named = [row for row in matches if row["Warhead"] == code]
        matches = named or [row for row in matches if code in str(row.get("components", "")).split("+")]
    if residue is not None:
        matches = [row for row in matches if row["Residue_ID"] == same_residue(residue)]
    return sorted(matches, key=lambda row: natural_key(str(row["Residue_ID"])))


def number(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a row, None when it is unknown."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def plain_number(text: str) -> float | None:
    """Return a finite number in ASCII digits; None for any other text, such as ``1_0`` and ``nan``."""
    value = float(text) + 0.0 if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None
