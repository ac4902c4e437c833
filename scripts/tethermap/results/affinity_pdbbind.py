"""Index files of PDBbind, such as INDEX_general_PL_data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tethermap.results.measurement import Format, Measurement, Wanted, written_value

_LINE = re.compile(r"([0-9]\w{3})\s+(?:[\d.]+|NMR|\S+)\s+\d{4}\s+(.*?)//([^(]*)\(([^()]+)\)")
"""Entry, resolution, year, perhaps the logarithm, value, reference, ligand in brackets."""


def _recognises(head: list[str]) -> bool:
    lines = [line for line in head if not line.startswith("#")]
    return bool(lines) and _LINE.match(lines[0]) is not None


def _read(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    for line in lines:
        if line[:4].lower() in wanted.entries and (found := _LINE.match(line)):
            value = written_value(found[2])
            if value:
                comp_id = found[4].strip().lstrip("_")
                yield Measurement(
                    affinity_type=value[0], relation=value[1], value_nM=value[2], source="PDBbind",
                    entry_id=found[1].lower(), comp_id=comp_id,
                )  # fmt: skip


FORMAT = Format("PDBbind index", _recognises, _read)
