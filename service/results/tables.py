"""Rows of a job's tables as values, kept in memory while they are small and unchanged."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from json.encoder import encode_basestring
from operator import getitem
from pathlib import Path
from typing import Any, Generic, TypeVar

from service.jobs.durable import raise_shortage
from service.lru import Lru
from tethermap.base.tables import PARSERS, Column, Row, Table, Value, lines_ending, natural_key, parse_value, read_table

Rows = Sequence[Row]
Reader = Callable[[str], Value]
"""Reads the text of a cell."""

P = TypeVar("P")

_CACHE_BYTES = 3 << 20
_LARGEST_CACHED = 5 << 18
_LEAST_COUNTED = 1 << 15
"""Bytes that a small table counts as at least: what it takes beside its cells is the same for each."""


class TableCache:
    """Reads tables and keeps the small ones that were used last.

    Parameters
    ----------
    capacity : int
        Bytes of the files that are kept at most; their rows take up to eight times as much.
    """

    def __init__(self, capacity: int = _CACHE_BYTES) -> None:
        self._lock = threading.Lock()
        self._kept: Lru[Path, tuple[tuple[int, int], Sequence[CellRow]]] = Lru(
            capacity, lambda _, kept: max(kept[0][1], _LEAST_COUNTED)
        )

    def rows(self, job: Path, table: Table) -> Sequence[CellRow]:
        """Return all rows of a job's table; none when it is not there (yet)."""
        return self.small(job, table) or list(cell_rows(job, table))

    def small(self, job: Path, table: Table) -> Sequence[CellRow]:
        """Return all rows of a table that is small enough to be kept, none of another."""
        path = job / table.path
        try:
            status = path.stat()
        except OSError:
            return ()
        stamp = (status.st_mtime_ns, status.st_size)
        with self._lock:
            kept = self._kept.use(path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        if status.st_size > _LARGEST_CACHED:
            return ()
        rows = list(cell_rows(job, table))
        with self._lock:
            self._kept.keep(path, (stamp, rows))
        return rows


class LazyRow(Mapping[str, Value], Generic[P]):
    """A row whose values are read when they are asked for.

    Parameters
    ----------
    columns : mapping of str to object
        By the name of a column where its value is.
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, P]) -> None:
        self._columns = columns

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or what is given where there is no such column."""
        return self[name] if name in self._columns else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class CellRow(LazyRow[tuple[int, Reader | None]]):
    """A row of a file, as the texts of its cells.

    Parameters
    ----------
    columns : mapping of str to tuple of int and callable or None
        By the name of a column its place, and how its cells are read; None for texts.
    cells : sequence of str
        The texts of all cells.
    """

    __slots__ = ("cells",)

    def __init__(self, columns: Mapping[str, tuple[int, Reader | None]], cells: Sequence[str]) -> None:
        super().__init__(columns)
        self.cells = cells

    def __getitem__(self, name: str) -> Value:
        place, read = self._columns[name]
        return self.cells[place] if read is None else read(self.cells[place])


class RowWriter:
    """Writes rows of a table as JSON: the value of a cell is read once for all rows that have the same text.

    Parameters
    ----------
    columns : sequence of Column
        Those of the file.

    Examples
    --------
    >>> columns = (Column("Warhead"), Column("score", "number"))
    >>> RowWriter(columns).text(["478", "0.50"])
    '{"Warhead":"478","score":0.5}'
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._values = [_CellValues(column) for column in columns]
        names = (json.dumps(column.name, ensure_ascii=False).replace("%", "%%") for column in columns)
        self._pattern = f"{{{','.join(f'{name}:%s' for name in names)}}}"

    def text(self, cells: Sequence[str]) -> str:
        """Return a row."""
        return self._pattern % tuple(map(getitem, self._values, cells))


class _CellValues(dict[str, str]):
    """The value of each cell of a column as JSON, by the cell's text."""

    def __init__(self, column: Column) -> None:
        super().__init__()
        self._column = column

    def __missing__(self, cell: str) -> str:
        value = parse_value(cell, self._column)
        if isinstance(value, str):  # what `json.dumps` does, which takes ten times as long for a single value
            text = encode_basestring(value)
        elif value is None:
            text = "null"
        else:
            text = str(value).lower() if isinstance(value, bool) else repr(value)
        self[cell] = text
        return text


def cell_rows(
    job: Path, table: Table, holding: Collection[str] = (), stems: Collection[str] | None = None
) -> Iterator[CellRow]:
    """Yield the rows of a job's table; none when it is not there (yet).

    Columns that the file of another version lacks come after its own, empty.

    Parameters
    ----------
    job, table : Path, Table
        The job folder and the table.
    holding : collection of str
        Texts that a row must hold, in lower case.
    stems : collection of str or None
        Instances whose rows are wanted, best in the table's order; None for all.
    """
    own = {column.name: column for column in columns_of(job, table)}
    whole = own | {column.name: column for column in table.columns if column.name not in own}
    columns = {name: (place, PARSERS.get(column.kind)) for place, (name, column) in enumerate(whole.items())}
    missing = [""] * len(columns)
    try:
        with (job / table.path).open(encoding="utf-8", newline="") as stream:
            stream.readline()
            last = next(reversed(own), "") == "stem"
            lines: Iterable[str] = lines_ending(job / table.path, stems) if stems is not None and last else stream
            for text in holding:
                lines = filter(partial(_holds, text), lines)
            for cells in csv.reader(lines):
                row = CellRow(columns, cells if len(cells) >= len(columns) else [*cells, *missing[len(cells) :]])
                if stems is None or last or row.get("stem") in stems:
                    yield row
    except OSError as error:
        raise_shortage(error)
        return


def _holds(text: str, line: str) -> bool:
    return text in line.lower()


def row_count(job: Path, table: Table) -> int:
    """Return the number of rows of a job's table, none of which has an end of line in a cell."""
    try:
        with (job / table.path).open("rb") as stream:
            return max(sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b"")) - 1, 0)
    except OSError as error:
        raise_shortage(error)
        return 0


def columns_of(job: Path, table: Table) -> tuple[Column, ...]:
    """Return the columns of a job's table: those of its file, else those that it would have."""
    try:
        with (job / table.path).open(encoding="utf-8", newline="") as stream:
            header = next(csv.reader(stream), [])
    except OSError as error:
        raise_shortage(error)
        return table.columns
    known = {column.name: column for column in table.columns}
    return tuple(known.get(name, Column(name)) for name in header)


def read_rows(path: Path, table: Table, stems: Collection[str] | None = None) -> Iterator[dict[str, Value]]:
    """Yield the rows of a table, of some instances or of all; none when it is not there (yet)."""
    try:
        yield from read_table(path, table, strict=False, stems=stems)
    except OSError as error:
        raise_shortage(error)
        return


def same_entry(one: str) -> str:
    """Return a PDB id in the form by which ids are compared: lower case, ``pdb_00001abc`` as ``1abc``."""
    name = one.strip().lower()
    short = name.removeprefix("pdb_0000")
    return short if len(name) == len("pdb_00001abc") and len(short) == 4 else name


def same_residue(one: str) -> str:
    """Return a residue id as tables have it: text, ``200.0`` as ``200``, insertion code kept."""
    text = one.strip()
    whole, dot, rest = text.partition(".")
    return whole if dot and rest.strip("0") == "" and whole.lstrip("-").isdigit() else text


def pick_chain(chains: Sequence[str], asked: str) -> str | None:
    """Return the chain that is meant: the one so spelt, else the only one when case is ignored."""
    if asked in chains:
        return asked
    near = sorted({chain for chain in chains if chain.lower() == asked.lower()})
    return near[0] if len(near) == 1 else None


def matching(
    rows: Rows, pdb_id: str | None, chain: str | None = None, ligand: str | None = None, residue: str | None = None
) -> list[Row]:
    """Return the rows of instances that are meant, lowest residue first; of any entry, one entry after another.

    Parameters
    ----------
    rows : sequence of mapping
        Rows with `pdb_id`, `Chain`, `Warhead` and `Residue_ID`.
    pdb_id, chain, ligand, residue : str or None
        What a client gave; None for any.
    """
    if pdb_id is None:  # chain and ligand mean something in each entry for itself
        entries: dict[str, list[Row]] = {}
        for row in rows:
            entries.setdefault(str(row["pdb_id"]), []).append(row)
        return [row for one in sorted(entries) for row in matching(entries[one], one, chain, ligand, residue)]
    entry = same_entry(pdb_id)
    matches = [row for row in rows if same_entry(str(row["pdb_id"])) == entry]
    if chain is not None:
        name = pick_chain([str(row["Chain"]) for row in matches], chain.strip())
        matches = [row for row in matches if row["Chain"] == name]
    if ligand is not None:
        matches = _of_ligand(matches, ligand.strip().upper())
    if residue is not None:
        matches = [row for row in matches if row["Residue_ID"] == same_residue(residue)]
    return sorted(matches, key=lambda row: natural_key(str(row["Residue_ID"])))


def _of_ligand(rows: Rows, code: str) -> list[Row]:
    """Return the rows of a component, else those of groups that it is part of."""
    named = [row for row in rows if row["Warhead"] == code]
    return named or [row for row in rows if code in str(row.get("components", "")).split("+")]


def number(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a row, None when it is unknown."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
