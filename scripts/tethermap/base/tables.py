"""Tables with their columns, from data/reference/tables.csv, and how tables are read and written.

CSV follows RFC 4180, UTF-8, ``\\n``; text is never converted (component ``017`` keeps its zero), numbers
have a fixed number of decimals, unknown values are empty.
"""

import csv
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Literal, Protocol, Self, TypeVar

from tethermap.base import layout, reference
from tethermap.base.atomic import replacing
from tethermap.base.records import Source

Kind = Literal["text", "integer", "number", "flag"]
Value = str | int | float | bool | None
Row = Mapping[str, Value]
_K = TypeVar("_K")
_V = TypeVar("_V")

# The members of a series of 7,000 instances are longer than the 131,072 characters that Python reads by default;
# Parquet is made of lines of up to this length.
csv.field_size_limit(2_000_000)


class SupportsWrite(Protocol):
    """A text stream that can be written to, such as an open file."""

    def write(self, text: str, /) -> object:
        """Append it."""


JOINED = ";"
"""Separator of several values in one cell."""


def split_cell(cell: Value) -> list[str]:
    """Return the values that a cell joins, none of an empty one.

    >>> split_cell("C1;N2"), split_cell(None)
    (['C1', 'N2'], [])
    """
    return [value for value in str(cell or "").split(JOINED) if value]


def by_key(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    """Return the values of pairs of key and value by key, in their order.

    >>> by_key([("A", 1), ("B", 2), ("A", 3)])
    {'A': [1, 3], 'B': [2]}
    """
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        Type of its cells in CSV.
    decimals : int
        Decimals of a number.
    separator : str
        Joins the values of a cell that is a list; empty for single values.
    items : str
        Type of the values of a list.
    """

    name: str
    kind: Kind = "text"
    decimals: int = 3
    separator: str = ""
    items: Literal["text", "number"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its place in the job folder (empty for intermediates) and its columns.

    The columns that `optional` names are only in files of jobs with the setting that they come from.
    """

    path: str
    columns: tuple[Column, ...]
    optional: tuple[str, ...] = ()

    def having(self, names: Collection[str]) -> Self:
        """Return the table with only the given ones of its optional columns."""
        columns = (one for one in self.columns if one.name not in self.optional or one.name in names)
        return replace(self, columns=tuple(columns), optional=())

    @property
    def usual(self) -> Self:
        """The table without its optional columns."""
        return self.having(())

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def title(self) -> str:
        """Name of its Parquet file and of its section in the data dictionary."""
        return self.path.removesuffix("/index.csv").removesuffix(".csv").rpartition("/")[2]

    @property
    def parquet(self) -> str:
        """Place of its Parquet file in the job folder."""
        return f"{layout.TABLES}/{self.title}.parquet"


@cache
def _rows() -> dict[str, list[dict[str, str]]]:
    """Return the rows of data/reference/tables.csv by table."""
    return by_key((row["table"], row) for row in reference.rows_of("tables"))


def _table(path: str = "", name: str = "") -> Table:
    """Return a result table by its path or an intermediate one by its name, with the columns of tables.csv."""
    rows = _rows()[name or Table(path, ()).title]
    return Table(path, tuple(map(_column, rows)), tuple(row["column"] for row in rows if row["optional"]))


def _column(row: Mapping[str, str]) -> Column:
    """Return a column by its row; a list with decimals is one of numbers."""
    kind: Kind = row["kind"]  # type: ignore[assignment]
    items: Literal["text", "number"] = "number" if row["separator"] and row["decimals"] else "text"
    return Column(row["column"], kind, int(row["decimals"] or 3), row["separator"], items)


GEOMETRIES = _table(name="geometries")
"""Geometry of a ligand as modelled (`tethermap.fit.geometry`): one row per instance."""

EXIT_SITES = _table(name="exit_sites")
"""Number of the exit site of each heavy atom (`tethermap.exits.sites`): one row per instance."""

ENTRIES = _table(layout.SEARCH_ENTRIES)
"""One row per entry of the search, best first. `hits` lists the matches that found it, joined by ``;``; `size` is the
approximate number of its atoms."""

SHARD_ENTRIES = _table(name="shard_entries")
"""One row per entry of a shard, with the columns of the search that affect the shard's results. The rank is omitted, so
that entries found later change no finished shard."""

STRUCTURES = _table(name="structures")
"""One row per selected entry: the path of its file, or the reason why it is missing."""

FILES = _table(name="files")
"""Files that a step wrote, relative to the job folder."""

ERRORS = _table(name="errors")
"""One row per ligand or entry on which a step has failed; `ligand` names one that has no stem, `value` the step."""

CHECKS = _table(name="checks")

DEGRADERS = _table(name="degraders")
"""One row per molecule that joins two halves, made on request. `span_A` is the stretched linker's length, `distance_A`
that of the anchors in an entry that shows both; `keeps_halves` marks molecules that contain all atoms of both halves in
their crystals, which inputs for programs need. Atom map numbers are SDF indices + 1, those of the second half + 501."""

SASA_SUMMARY = _table(layout.SASA_SUMMARY)
RESULTS_TABLE = _table(layout.RESULTS_DISPLAY)
LIGAND_METADATA = _table(layout.LIGAND_METADATA)
SASA_ATOMS = _table(layout.SASA_ATOMS)
LIGAND_MCS_MAP = _table(layout.LIGAND_MCS_MAP)
CONTACTS = _table(layout.CONTACTS)
SERIES = _table(layout.SERIES_TABLE)
ENTRY_STATUS = _table(layout.ENTRY_STATUS)
LIGAND_STATUS = _table(layout.LIGAND_STATUS)
NAME_MAP = _table(layout.NAME_MAP)

AFFINITY = _table(layout.AFFINITY)
"""One row per instance and type of measurement, in jobs with `source.affinity`."""

PUBLISHED = _table(layout.PUBLISHED)
"""One row per ligand, published degrader that contains it, and value, in jobs with `source.degraders`."""

POSES = _table(layout.POSES)
"""One row per field of each pose's record and per score of a prediction, in jobs with poses or predictions."""

EXIT_VECTORS = _table(layout.EXIT_VECTORS)
"""One row per candidate: the best of each anchor with its rank, the others with the reason why they are not ranked."""

SUPERPOSITION = _table(layout.SUPERPOSITION)
"""One row per instance: x in the frame of the reference is r x + t. `n_pairs` Cα atoms of the pocket, `n_used` in the
fit; `rmsd_A` is that of those used, `rmsd_all_A` that of all."""

EXIT_CONSENSUS = _table(layout.EXIT_CONSENSUS)
"""One row per direction of a binding site, in the frame of the group's reference: the number of the site's superposed
entries with an exit there (`present`) and with an open exit there; `residue` of the reference marks the place. `x y z`
is the linker's first atom in the mean."""

EXIT_ANSWERS = _table(layout.EXIT_ANSWERS)
"""One row per target group, binding site, ligand and exit site, summarised over all copies. `n_copies` counts the
site's copies outside the reach of symmetry mates, `n_open` those whose best candidate there has room and a way out."""

OBSERVED_EXITS = _table(layout.OBSERVED_EXITS)
"""One row per ligand between two proteins, and side: the end of that side's half of the degrader."""

PROTAC_INPUTS = _table(layout.PROTAC_INPUTS)
"""One row per exit site with files for programs that model degraders, paths relative to the table; a ligand
without one has a row with the reason. Atoms in `atoms_missing` were not observed: heads and SMILES lack them."""

AFFINITY_CELLS = RESULTS_TABLE.optional
"""Columns of a ligand's measured affinity (`tethermap.results.affinity`), in tables of jobs with `source.affinity`."""

PUBLISHED_CELLS = EXIT_ANSWERS.optional[len(AFFINITY_CELLS) :]
"""Columns of the published degraders that leave at an exit (`tethermap.results.published`), in tables of jobs with
`source.degraders`, after those of the affinity."""

RESULT_TABLES = (
    *(SASA_SUMMARY, RESULTS_TABLE, LIGAND_METADATA, SASA_ATOMS, LIGAND_MCS_MAP, CONTACTS, EXIT_VECTORS, EXIT_ANSWERS),
    *(OBSERVED_EXITS, EXIT_CONSENSUS, SUPERPOSITION, PROTAC_INPUTS, SERIES, ENTRY_STATUS, LIGAND_STATUS, NAME_MAP),
)
"""All tables of a finished job."""

TABLES = {
    "results": RESULTS_TABLE,
    "atoms": SASA_ATOMS,
    "metadata": LIGAND_METADATA,
    "entries": ENTRY_STATUS,
    "ligands": LIGAND_STATUS,
    "exits": EXIT_VECTORS,
    "contacts": CONTACTS,
    "answers": EXIT_ANSWERS,
    "observed": OBSERVED_EXITS,
    "consensus": EXIT_CONSENSUS,
    "poses": POSES,
    "published": PUBLISHED,
}
"""Tables by the name that clients and the Python API use."""


def format_value(value: Value, column: Column) -> str:
    """Format a value for a CSV cell; None and NaN are empty.

    Raises
    ------
    TypeError
        If the value is not of the column's kind.

    >>> format_value(0.12345, Column("score", "number", 2)), format_value(None, Column("score", "number"))
    ('0.12', '')
    """
    return formatter(column)(value)


def parse_value(text: str, column: Column) -> Value:
    """Parse a CSV cell by its column's kind; empty or infinite numbers and empty flags are None."""
    if column.kind == "text":
        return text
    return _PARSERS[column.kind](text) if text else None


def _number(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


_PARSERS: Mapping[Kind, Callable[[str], Value]] = {
    "flag": lambda text: text == "True",
    "integer": int,
    "number": _number,
}
"""Parser of cells that are not empty by the kind of their column; texts are returned unchanged."""


_OWN_TYPES: Mapping[Kind, type] = {"flag": bool, "integer": int, "text": str}
"""Types of which `csv.writer` writes the values like `format_value`, by the kind of their column."""


def rows_into(stream: SupportsWrite, table: Table, name: str) -> Callable[[Row], None]:
    """Write the header of a table to a text stream; return a function that appends one row.

    Parameters
    ----------
    name : str
        Name of the table in error messages.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.names)
    cells = cell_formatter(table, name)
    return lambda row: writer.writerow(cells(row))


def csv_lines(rows: Iterable[Iterable[Value]]) -> str:
    """Return rows of cells as lines of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def cell_formatter(table: Table, name: str) -> Callable[[Row], list[Value]]:
    """Return a function that orders a row's cells so that `csv.writer` writes them like `format_value`.

    It raises KeyError for other columns.

    Parameters
    ----------
    name : str
        Name of the table in error messages.
    """
    places = {one.name: (k, _OWN_TYPES.get(one.kind), formatter(one)) for k, one in enumerate(table.columns)}
    empty: list[Value] = [""] * len(places)

    @cache
    def places_of(names: tuple[str, ...]) -> list[tuple[int, type | None, Callable[[Value], str]]]:
        if not places.keys() >= set(names):
            raise KeyError(f"{name} has no column {sorted(set(names) - places.keys())}")
        return [places[key] for key in names]

    def cells(row: Row) -> list[Value]:
        ordered = empty.copy()
        for (k, own, text_of), value in zip(places_of(tuple(row)), row.values(), strict=True):
            if value is not None:
                ordered[k] = value if type(value) is own else text_of(value)
        return ordered

    return cells


@cache
def formatter(column: Column) -> Callable[[Value], str]:
    """Return `format_value` for one column, fast for values of the column's own type."""
    kind = column.kind
    expected = _OWN_TYPES.get(kind)
    pattern = f"%.{column.decimals}f"
    below_zero = f"-{pattern % 0.0}"

    def number(value: Value) -> str:
        if type(value) is not float or value != value:  # NaN differs from itself
            if value is None or value != value:
                return ""
            if isinstance(value, str):
                raise TypeError(f"column {column.name} takes a number, got {value!r}")
        text = pattern % value
        return text[1:] if text == below_zero else text

    def other(value: Value) -> str:
        if type(value) is expected:
            return str(value)
        if value is None or value != value:
            return ""
        if kind == "flag":
            raise TypeError(f"column {column.name} takes True or False, got {value!r}")
        if kind == "integer" and isinstance(value, str):
            raise TypeError(f"column {column.name} takes a number, got {value!r}")
        return str(value if kind == "text" else int(value))

    return number if kind == "number" else other


def formatted(column: Column, values: Sequence[Value]) -> Iterable[Value]:
    """Return the values of one column so that `csv.writer` writes them like `format_value`."""
    own = {_OWN_TYPES.get(column.kind), type(None)}
    return values if set(map(type, values)) <= own else map(formatter(column), values)


def rows_of(lines: Iterable[bytes], table: Table, names: Collection[str] | None = None) -> Iterator[dict[str, Value]]:
    """Yield the rows of lines that `write_table` wrote below its header, typed by the columns.

    Parameters
    ----------
    names : collection of str or None
        Columns to return, at least two; None for all.
    """
    places = [k for k, name in enumerate(table.names) if names is None or name in names]
    typed, wanted = cell_parser([table.columns[k] for k in places]), itemgetter(*places)
    yield from map(typed, map(wanted, csv.reader(io.StringIO(b"".join(lines).decode("utf-8"), newline=""))))


def as_written(rows: Iterable[Row], table: Table, names: Collection[str]) -> list[Row]:
    """Return rows in the form in which they are read back: numbers rounded, only the given columns."""
    columns = [column for column in table.columns if column.name in names]
    formats, typed = [(column.name, formatter(column)) for column in columns], cell_parser(columns)
    return [typed([text_of(row.get(name)) for name, text_of in formats]) for row in rows]


def cell_parser(columns: Sequence[Column], *, strict: bool = True) -> Callable[[Sequence[str]], dict[str, Value]]:
    """Return a function that parses the cells of a row like `parse_value`, fast if most cells are text.

    Parameters
    ----------
    strict : bool
        Whether a row must have exactly one cell per column; otherwise surplus cells are dropped.
    """
    names = [column.name for column in columns]
    others = [(k, column.name, _PARSERS[column.kind]) for k, column in enumerate(columns) if column.kind != "text"]

    def typed(cells: Sequence[str]) -> dict[str, Value]:
        row: dict[str, Value] = dict(zip(names, cells, strict=strict))
        given = others if len(cells) >= len(names) else [one for one in others if one[0] < len(cells)]
        for k, name, parse in given:
            row[name] = parse(text) if (text := cells[k]) else None
        return row

    return typed


def write_table(path: Path, table: Table, rows: Iterable[Row]) -> None:
    """Write all rows as one CSV file, complete or not at all; a row may lack columns, others raise KeyError."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        write = rows_into(stream, table, path.name)
        for row in rows:
            write(row)


def read_table(
    path: Source,
    table: Table,
    *,
    strict: bool = True,
    stems: Collection[str] | None = None,
    names: Collection[str] | None = None,
) -> Iterator[dict[str, Value]]:
    """Yield the rows of a CSV file written by `write_table`, typed by the columns.

    Parameters
    ----------
    path, table : Path, Table
        The file, or a part of an archive, and its columns.
    strict : bool
        Whether the header must be the one of `table`; otherwise unknown columns are text, and missing ones are empty in
        each row.
    stems : collection of str or None
        Instances whose rows are returned, by the column `stem`; None for all.
    names : collection of str or None
        Columns to return, None for all; a few columns of a long table need a tenth of the memory.

    Raises
    ------
    ValueError
        If the header is not that of `table` and `strict`.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        header = tuple(next(csv.reader([stream.readline()]), ()))
        if strict and header != table.having(header).names:
            raise ValueError(f"{path}: unexpected columns {header}")
        by_name = {column.name: column for column in table.columns}
        columns = [by_name.get(name, Column(name)) for name in header]
        position = header.index("stem") if stems is not None and "stem" in header else None
        lines: Iterable[str] = stream
        chosen = frozenset(stems or ())
        if position == len(header) - 1:
            lines = (line for line in stream if line.rstrip().rpartition(",")[2] in chosen)  # the others are not split
        places = range(len(header)) if names is None else [k for k, name in enumerate(header) if name in names]
        typed = cell_parser([columns[k] for k in places], strict=strict)
        wanted = itemgetter(*places) if len(places) > 1 else lambda cells: [cells[k] for k in places]
        lacking = [column for column in table.columns if names is None and column.name not in header]
        absent = {column.name: parse_value("", column) for column in lacking}
        for cells in csv.reader(lines):
            if stems is None or (position is not None and cells[position] in chosen):
                row = typed(cells if names is None else wanted(cells))
                yield row | absent if absent else row


def natural_key(text: str) -> tuple[int, str]:
    """Sort key for residue ids: by number, then by the rest (``9`` < ``60`` < ``60A``)."""
    digits = text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    try:
        return int(digits), text[len(digits) :]
    except ValueError:
        return 0, text


def instance_key(entry_id: str, chain: str, ligand: str, residue: str) -> tuple[str, str, str, tuple[int, str]]:
    """Sort key of every table with a row per instance: entry, chain, ligand, residue."""
    return entry_id, chain, ligand, natural_key(residue)
