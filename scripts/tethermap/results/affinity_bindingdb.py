"""Tab-separated values of BindingDB."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from tethermap.results.measurement import TYPES, Format, Measurement, Wanted, molecule_of_key, value_of

_INCHIKEY, _TARGET = "Ligand InChI Key", "Target Name"
_ACCESSIONS = ("UniProt (SwissProt) Primary ID of Target Chain", "UniProt (TrEMBL) Primary ID of Target Chain")
"""One column for each chain of the target; since 2024 with the chain's number."""

_MUTANT = re.compile(r"\[[^\]]*\b[A-Z]\d+[A-Z]\b[^\]]*\]")
"""Mutation of a target that has the accession of its wild type: ``Epidermal growth factor receptor [L858R,T790M]``."""


def _recognises(head: list[str]) -> bool:
    return bool(head) and {_INCHIKEY, _TARGET} <= set(head[0].rstrip("\r\n").split("\t"))


def _read(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [name.strip() for name in next(rows)]
    key, name = header.index(_INCHIKEY), header.index(_TARGET)
    proteins = [k for k, name in enumerate(header) if name.startswith(_ACCESSIONS)]
    values = [(kind, header.index(f"{kind} (nM)")) for kind in TYPES if f"{kind} (nM)" in header]
    for row in rows:
        if len(row) <= max(key, name) or molecule_of_key(row[key]) not in wanted.molecules or _MUTANT.search(row[name]):
            continue
        accessions = tuple(code for k in proteins if k < len(row) for code in row[k].replace(",", " ").split())
        for kind, k in values:
            if value := value_of(kind, "", row[k], "nM"):
                yield Measurement(
                    affinity_type=value[0], relation=value[1], value_nM=value[2], source="BindingDB",
                    inchikey=row[key], accessions=accessions,
                )  # fmt: skip


FORMAT = Format("BindingDB TSV", _recognises, _read)
