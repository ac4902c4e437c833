"""The table of Binding MOAD (every.csv): rows of classes, families, entries and ligands, without a header."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from tethermap.results.measurement import Format, Measurement, Wanted, value_of

_CELLS = 9
"""Class, family, entry, ligand (``VWW:A:210``), validity, type, relation, value, unit; then SMILES."""


def _recognises(head: list[str]) -> bool:
    return any(row[3].count(":") == 2 and row[4] in ("valid", "invalid") for row in csv.reader(head) if len(row) >= 5)


def _read(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    entry = ""
    for row in csv.reader(lines):
        if len(row) < _CELLS:
            continue
        entry = row[2].strip().lower() or entry
        if entry not in wanted.entries or row[4] != "valid" or row[3].count(":") != 2:
            continue
        comp_id, chain, residue = row[3].split(":")
        if value := value_of(*row[5:9]):
            yield Measurement(
                affinity_type=value[0], relation=value[1], value_nM=value[2], source="Binding MOAD",
                entry_id=entry, comp_id=comp_id, chain=chain, residue=residue,
            )  # fmt: skip


FORMAT = Format("Binding MOAD table", _recognises, _read)
