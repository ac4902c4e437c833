"""One measured affinity, and how lists write it."""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, cast

TYPES = ("Kd", "Ki", "IC50", "EC50")
"""Kinds of measurement, never mixed; a ligand shows the first that it has."""

_TYPE = {name.lower(): name for name in TYPES}

UNITS = {"M": 1e9, "mM": 1e6, "uM": 1e3, "nM": 1.0, "pM": 1e-3, "fM": 1e-6}
"""Nanomoles per litre of each unit."""

_RELATION = {"": "=", "=": "=", "==": "=", "~": "~", "≈": "~"}
_RELATION |= dict.fromkeys(("<", "<=", "=<", "<<", "≤"), "<") | dict.fromkeys((">", ">=", "=>", ">>", "≥"), ">")

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_WRITTEN = re.compile(
    rf"(?<![\w/])(?i:(K[di]|[IE]C50))\s*([=<>~≈≤≥]{{1,2}})\s*({_NUMBER})\s*(fM|pM|nM|[uµμ]M|mM|M)(?![\w/])"
)
_CELL = re.compile(rf"\s*([=<>~≈≤≥]{{0,2}})\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One value of one list, and to which ligand and protein it belongs.

    Parameters
    ----------
    affinity_type : str
        One of `TYPES`.
    relation : str
        ``=``, ``~``, ``<`` or ``>``.
    value_nM : float
        Concentration in nmol/L.
    source : str
        Name of the list.
    entry_id, comp_id, chain, residue : str
        Place in the PDB; `comp_id` may name several components, chain and residue may be empty.
    inchikey : str
        InChIKey of the ligand, for lists without a place in the PDB.
    accessions : tuple of str
        UniProt accessions of the protein, for such lists.
    """

    affinity_type: str
    relation: str
    value_nM: float  # noqa: N815
    source: str
    entry_id: str = ""
    comp_id: str = ""
    chain: str = ""
    residue: str = ""
    inchikey: str = ""
    accessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Entries, molecules and accessions of a job: other rows are skipped early.

    `molecules` are InChIKeys without their protonation (`molecule_of_key`); `targets` maps targets of ChEMBL to
    accessions.
    """

    entries: AbstractSet[str]
    molecules: AbstractSet[str]
    accessions: AbstractSet[str]
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of tables.

    Parameters
    ----------
    name : str
        Name in messages.
    recognises : callable
        Whether the first lines of a file are of this format.
    read : callable
        Yields the measurements of a file that a job wants, given its lines and its name.
    """

    name: str
    recognises: Callable[[list[str]], bool]
    read: Callable[[Iterable[str], Wanted, str], Iterator[Measurement]]


def molecule_of_key(inchikey: str) -> str:
    """Return an InChIKey without its last letter, the protonation: lists draw a ligand as acid or as salt.

    >>> molecule_of_key("BSYNRYMUTXBXSQ-UHFFFAOYSA-M")
    'BSYNRYMUTXBXSQ-UHFFFAOYSA'
    """
    return inchikey.rpartition("-")[0]


Value = tuple[str, str, float]
"""Type, relation and concentration in nmol/L."""


def written_value(text: str) -> Value | None:
    """Return the value that a list writes as one text; None without a type or a unit of concentration.

    >>> written_value("-logKd/Ki=8.74,ic50=1.8uM")
    ('IC50', '=', 1800.0)
    >>> written_value("-logKd/Ki=8.74") is written_value("Kd=3 mg/ml") is None
    True
    """
    found = _WRITTEN.search(text)
    return value_of(*found.groups()) if found else None


def value_of(affinity_type: str, relation: str, value: str, unit: str) -> Value | None:
    """Return a value of separate cells; None if the type, the relation, the number or the unit is none that is known.

    >>> value_of("Ki", "'<'", "0.5", "µM")
    ('Ki', '<', 500.0)
    """
    kind, amount = _TYPE.get(affinity_type.strip().lower()), concentration(relation.strip(" '\"") + value, unit)
    return None if kind is None or amount is None else (kind, *amount)


def concentration(text: str, unit: str) -> tuple[str, float] | None:
    """Return relation and nmol/L of a number with its relation; None if either or the unit is unknown.

    >>> concentration("<0.5", "µM"), concentration("N.D.", "nM")
    (('<', 500.0), None)
    """
    factor, cell = UNITS.get(re.sub("[µμ]", "u", unit.strip())), _CELL.fullmatch(text)
    if factor is None or cell is None or cell[1] not in _RELATION:
        return None
    number = float(f"{float(cell[2]) * factor:.12g}")  # 0.6 uM is 600 nM, not 599.9999999999999
    return (_RELATION[cell[1]], number) if number > 0 and math.isfinite(number) else None


def opened(path: Path) -> BinaryIO:
    """Open a table, which is gzipped if its name says so, for reading."""
    return cast("BinaryIO", gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def opened_text(path: Path) -> TextIOWrapper:
    """Open a table of text."""
    return TextIOWrapper(opened(path), encoding="utf-8-sig", errors="replace", newline="")


def columns_of(header: str) -> tuple[list[str], str]:
    """Return the names in a header, in lower case with ``_`` for spaces, and the separator of the table."""
    separator = max(",;\t", key=header.count)
    cells = next(csv.reader([header], delimiter=separator), [])
    return [cell.strip().lower().replace(" ", "_") for cell in cells], separator


def table_rows(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table by the names of `columns_of`."""
    lines = iter(lines)
    names, separator = columns_of(next(lines, ""))
    return (dict(zip(names, cells, strict=False)) for cells in csv.reader(lines, delimiter=separator))
