"""Measured figures in one machine-readable file, and BENCHMARKS.md, which is made from it.

Each measuring tool writes one section with `measure_section`; the other sections are not changed.
A figure that got worse by more than 15 % since the last commit is reported. CPU times are compared as ratios to a
calibration loop of the same run, so that a slower or busier machine is no regression.
``python -m tests.tools.figures`` writes BENCHMARKS.md.
"""

import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.tools.runs import ROOT
from tethermap.base.atomic import write_text
from tethermap.sources.locks import file_lock

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
}
"""All sections in their order on the page."""

ON_PAGE = {"Calibration"}
"""Titles of the other tables on the page."""

INTRODUCTION = (
    f"Made from `{FILE.relative_to(ROOT)}`, which the commands below write with RECORD=1, each its own section; they "
    f"report figures that got worse by more than {WORSE:.0%} since the last commit. CPU is that of all processes; CPU "
    "times are compared as ratios to a calibration loop of the same run, as other work makes them longer (the load is "
    "given). This page shows few tables; the file contains the others, by stage, by job and by ligand, and all notes."
)

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
        return bool(above or (self.at_least is not None and self.value < self.at_least))  # values may be numpy's


@dataclass(frozen=True)
class Table:
    """A table of measured values: a title, the names of its columns, its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


Section = tuple[Sequence[Figure], Sequence[Table], Sequence[str]]
"""Figures, tables and notes of a section."""


def measure_section(section: str, command: str, measure: Callable[[Path], Section]) -> int:
    """Print a section and its regressions against the last commit; with RECORD=1 write the file and the page.

    Parameters
    ----------
    section : str
        One of `SECTIONS`.
    command : str
        Command that measures this again.
    measure : callable
        Gets a temporary folder; returns the figures, those with goals first, further tables, which are not compared,
        and notes on method and data.

    Returns
    -------
    int
        1 if a goal is missed, else 0.
    """
    with tempfile.TemporaryDirectory(prefix="tethermap-bench-") as folder:
        figures, tables, notes = measure(Path(folder))
    record = section_record(command, figures, tables, notes)
    if os.environ.get("RECORD") == "1":
        with file_lock(ROOT / "results" / "benchmarks.lock", patience=math.inf):
            sections = {**load(), section: record}
            ordered = {name: sections[name] for name in SECTIONS if name in sections}
            content = json.dumps({"format": 1, "sections": ordered}, indent=1, ensure_ascii=False, allow_nan=False)
            write_text(FILE, content + "\n")
            write_text(PAGE, page(ordered))
    missed = [f"MISSED {section}: {one.name}: {_value(one)}, goal {_goal(one)}" for one in figures if one.missed]
    lines = [*section_lines(section, record), *missed]
    lines += [f"WORSE {line}" for line in regressions(section, _committed().get(section), record)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(missed))


def section_record(
    command: str, figures: Sequence[Figure], tables: Sequence[Table], notes: Sequence[str]
) -> dict[str, Any]:
    """Return a section in the format of the file."""
    names = [figure.name for figure in figures]
    if len(set(names)) < len(names):
        raise ValueError("two figures of a section have one name")
    if any(not math.isfinite(figure.value) for figure in figures):
        raise ValueError("a figure is no number")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{cores} cores, {platform.machine()}, Python {platform.python_version()}",
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
        kind, old = figure["kind"], earlier.get(figure["name"])
        if old is None or kind not in COMPARED or (old["unit"], old["kind"]) != (figure["unit"], kind):
            continue
        expected = old["value"] * (scale if kind == "cpu" else 1.0)
        change = figure["value"] / expected - 1.0 if expected > 0 else 0.0
        if (change if COMPARED[kind] == "lower" else -change) > WORSE:
            values = f"{old['value']:g} -> {figure['value']:g} {figure['unit']}".rstrip()
            told = " after calibration" if kind == "cpu" else ""
            yield f"{section}: {figure['name']}: {values} ({change:+.0%}{told})"


def load() -> dict[str, Any]:
    """Return the sections of the file by name."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))["sections"]) if FILE.is_file() else {}


def page(sections: Mapping[str, Any]) -> str:
    """Return BENCHMARKS.md."""
    lines = ["# Benchmarks", "", INTRODUCTION, ""]
    for name, record in sections.items():
        shown = [table for table in record["tables"] if table["title"] in ON_PAGE]
        lines += [*section_lines(name, {**record, "notes": record["notes"][:1], "tables": shown}), ""]
    return "\n".join(lines).rstrip() + "\n"


def section_lines(name: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one section of the page."""
    calibrated = f"calibration {1000 * record['calibration_seconds']:.0f} ms"
    yield from (f"## {SECTIONS[name]}", "")
    yield f"`{record['command']}`, {record['date']}; {record['machine']}, load {record['load']:g}, {calibrated}."
    for note in record["notes"]:
        yield from ("", note)
    if figures := [Figure(**figure) for figure in record["figures"]]:
        columns = {
            "": [figure.name for figure in figures],
            "measured": [_value(figure) for figure in figures],
            "before": [_with_unit(figure.before, figure.unit) for figure in figures],
            "goal": [f"{_goal(figure)}{' (missed)' * figure.missed}" for figure in figures],
        }
        filled = {head: cells for head, cells in columns.items() if any(cells)}
        heads = ["now" if head == "measured" and "before" in filled else head for head in filled]
        yield from ("", *_table(heads, list(zip(*filled.values(), strict=True)), {""}))
    for table in record["tables"]:
        columns_of_text = {
            head for k, head in enumerate(table["columns"]) if any(isinstance(row[k], str) for row in table["rows"])
        }
        yield from ("", f"### {table['title']}", "", *_table(table["columns"], table["rows"], columns_of_text))


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], left: Collection[str]) -> Iterator[str]:
    """Yield a table in Markdown; columns that are not at the left are right-aligned."""
    yield f"| {' | '.join(map(_cell, heads))} |".replace("|  |", "| |")
    yield "|" + "".join("---|" if head in left else "---:|" for head in heads)
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)


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


def _with_unit(value: float | None, unit: str, sign: str = "") -> str:
    return "" if value is None else f"{sign}{_number(value)} {unit}".rstrip()


def _value(figure: Figure) -> str:
    return f"{_number(figure.value)}{_with_unit(figure.error, '', ' ± ')} {figure.unit}".rstrip()


def _goal(figure: Figure) -> str:
    return _with_unit(figure.at_most, figure.unit, "≤ ") or _with_unit(figure.at_least, figure.unit, "≥ ")


def large_mirror() -> Path:
    """Return the large mirror of the tests; exit if the environment names none."""
    if not (mirror := os.environ.get("TETHERMAP_TEST_MIRROR")):
        sys.exit("TETHERMAP_TEST_MIRROR names no mirror: nothing to measure with")
    return Path(mirror)


def _committed() -> dict[str, Any]:
    """Return the sections of the last commit; none when there is no repository or no such file in it."""
    if not (git := shutil.which("git")):
        return {}
    shown = subprocess.run([git, "show", f"HEAD:{FILE.relative_to(ROOT)}"], cwd=ROOT, capture_output=True, check=False)
    return dict(json.loads(shown.stdout)["sections"]) if shown.returncode == 0 else {}


if __name__ == "__main__":
    write_text(PAGE, page(load()))
