"""Tab-separated values of BindingDB."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from tethermap.results.measurement import TYPES, Format, Measurement, Wanted, value_of

_INCHIKEY = "Ligand InChI Key"
_ACCESSIONS = ("UniProt (SwissProt) Primary ID of Target Chain", "UniProt (TrEMBL) Primary ID of Target Chain")
"""One column for each chain of the target; since 2024 with the chain's number."""


def _recognises(head: list[str]) -> bool:
    return bool(head) and _INCHIKEY in head[0].split("\t")


def _read(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [name.strip() for name in next(rows)]
    key = header.index(_INCHIKEY)
    proteins = [k for k, name in enumerate(header) if name.startswith(_ACCESSIONS)]
    values = [(name, header.index(f"{name} (nM)")) for name in TYPES if f"{name} (nM)" in header]
    for row in rows:
        if len(row) <= key or row[key] not in wanted.inchikeys:
            continue
        accessions = tuple(code for k in proteins if k < len(row) for code in row[k].replace(",", " ").split())
        for name, k in values:
            if value := value_of(name, "", row[k], "nM"):
                yield Measurement(
                    affinity_type=value[0], relation=value[1], value_nM=value[2], source="BindingDB",
                    inchikey=row[key], accessions=accessions,
                )  # fmt: skip


FORMAT = Format("BindingDB TSV", _recognises, _read)
