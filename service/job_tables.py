"""Rows of a job's tables as values, kept in memory while they are small and unchanged."""

from __future__ import annotations

import csv
import math
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.lib import layout, tables
from scripts.lib.tables import Column, Table, Value, natural_key, parse_value

Rows = Sequence[Mapping[str, Value]]

EXIT_VECTORS_PATH = f"{layout.RESULTS}/Exit_Vectors.csv"

TABLES: Mapping[str, Table] = {
    "results": tables.RESULTS_TABLE,
    "atoms": tables.SASA_ATOMS,
    "metadata": tables.LIGAND_METADATA,
    "entries": tables.ENTRY_STATUS,
    "ligands": tables.LIGAND_STATUS,
    "exits": getattr(tables, "EXIT_VECTORS", Table(EXIT_VECTORS_PATH, ())),
    "contacts": tables.CONTACTS,
}
"""Tables by the name that clients use."""

_CACHE_BYTES = 1 << 20
_LARGEST_CACHED = 1 << 19


class TableCache:
    """Reads tables and keeps the small ones that were used last.

    Parameters
    ----------
    capacity : int
        Bytes of the files that are kept at most; their rows take about twenty times as much.
    """

    def __init__(self, capacity: int = _CACHE_BYTES) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._kept: OrderedDict[Path, tuple[tuple[int, int], Rows]] = OrderedDict()

    def rows(self, job: Path, table: Table) -> Rows:
        """Return all rows of a job's table; none when it is not there (yet)."""
        path = job / table.path
        try:
            status = path.stat()
        except OSError:
            return ()
        stamp = (status.st_mtime_ns, status.st_size)
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None and kept[0] == stamp:
                self._kept.move_to_end(path)
                return kept[1]
        rows = list(read_rows(path, table))
        if status.st_size <= _LARGEST_CACHED:
            with self._lock:
                self._kept[path] = (stamp, rows)
                while sum(size for (_, size), _ in self._kept.values()) > self._capacity:
                    self._kept.popitem(last=False)
        return rows


def columns_of(job: Path, table: Table) -> tuple[Column, ...]:
    """Return the columns of a job's table: those of its file, else those that it would have."""
    try:
        with (job / table.path).open(encoding="utf-8", newline="") as stream:
            header = next(csv.reader(stream), [])
    except OSError:
        return table.columns
    known = {column.name: column for column in table.columns}
    return tuple(known.get(name, Column(name)) for name in header)


def read_rows(path: Path, table: Table) -> Iterator[dict[str, Value]]:
    """Yield the rows of a table, typed by its columns; columns of another version stay text."""
    known = {column.name: column for column in table.columns}
    try:
        stream = path.open(encoding="utf-8", newline="")
    except OSError:
        return
    with stream:
        reader = csv.reader(stream)
        columns = [known.get(name, Column(name)) for name in next(reader, [])]
        for cells in reader:
            yield {c.name: _finite(parse_value(cell, c)) for c, cell in zip(columns, cells, strict=False)}


def rows_of_instances(path: Path, table: Table, stems: Collection[str]) -> Iterator[dict[str, Value]]:
    """Yield the rows of some instances from a table whose last column is `stem`; others are not parsed."""
    try:
        stream = path.open(encoding="utf-8", newline="")
    except OSError:
        return
    known = {column.name: column for column in table.columns}
    with stream:
        columns = [known.get(name, Column(name)) for name in next(csv.reader([stream.readline()]), [])]
        wanted = (line for line in stream if line.rstrip("\r\n").rpartition(",")[2].strip('"') in stems)
        for cells in csv.reader(wanted):
            yield {c.name: _finite(parse_value(cell, c)) for c, cell in zip(columns, cells, strict=False)}


def _finite(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
) -> list[Mapping[str, Value]]:
    """Return the rows of instances that are meant, lowest residue first; of any entry, one entry after another.

    Parameters
    ----------
    rows : sequence of mapping
        Rows with `pdb_id`, `Chain`, `Warhead` and `Residue_ID`.
    pdb_id, chain, ligand, residue : str or None
        What a client gave; None for any.
    """
    if pdb_id is None:  # chain and ligand mean something in each entry for itself
        entries: dict[str, list[Mapping[str, Value]]] = {}
        for row in rows:
            entries.setdefault(str(row["pdb_id"]), []).append(row)
        return [row for one in sorted(entries) for row in matching(entries[one], one, chain, ligand, residue)]
    entry = same_entry(pdb_id)
    found = [row for row in rows if same_entry(str(row["pdb_id"])) == entry]
    if chain is not None:
        name = pick_chain([str(row["Chain"]) for row in found], chain.strip())
        found = [row for row in found if row["Chain"] == name]
    if ligand is not None:
        found = _of_ligand(found, ligand.strip().upper())
    if residue is not None:
        found = [row for row in found if row["Residue_ID"] == same_residue(residue)]
    return sorted(found, key=lambda row: natural_key(str(row["Residue_ID"])))


def _of_ligand(rows: Rows, code: str) -> list[Mapping[str, Value]]:
    """Return the rows of a component, else those of groups that it is part of."""
    named = [row for row in rows if row["Warhead"] == code]
    return named or [row for row in rows if code in str(row.get("components", "")).split("+")]


def number(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a row, None when it is unknown."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
