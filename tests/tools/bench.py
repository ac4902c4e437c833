"""Measure cost and memory by stage: ``make bench``; needs TETHERMAP_TEST_MIRROR.

If ``TETHERMAP_BENCH_BASE`` names a checkout of an earlier commit with its own environment, its runs alternate with ours
and are reported with them.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tests.service.core import LiveService
from tests.tools.figures import Figure, Section, Table, large_mirror, measure_section
from tests.tools.runs import LOCAL, ROOT, JobRun, job_of, rows_of, run_job
from tethermap.base import layout
from tethermap.run.display import STEPS

PER_ENTRY = ("clean_complexes", "match_ligands", "measure_sasa")
SERIAL = ("find_series", "build_tables", "finish_job")
"""Steps of the whole job, on one core; `find_cores`, which earlier was a part of them, runs in shards."""
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
    def of(cls, *runs: JobRun) -> Cost:
        """Return the mean cost of runs of one job, that of its rules from the last line of their logs."""
        used: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for run in runs:
            logs = run.job / layout.RULE_LOGS
            for path in logs.rglob("*.log"):
                name = path.relative_to(logs).parts[0].removesuffix(".log")
                used[name] += re.findall(r"used ([\d.]+) s CPU and at most (\d+) MB", path.read_text(encoding="utf-8"))
        stages = {
            name: Stage(
                len(used[name]) // len(runs),
                sum(float(cpu) for cpu, _ in used[name]) / len(runs),
                max(int(memory) for _, memory in used[name]),
            )
            for name in STEPS
            if used[name]
        }
        entries = len(rows_of(runs[0].job, layout.ENTRY_STATUS))
        return cls(entries, stages, sum(run.cpu_seconds for run in runs) / len(runs))

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

    def of_steps(self, *names: str) -> float:
        """Return the CPU time by entry of several steps in milliseconds."""
        return self.ms_per_entry(sum(self.stages[name].cpu_seconds for name in names))

    def table(self) -> Table:
        """Return the cost of each stage."""
        listed: list[tuple[str, int | None, float, int | None]] = [
            *((name, stage.processes, stage.cpu_seconds, stage.memory_mb) for name, stage in self.stages.items()),
            ("Snakemake", 1, self.engine_seconds, None),
            ("all", None, self.cpu_seconds, None),
        ]
        rows = [(name, n, round(cpu, 2), round(self.ms_per_entry(cpu), 1), memory) for name, n, cpu, memory in listed]
        columns = ("stage", "processes", "CPU s", "CPU ms per entry", "peak MB")
        return Table(f"All {self.entries} entries", columns, rows)


def whole_mirror() -> dict[str, Any]:
    """Return the settings of a job over all entries of the large mirror."""
    mirror = large_mirror()
    entries = sorted({path.name.partition(".")[0] for path in mirror.iterdir()})
    return job_of("All", "", mirror, filters={"entries": entries, "max_entries": len(entries)})


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


def measure(folder: Path) -> Section:
    """Run the job over the mirror and one of one entry with each checkout, one after the other in turn."""
    base = os.environ.get("TETHERMAP_BENCH_BASE")
    checkouts = {**({"base": Path(base)} if base else {}), "now": ROOT}
    settings = whole_mirror()
    one_entry = {**settings, **job_of("BAZ2B", "4CUP"), "filters": {}}
    cache = {"cache_dir": str(folder / "now" / "cache")}

    def run(name: str, job: str, settings: Mapping[str, Any], *, plain: bool = False) -> JobRun:
        profile = () if plain else ("--profile", str(checkouts[name] / "config/profiles/local"))
        own = {**settings, "result_cache_mb": 0, "cache_dir": str(folder / name / "cache")}
        return run_job(folder / name / job, own, *profile, checkout=checkouts[name]).checked()

    largest, singles = defaultdict(list), defaultdict(list)
    for number, name in product(range(LARGEST_RUNS), checkouts):
        largest[name].append(run(name, f"largest{number}", settings))
    for number, name, plain in product(range(SINGLE_RUNS), checkouts, (False, True)):
        singles[name, plain].append(run(name, f"single{number}{'-plain' * plain}", one_entry, plain=plain))
    median = {name: sorted(runs, key=lambda one: one.cpu_seconds)[len(runs) // 2] for name, runs in largest.items()}
    cpu = {key: min(one.cpu_seconds for one in runs) for key, runs in singles.items()}
    wall = {key: min(one.seconds for one in runs) for key, runs in singles.items()}
    whole = median["now"]
    rerun = run_job(whole.job, {**settings, **cache}, *LOCAL).checked()
    keeping = {**settings, **cache, "result_cache_mb": 4000}
    _, known = (run_job(folder / name, keeping, *LOCAL).checked() for name in ("first", "known"))
    costs = {name: Cost.of(one) for name, one in median.items()}
    cost, single = costs["now"], ("base", False)
    before, before_serial = (costs["base"].ms_per_entry(), costs["base"].of_steps(*SERIAL)) if base else (None, None)
    per_entry = cost.ms_per_entry()
    figures = [
        Figure(f"CPU per entry, whole job of {cost.entries}", per_entry, "ms", "cpu", at_most=100, before=before),
        *([Figure("share of the CPU per entry before", per_entry / before, at_most=GOAL_RATIO)] if before else []),
        Figure("CPU per entry, parse + clean + bonds + draw + all contexts", cost.of_steps(*PER_ENTRY), "ms", "cpu",
               at_most=65),
        Figure("CPU per entry, series + tables + report + manifest", cost.of_steps("find_cores", *SERIAL), "ms", "cpu",
               at_most=10, before=before_serial),
        Figure("CPU per entry, series + tables + report + manifest on one core, without find_cores",
               cost.of_steps(*SERIAL), "ms", "cpu", before=before_serial),
        Figure("time of the whole job by the clock, share of its CPU", whole.seconds / whole.cpu_seconds, at_most=0.6),
        Figure("CPU per entry, its results in the cache", cost.ms_per_entry(known.cpu_seconds), "ms", "cpu",
               at_most=25),
        Figure("CPU of a job of one entry", cpu["now", False], "s", "cpu", at_most=2.5, before=cpu.get(single)),
        Figure("CPU of a job of one entry without a profile", cpu["now", True], "s", "cpu", at_most=3.5),
        Figure("time of a job of one entry by the clock", wall["now", False], "s", "wall", at_most=3.0,
               before=wall.get(single)),
        Figure("one entry in the service, from submission to end", in_service(folder / "service"), "s", "wall",
               at_most=4.0),
        Figure("CPU of a run with nothing to do", rerun.cpu_seconds, "s", "cpu", at_most=2.5),
        Figure("peak memory of a process", cost.memory_mb, "MB", "memory", at_most=300),
    ]  # fmt: skip
    note = (
        f"Snakemake and the fork server need {cost.engine_seconds:.1f} s per job, "
        f"{cost.ms_per_entry(cost.engine_seconds):.0f} ms per entry here. "
        "A job of one entry consists mainly of Snakemake's start and the imports in parallel."
    )
    return figures, [cost.table()], [note]


if __name__ == "__main__":
    measure_section("pipeline", "make bench", measure)
