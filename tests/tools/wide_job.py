"""A result folder of many ligands, made of the shipped examples under other names, for tests of large results."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.tools.runs import ROOT
from tethermap.base import tables

SOURCES = ("exam1hpv", "exam4cup", "exam1gbt")
_ONE_EACH = (tables.LIGAND_METADATA.path, tables.SERIES.path)


def wide_job(folder: Path, count: int) -> None:
    """Write a completed job of `count` ligands; each is an example's with another PDB id and its own files.

    Parameters
    ----------
    folder : Path
        The job folder, named by its id; must not exist.
    count : int
        Number of ligands.
    """
    sources = [ROOT / "data/examples" / name for name in SOURCES]
    left_out = ("WAR_PDB", "MCS_Output", "PROTAC_Inputs", "*.csv", "report.html")
    shutil.copytree(sources[0], folder, ignore=shutil.ignore_patterns(*left_out))
    for table in tables.RESULT_TABLES:
        _write(folder, table.path, _table(sources, table.path, count))
    for number in range(count):
        source = sources[number % len(sources)]
        entry = source.name[-4:]
        for path in sorted((source / "TARGET_RESULTS").rglob("*")):
            inside = str(path.relative_to(source))
            if path.is_file() and f"/{entry}_" in inside:
                place = folder / inside.replace(f"/{entry}_", f"/{_entry(entry, number)}_")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    shutil.copyfile(folder / "TARGET_RESULTS/Results_Display.csv", folder / "Results_Display.csv")
    record = json.loads((folder / "job_record.json").read_text(encoding="utf-8"))
    record |= {"job_id": folder.name, "source": "api", "target_name": "Wide job", "result_rows": count}
    (folder / "job_record.json").write_text(json.dumps(record), encoding="utf-8")


def _entry(entry: str, number: int) -> str:
    """Return another PDB id: the first three characters of one, or a number in their place."""
    copy = number // len(SOURCES)
    return entry if copy == 0 else f"{1 + copy % 9}{_digit(copy // 9 // 36)}{_digit(copy // 9)}{entry[-1]}"


def _digit(number: int) -> str:
    return "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]


def _table(sources: list[Path], path: str, count: int) -> list[list[str]]:
    """Return the lines of a table: those of the sources again and again, with their own PDB ids."""
    found: list[list[str]] = []
    copies = len(sources) if path in _ONE_EACH else count
    for number in range(copies):
        source = sources[number % len(sources)]
        entry = source.name[-4:]
        lines = list(_lines(source / path))
        found += lines[:1] if not found else []
        name = entry if path in _ONE_EACH else _entry(entry, number)
        series = f"S{number % len(sources) + 1:03d}"
        found += [[_cell(cell, entry, name, series) for cell in line] for line in lines[1:]]
    return found


def _cell(cell: str, entry: str, name: str, series: str) -> str:
    if cell == "S001":
        return series
    return cell.replace(f"{entry}_", f"{name}_") if f"{entry}_" in cell else name if cell == entry else cell


def _lines(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.reader(stream)


def _write(folder: Path, path: str, lines: list[list[str]]) -> None:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)
