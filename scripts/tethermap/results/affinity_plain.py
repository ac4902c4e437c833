"""A table of the user's own: place in the PDB, or InChIKey and accession, and the value in one cell or in several."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from tethermap.results.measurement import Format, Measurement, Wanted, molecule_of_key, value_of, written_value

_PLACE, _PAIR = {"pdb_id", "comp_id"}, {"inchikey", "uniprot"}
_VALUES: tuple[set[str], ...] = (
    {"measurement"},
    {"affinity_type", "value_nm"},
    {"affinity_type", "value", "unit"},
)


def _names(header: str) -> list[str]:
    return [name.strip().lower() for name in next(csv.reader([header]), [])]


def _recognises(head: list[str]) -> bool:
    names = set(_names(head[0])) if head else set()
    return (names >= _PLACE or names >= _PAIR) and any(names >= value for value in _VALUES)


def _read(lines: Iterable[str], wanted: Wanted, name: str) -> Iterator[Measurement]:
    lines = iter(lines)
    names = _names(next(lines))
    for cells in csv.reader(lines):
        row = {column: cell.strip() for column, cell in zip(names, cells, strict=False)}
        text = row.get
        entry, key = text("pdb_id", "").lower(), text("inchikey", "").upper()
        if entry not in wanted.entries and molecule_of_key(key) not in wanted.molecules:
            continue
        amount, unit = text("value_nm", ""), "nM"
        if not amount:
            amount, unit = text("value", ""), text("unit", "")
        written = written_value(text("measurement", ""))
        if value := written or value_of(text("affinity_type", ""), text("relation", ""), amount, unit):
            yield Measurement(
                affinity_type=value[0], relation=value[1], value_nM=value[2],
                source=text("source") or text("list") or Path(name).stem, entry_id=entry,
                comp_id=text("comp_id", "").upper(), chain=text("chain", ""), inchikey=key,
                accessions=tuple(text("uniprot", "").replace(";", " ").split()),
            )  # fmt: skip


FORMAT = Format("CSV", _recognises, _read)
