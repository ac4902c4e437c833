"""Measured figures in one machine-readable file, and BENCHMARKS.md, which is made from it.

Each measuring tool writes one section with `write_section`; the other sections are not changed.
A figure that got worse by more than 15 % since the last commit is reported. CPU times are compared as ratios to a
calibration loop of the same run, so that a slower or busier machine is no regression.
``python -m tests.tools.figures`` writes BENCHMARKS.md.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.tools.runs import ROOT
from tethermap.base.atomic import write_text

FILE = ROOT / "tests" / "data" / "benchmarks.json"
PAGE = ROOT / "BENCHMARKS.md"
WORSE = 0.15
"""Relative change from which a worse figure is reported."""

SECTIONS = {
    "pipeline": "The pipeline",
    "exits": "Exit vectors",
    "service": "The service",
    "routes": "Answers about a large job",
    "mirror": "Large mirrors",
    "jobs": "Large jobs",
    "release": "A release of a mirror",
    "soak": "Long life of the service",
    "slurm": "Slurm",
    "crash": "Crash points",
    "fuzz": "Fuzz",
}
"""All sections in their order on the page."""

ON_PAGE = {"Calibration"}
"""Titles of the other tables on the page."""

Kind = Literal["cpu", "memory", "wall", "share", "count"]
COMPARED: dict[str, Literal["lower", "higher"]] = {"cpu": "lower", "memory": "lower", "share": "higher"}
"""Kinds of figures that are compared with the last commit, and which direction is better."""

Cell = str | int | float | None


@dataclass(frozen=True)
class Figure:
    """One measured value.

    Parameters
    ----------
    name : str
        Name of the figure, in words; with the section it identifies the figure in later runs.
    value : float
        The value; NaN and infinity are refused.
    unit : str
        ``ms``, ``s``, ``MB``, ...; empty for counts and shares.
    kind : {'cpu', 'memory', 'wall', 'share', 'count'}
        Comparison: ``cpu`` by ratio to the calibration loop, ``memory`` directly, lower being better, ``share``
        directly, higher being better; ``wall`` (wall time) and ``count`` are not compared.
    error : float or None
        Standard error of the value, in its unit.
    at_most, at_least : float or None
        The goal, in its unit.
    before : float or None
        Value of an earlier commit, measured in the same run.
    """

    name: str
    value: float
    unit: str = ""
    kind: Kind = "count"
    error: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    before: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the goal is missed."""
        above = self.at_most is not None and self.value > self.at_most
        return above or (self.at_least is not None and self.value < self.at_least)


@dataclass(frozen=True)
class Table:
    """A table of measured values: a title, the names of its columns, its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def write_section(
    section: str,
    command: str,
    figures: Sequence[Figure],
    tables: Sequence[Table] = (),
    notes: Sequence[str] = (),
) -> list[str]:
    """Print one section; return the sentences on worse figures. With RECORD=1 the file and the page are written too.

    Parameters
    ----------
    section : str
        One of `SECTIONS`.
    command : str
        Command that measures this again.
    figures : sequence of Figure
        The values, those with goals first.
    tables : sequence of Table
        Further values, not compared.
    notes : sequence of str
        Sentences for the page: method and data.

    Returns
    -------
    list of str
        Regressions against the last commit; printed too.
    """
    if section not in SECTIONS:
        raise ValueError(f"no such section: {section}")
    record = section_record(command, figures, tables, notes)
    if os.environ.get("RECORD") == "1":
        with _alone():
            sections = {**load(), section: record}
            ordered = {name: sections[name] for name in SECTIONS if name in sections}
            write_text(FILE, _json({"format": 1, "sections": ordered}))
            write_text(PAGE, page(ordered))
    worse = list(regressions(section, _committed().get(section), record))
    missed = [
        f"{section}: {figure.name}: {_value(figure)}, goal {_goal(figure)}" for figure in figures if figure.missed
    ]
    sys.stdout.write("".join(f"{line}\n" for line in section_lines(section, record)))
    sys.stdout.write("".join(f"MISSED {line}\n" for line in missed))
    sys.stdout.write("".join(f"WORSE {line}\n" for line in worse))
    return worse


def section_record(
    command: str, figures: Sequence[Figure], tables: Sequence[Table], notes: Sequence[str]
) -> dict[str, Any]:
    """Return a section in the format of the file."""
    names = [figure.name for figure in figures]
    if len(set(names)) < len(names):
        raise ValueError("two figures of a section have one name")
    if any(not math.isfinite(figure.value) for figure in figures):
        raise ValueError("a figure is no number")
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{_cores()} cores, {platform.machine()}, Python {platform.python_version()}",
        "load": round(os.getloadavg()[1], 1),
        "calibration_seconds": round(calibration(), 4),
        "notes": list(notes),
        "figures": [{key: value for key, value in asdict(figure).items() if value is not None} for figure in figures],
        "tables": [asdict(table) for table in tables],
    }


def calibration(rounds: int = 5) -> float:
    """Return the CPU time of a fixed piece of work in seconds, the median of several rounds.

    It is of the kinds that the pipeline does: Python objects, arrays, compression.
    """
    data = bytes(range(256)) * 400
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        words: dict[str, int] = {}
        for number in range(60_000):
            key = f"{number % 977:03d}"
            words[key] = words.get(key, 0) + number
        grid = np.arange(40_000, dtype=np.float64).reshape(200, 200)
        for _ in range(4):
            grid = np.sqrt(grid @ grid.T + 1.0) / 1e3
        for _ in range(6):
            zlib.decompress(zlib.compress(data, 6))
        times.append(time.process_time() - begun)
    return statistics.median(times)


def regressions(section: str, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each figure that is more than `WORSE` worse than before."""
    if not before:
        return
    scale = now["calibration_seconds"] / before["calibration_seconds"]
    earlier = {figure["name"]: figure for figure in before["figures"]}
    for figure in now["figures"]:
        better = COMPARED.get(figure["kind"])
        old = earlier.get(figure["name"])
        if better is None or old is None or old["unit"] != figure["unit"] or old["kind"] != figure["kind"]:
            continue
        expected = old["value"] * (scale if figure["kind"] == "cpu" else 1.0)
        if expected <= 0:
            continue
        change = figure["value"] / expected - 1.0
        if (change if better == "lower" else -change) > WORSE:
            told = " after calibration" if figure["kind"] == "cpu" else ""
            yield (
                f"{section}: {figure['name']}: {old['value']:g} -> {figure['value']:g} {figure['unit']}".rstrip()
                + f" ({change:+.0%}{told})"
            )


def load() -> dict[str, Any]:
    """Return the sections of the file by name."""
    sections: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))["sections"] if FILE.is_file() else {}
    return sections


def page(sections: Mapping[str, Any]) -> str:
    """Return BENCHMARKS.md."""
    lines = [
        "# Benchmarks",
        "",
        (
            f"Made from `{FILE.relative_to(ROOT)}`, which the commands below write with RECORD=1, each its own "
            f"section; they report figures that got worse by more than {WORSE:.0%} since the last commit. CPU is "
            "that of all processes;"
            " CPU times are compared as ratios to a calibration loop of the same run, as other work makes"
            " them longer (the load is given). This page shows few tables; the file contains the others, by "
            "stage, by job and by ligand, and all notes."
        ),
        "",
    ]
    for name in SECTIONS:
        if name in sections:
            record = sections[name]
            shown = [table for table in record["tables"] if table["title"] in ON_PAGE]
            lines += [*section_lines(name, {**record, "notes": record["notes"][:1], "tables": shown}), ""]
    return "\n".join(lines).rstrip() + "\n"


def section_lines(name: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one section of the page."""
    yield f"## {SECTIONS[name]}"
    yield ""
    calibrated = f"calibration {1000 * record['calibration_seconds']:.0f} ms"
    yield f"`{record['command']}`, {record['date']}; {record['machine']}, load {record['load']:g}, {calibrated}."
    for note in record["notes"]:
        yield ""
        yield note
    figures = [Figure(**figure) for figure in record["figures"]]
    if figures:
        goals = any(figure.at_most is not None or figure.at_least is not None for figure in figures)
        yield ""
        compared = any(figure.before is not None for figure in figures)
        heads = ["", "now" if compared else "measured", *["before"] * compared, *["goal"] * goals]
        yield f"| {' | '.join(heads)} |".replace("|  |", "| |")
        yield "|---|" + "---:|" * (len(heads) - 1)
        for figure in figures:
            missed = " (missed)" if figure.missed else ""
            cells = [_cell(figure.name), _value(figure), *[_before(figure)] * compared]
            yield f"| {' | '.join([*cells, *[f'{_goal(figure)}{missed}'] * goals])} |"
    for table in record["tables"]:
        yield ""
        yield f"### {table['title']}"
        yield ""
        yield "| " + " | ".join(map(_cell, table["columns"])) + " |"
        yield "|" + "".join("---|" if _is_text(table["rows"], k) else "---:|" for k in range(len(table["columns"])))
        for row in table["rows"]:
            yield "| " + " | ".join(map(_cell, row)) + " |"


def _is_text(rows: Sequence[Sequence[Cell]], column: int) -> bool:
    return any(isinstance(row[column], str) for row in rows)


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _number(value)
    return str(value).replace("|", "\\|")


def _number(value: float) -> str:
    """Return a number with three digits at least, thousands grouped."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


def _value(figure: Figure) -> str:
    error = f" ± {_number(figure.error)}" if figure.error is not None else ""
    return f"{_number(figure.value)}{error} {figure.unit}".rstrip()


def _before(figure: Figure) -> str:
    return "" if figure.before is None else f"{_number(figure.before)} {figure.unit}".rstrip()


def _goal(figure: Figure) -> str:
    if figure.at_most is not None:
        return f"≤ {_number(figure.at_most)} {figure.unit}".rstrip()
    if figure.at_least is not None:
        return f"≥ {_number(figure.at_least)} {figure.unit}".rstrip()
    return ""


def large_mirror() -> Path:
    """Return the large mirror of the tests; exit if the environment names none."""
    if not (mirror := os.environ.get("TETHERMAP_TEST_MIRROR")):
        sys.exit("TETHERMAP_TEST_MIRROR names no mirror: nothing to measure with")
    return Path(mirror)


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other tools from writing the file during the block."""
    folder = os.open(FILE.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _committed() -> dict[str, Any]:
    """Return the sections of the last commit; none when there is no repository or no such file in it."""
    git = shutil.which("git")
    if git is None:
        return {}
    shown = subprocess.run(
        [git, "show", f"HEAD:{FILE.relative_to(ROOT)}"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if shown.returncode:
        return {}
    sections: dict[str, Any] = json.loads(shown.stdout)["sections"]
    return sections


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def main() -> None:
    """Write the page."""
    write_text(PAGE, page(load()))


if __name__ == "__main__":
    main()
