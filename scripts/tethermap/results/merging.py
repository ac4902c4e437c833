"""One sorted table from the unsorted parts of many shards, in little memory.

Rows are given in blocks (for example all rows of one instance). The blocks are in a temporary file; only their sort
keys and positions are in memory, so the memory doesn't grow with the rows.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

from tethermap.answers.waiting import Place, Spool, spool
from tethermap.base.atomic import replacing
from tethermap.base.records import Source, whole_rows
from tethermap.base.tables import (
    Row,
    Table,
    Value,
    cell_formatter,
    cell_parser,
    csv_lines,
    formatted,
    instance_key,
    natural_key,
)

Key = tuple[Any, ...]


class SortedTable:
    """A table whose blocks of rows may come in any order; made by `sorted_table`.

    Parameters
    ----------
    spool : Spool
        Spool of the blocks.
    """

    def __init__(self, path: Path, table: Table, spool: Spool) -> None:
        self._path = path
        self._table = table
        self._spool = spool
        self._cells = cell_formatter(table, path.name)
        self._places: list[tuple[Key, Place]] = []

    def add(self, key: Key, rows: Iterable[Row]) -> None:
        """Add a block of rows in the format of `tables.write_table`.

        Raises
        ------
        KeyError
            If a row has a column that is not in the table.
        """
        self.add_text(key, csv_lines(map(self._cells, rows)))

    def add_columns(self, key: Key, columns: Mapping[str, str | Sequence[Value]]) -> None:
        """Add a block of rows by all of its columns: the values of the rows, or the text that all rows share."""
        cells: list[Iterable[Value]] = []
        for column in self._table.columns:
            values = columns[column.name]
            cells.append(repeat(values) if isinstance(values, str) else formatted(column, values))
        self.add_text(key, csv_lines(zip(*cells, strict=False)))

    def add_text(self, key: Key, text: str) -> None:
        """Add a block of rows that are CSV text already."""
        self._places.append((key, self._spool.add(text.encode("utf-8"))))

    def write(self, *, equal_by_text: bool = False) -> None:
        """Write the file: header, then the blocks by key, those with equal keys as they came or by their text."""
        self._places.sort(key=lambda place: place[0])
        with replacing(self._path) as temporary, temporary.open("wb") as stream:
            stream.write(csv_lines([self._table.names]).encode("utf-8"))
            for _, equal in groupby(self._places, key=lambda place: place[0]):
                blocks = [self._spool.read(place) for _, place in equal]
                stream.writelines(sorted(blocks) if equal_by_text else blocks)


@contextmanager
def sorted_table(path: Path, table: Table, *, equal_by_text: bool = False) -> Iterator[SortedTable]:
    """Yield a table to add blocks of rows to; the file appears when the ``with`` block ends well.

    Parameters
    ----------
    equal_by_text : bool
        Whether blocks with equal keys are sorted by their text; otherwise they keep their order.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with spool(path.parent) as blocks:
        sorted_rows = SortedTable(path, table, blocks)
        yield sorted_rows
        sorted_rows.write(equal_by_text=equal_by_text)


def read_blocks(path: Source, table: Table, column: str | None = None) -> Iterator[tuple[dict[str, Value], str]]:
    """Yield the blocks of rows that share a value, in the text of a file of `write_table`.

    Parameters
    ----------
    column : str or None
        Neighbouring rows with the same text here make one block; None makes every row one.

    Yields
    ------
    dict, str
        The first row of the block, typed, and the CSV text of all its rows.

    Raises
    ------
    ValueError
        If the header is not that of `table`.
    """
    after = len(table.names) - table.names.index(column) if column else 0
    typed = cell_parser(table.columns)

    def shared(text: str) -> str:
        """Return the cell of the column."""
        return _cells(text)[-after] if '"' in text else text.rsplit(",", after)[-after].rstrip("\n")

    with path.open(encoding="utf-8", newline="") as stream:
        records = whole_rows(stream, '"')
        header = _cells(next(records, ""))
        if tuple(header) != table.names:
            raise ValueError(f"{path}: unexpected columns {header}")
        blocks = (list(own) for _, own in groupby(records, shared)) if column else ([text] for text in records)
        for lines in blocks:
            yield typed(_cells(lines[0])), "".join(lines)


def unchanged(row: Row) -> Row | None:
    """Return a row unchanged."""
    return row


def merge(
    parts: Iterable[Source],
    path: Path,
    table: Table,
    key: Callable[[dict[str, Value]], Key],
    column: str | None = None,
    changed: Callable[[Row], Row | None] = unchanged,
) -> None:
    """Write one sorted table from the parts of all shards.

    Parameters
    ----------
    parts : iterable of Source
        Files of `write_table`, in any order.
    path : Path
        The table to be written.
    table : Table
        Columns of both.
    key : callable
        Returns the sort key of a block from its first row; blocks with equal keys are sorted by text.
    column : str or None
        Neighbouring rows with the same text in this column form a block; None sorts single rows.
    changed : callable
        Returns the row to write in place of a single one, the same or another; None omits a block by its first row.
    """
    with sorted_table(path, table, equal_by_text=True) as merged:
        for part in parts:
            for row, text in read_blocks(part, table, column):
                new = changed(row)
                if new is row:
                    merged.add_text(key(row), text)
                elif new is not None:
                    merged.add(key(row), [new])


def _cells(text: str) -> list[str]:
    return next(csv.reader([text])) if '"' in text else text.rstrip("\n").split(",")


def ligand_status_key(row: Row) -> tuple[object, ...]:
    """Return the key by which Ligand_Status is sorted."""
    names = (str(row[column]) for column in ("pdb_id", "chain", "ligand", "residue"))
    return *instance_key(*names), str(row["label_chain"]), str(row["stem"])


def entry_key(row: Row) -> tuple[object, ...]:
    """Return the key by which Entry_Status is sorted."""
    return str(row["pdb_id"]), natural_key(str(row["rank"] or "")), str(row["requested_id"])
