"""Measure cost and memory by stage: ``make bench``.

Needs the large mirror (``TETHERMAP_TEST_MIRROR``); without it the jobs run on the embedded archive and their cost is
only printed. If ``TETHERMAP_BENCH_BASE`` names a checkout of an earlier commit with its own environment, its runs
alternate with ours and are reported with them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from tests.service.core import LiveService
from tests.tools.figures import Figure, Section, Table, large_mirror, measure_section, section_lines, section_record
from tests.tools.runs import LOCAL, ROOT, JobRun, job_of, rows_of, run_job
from tethermap.base import layout
from tethermap.run.display import STEPS

STAGES = [name for name in STEPS if name != "all"]
PER_ENTRY = ("clean_complexes", "match_ligands", "measure_sasa")
SERIAL = ("find_series", "build_tables", "finish_job")
GOAL_RATIO = 0.85
LARGEST_RUNS, SINGLE_RUNS = 5, 3
"""Number of runs of the largest job and of one of one entry; the median and the best are reported."""


@dataclass(frozen=True)
class Stage:
    """Resources of all processes of one rule: CPU in seconds, the largest memory in MB."""

    processes: int
    cpu_seconds: float
    memory_mb: int


@dataclass(frozen=True)
class Cost:
    """Cost of a job: number of entries, resources of each rule, CPU in seconds of all."""

    entries: int
    stages: Mapping[str, Stage]
    cpu_seconds: float

    @classmethod
    def of(cls, run: JobRun) -> Cost:
        """Return the cost of a run, that of its rules from the last line of their logs."""
        found = {}
        for name in STAGES:
            logs = run.job / layout.RULE_LOGS
            texts = [
                path.read_text(encoding="utf-8") for path in (*logs.glob(f"{name}.log"), *logs.glob(f"{name}/*.log"))
            ]
            used = re.findall(r"used ([\d.]+) s CPU and at most (\d+) MB", "\n".join(texts))
            memory = max((int(memory) for _, memory in used), default=0)
            found[name] = Stage(len(used), sum(float(cpu) for cpu, _ in used), memory)
        return cls(len(rows_of(run.job, layout.ENTRY_STATUS)), found, run.cpu_seconds)

    @property
    def engine_seconds(self) -> float:
        """CPU time of Snakemake itself: imports, DAG, scheduling, fork server."""
        return self.cpu_seconds - sum(stage.cpu_seconds for stage in self.stages.values())

    @property
    def memory_mb(self) -> int:
        """The largest memory of a process of any step."""
        return max(stage.memory_mb for stage in self.stages.values())

    def ms_per_entry(self, seconds: float | None = None) -> float:
        """Return a CPU time, by default that of all, by entry in milliseconds."""
        return 1000 * (self.cpu_seconds if seconds is None else seconds) / self.entries

    def table(self, title: str) -> Table:
        """Return the cost of each stage."""
        listed: list[tuple[str, int | None, float, int | None]] = [
            *((name, stage.processes, stage.cpu_seconds, stage.memory_mb) for name, stage in self.stages.items()),
            ("Snakemake", 1, self.engine_seconds, None),
            ("all", None, self.cpu_seconds, None),
        ]
        rows = [(name, n, round(cpu, 2), round(self.ms_per_entry(cpu), 1), memory) for name, n, cpu, memory in listed]
        columns = ("stage", "processes", "CPU s", "CPU ms per entry", "peak MB")
        return Table(f"{title}: {self.entries} entries", columns, rows)


@dataclass(frozen=True)
class Measured:
    """Runs of one commit: the largest job, and CPU and wall seconds of one entry with and without the local profile."""

    largest: JobRun
    single: tuple[float, float]
    plain: tuple[float, float]


def goals(now: Measured, base: Measured | None, known: JobRun, rerun: JobRun, service: float) -> list[Figure]:
    """Return the measured values that have goals.

    Parameters
    ----------
    now, base : Measured
        This commit, and the earlier one where it was measured.
    known, rerun : JobRun
        The largest job in a new folder, with its entries in the cache; and again in its own folder.
    service : float
        Seconds from the submission of a job of one entry to its end.
    """
    cost = Cost.of(now.largest)
    per_entry, before = cost.ms_per_entry(), Cost.of(base.largest).ms_per_entry() if base else None
    core, serial = (
        cost.ms_per_entry(sum(cost.stages[name].cpu_seconds for name in names)) for names in (PER_ENTRY, SERIAL)
    )
    per_known = cost.ms_per_entry(known.cpu_seconds)
    (cpu, wall), (cpu_before, wall_before) = now.single, base.single if base else (None, None)
    found = [
        Figure(f"CPU per entry, whole job of {cost.entries}", per_entry, "ms", "cpu", at_most=100, before=before),
        Figure("CPU per entry, parse + clean + bonds + draw + all contexts", core, "ms", "cpu", at_most=65),
        Figure("CPU per entry, series + tables + report + manifest", serial, "ms", "cpu", at_most=10),
        Figure("CPU per entry, its results in the cache", per_known, "ms", "cpu", at_most=25),
        Figure("CPU of a job of one entry", cpu, "s", "cpu", at_most=2.5, before=cpu_before),
        Figure("CPU of a job of one entry without a profile", now.plain[0], "s", "cpu", at_most=3.5),
        Figure("time of a job of one entry by the clock", wall, "s", "wall", at_most=3.0, before=wall_before),
        Figure("one entry in the service, from submission to end", service, "s", "wall", at_most=4.0),
        Figure("CPU of a run with nothing to do", rerun.cpu_seconds, "s", "cpu", at_most=2.5),
        Figure("peak memory of a process", cost.memory_mb, "MB", "memory", at_most=300),
    ]
    if before:
        found.insert(1, Figure("share of the CPU per entry before", per_entry / before, at_most=GOAL_RATIO))
    return found


def measured(folder: Path, checkouts: Mapping[str, Path], settings: Mapping[str, Any]) -> dict[str, Measured]:
    """Run the largest job and one of one entry with each checkout, one after the other in turn."""

    def run(name: str, job: str, settings: Mapping[str, Any], *, plain: bool = False) -> JobRun:
        profile = () if plain else ("--profile", str(checkouts[name] / "config/profiles/local"))
        own = {**settings, "result_cache_mb": 0, "cache_dir": str(folder / name / "cache")}
        return run_job(folder / name / job, own, *profile, checkout=checkouts[name]).checked()

    largest: dict[str, list[JobRun]] = defaultdict(list)
    for number in range(LARGEST_RUNS):
        for name in checkouts:
            largest[name].append(run(name, f"largest{number}", settings))
    singles: dict[tuple[str, bool], list[tuple[float, float]]] = defaultdict(list)
    one_entry = {**settings, **job_of("BAZ2B", "4CUP"), "filters": {}}
    for number in range(SINGLE_RUNS):
        for name, plain in product(checkouts, (False, True)):
            begun = time.monotonic()
            cpu = run(name, f"single{number}{'-plain' * plain}", one_entry, plain=plain).cpu_seconds
            singles[name, plain].append((cpu, time.monotonic() - begun))
    median = {name: sorted(runs, key=lambda one: one.cpu_seconds)[len(runs) // 2] for name, runs in largest.items()}
    best = {key: (min(cpu for cpu, _ in runs), min(wall for _, wall in runs)) for key, runs in singles.items()}
    return {name: Measured(median[name], best[name, False], best[name, True]) for name in checkouts}


def in_service(folder: Path) -> float:
    """Return the seconds from the submission of a job of one entry to its end, the best of several."""
    times = []
    with LiveService(folder) as service:
        for number in range(SINGLE_RUNS):
            begun = time.monotonic()
            service.completed({"target_name": f"BAZ2B {number}", "search_query": "4CUP"})
            times.append(time.monotonic() - begun)
            shutil.rmtree(folder / "cache" / "results")  # each job computes its entry
    return min(times)


def jobs(mirror: Path | None) -> dict[str, dict[str, Any]]:
    """Return the jobs to run by title, the largest last."""
    if mirror is None:
        return {"The embedded archive": job_of("Archive", "1HPV 4CUP 1GBT 4ZHL 1A8O")}
    entries = sorted({path.name.partition(".")[0] for path in mirror.iterdir()})
    pinned = {"entries": entries, "max_entries": len(entries)}
    named = {title: job_of(title, source=mirror) for title in ("EGFR", "HIV protease", "SARS-CoV-2 main protease")}
    return {**named, f"All {len(entries)} entries": job_of("All", "", mirror, filters=pinned)}


def measure(folder: Path, mirror: Path | None) -> Section:
    """Run all jobs and return their cost."""
    base = os.environ.get("TETHERMAP_BENCH_BASE")
    *smaller, (title, settings) = jobs(mirror).items()
    cache = {"cache_dir": str(folder / "now" / "cache")}
    runs = {name: run_job(folder / name, {**job, **cache}, *LOCAL).checked() for name, job in smaller}
    by_commit = measured(folder, {**({"base": Path(base)} if base else {}), "now": ROOT}, settings)
    now = by_commit["now"]
    tables = [Cost.of(run).table(name) for name, run in {**runs, title: now.largest}.items()]
    rerun = run_job(now.largest.job, {**settings, **cache}, *LOCAL).checked()
    keeping = {**settings, **cache, "result_cache_mb": 4000}
    _, known = (run_job(folder / name, keeping, *LOCAL).checked() for name in ("first", "known"))
    figures = goals(now, by_commit.get("base"), known, rerun, in_service(folder / "service"))
    cost = Cost.of(now.largest)
    note = (
        f"Snakemake and the fork server need {cost.engine_seconds:.1f} s per job, "
        f"{cost.ms_per_entry(cost.engine_seconds):.0f} ms per entry here. "
        "A job of one entry consists mainly of Snakemake's start and the imports in parallel."
    )
    return figures, tables, [note]


if __name__ == "__main__":
    if os.environ.get("TETHERMAP_TEST_MIRROR"):
        measure_section("pipeline", "make bench", partial(measure, mirror=large_mirror()))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            record = section_record("make bench", *measure(Path(temporary), None))
        sys.stdout.write("\n".join(section_lines("pipeline", record)) + "\n")
