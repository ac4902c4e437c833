"""Measure cost and memory by stage: ``make bench``.

Needs the large mirror (``TETHERMAP_TEST_MIRROR``); without it the jobs run on the embedded archive and their cost is
only printed. If ``TETHERMAP_BENCH_BASE`` names a checkout of an earlier commit with its own environment, its runs
alternate with ours and are reported with them.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.service.core import LiveService
from tests.tools.figures import Cell, Figure, Table, section_lines, section_record, write_section
from tests.tools.runs import LOCAL, ROOT, JobRun, rows_of, run_job
from tethermap.base import layout
from tethermap.run.display import STEPS

STAGES = [name for name in STEPS if name != "all"]
PER_ENTRY = ("clean_complexes", "match_ligands", "measure_sasa")
GOAL_PER_ENTRY_MS, GOAL_CORE_MS, GOAL_MEMORY_MB, GOAL_RERUN_S = 100, 65, 300, 2.5
GOAL_ONE_ENTRY_S, GOAL_ONE_ENTRY_WALL_S, GOAL_SERVICE_S, GOAL_KNOWN_MS, GOAL_RATIO = 2.5, 3.0, 4.0, 25, 0.5
GOAL_PLAIN_ENTRY_S = 3.5
LARGEST_RUNS, SINGLE_RUNS = 5, 3
"""Number of runs of the largest job and of one of one entry; the median and the best are reported."""


@dataclass(frozen=True)
class Stage:
    """Resources of all processes of one rule: CPU in seconds, the largest memory in MB."""

    processes: int
    cpu_seconds: float
    memory_mb: int


def stages(job: Path) -> dict[str, Stage]:
    """Return the resources of each rule, from the last line of its logs."""
    found = {}
    for name in STAGES:
        paths = [job / layout.RULE_LOGS / f"{name}.log", *sorted((job / layout.RULE_LOGS / name).glob("*.log"))]
        used = [
            (float(match[1]), int(match[2]))
            for path in paths
            if path.is_file()
            and (match := re.search(r"used ([\d.]+) s CPU and at most (\d+) MB", path.read_text(encoding="utf-8")))
        ]
        found[name] = Stage(len(used), sum(cpu for cpu, _ in used), max((memory for _, memory in used), default=0))
    return found


def job_table(title: str, run: JobRun) -> Table:
    """Return the cost of each stage of a job."""
    entries = len(rows_of(run.job, layout.ENTRY_STATUS))
    used = stages(run.job)
    rows: list[list[Cell]] = [
        [name, stage.processes, *_cost(stage.cpu_seconds, entries), stage.memory_mb] for name, stage in used.items()
    ]
    engine = run.cpu_seconds - sum(stage.cpu_seconds for stage in used.values())
    rows += [["Snakemake", 1, *_cost(engine, entries), None], ["all", None, *_cost(run.cpu_seconds, entries), None]]
    return Table(f"{title}: {entries} entries", ("stage", "processes", "CPU s", "CPU ms per entry", "peak MB"), rows)


def _cost(seconds: float, entries: int) -> tuple[float, float]:
    return round(seconds, 2), round(1000 * seconds / entries, 1)


@dataclass(frozen=True)
class Measured:
    """Runs of one commit: the largest job, and CPU and wall seconds of one entry with and without the local profile."""

    largest: JobRun
    single: tuple[float, float]
    plain: tuple[float, float]

    @property
    def per_entry_ms(self) -> float:
        """CPU of the largest job by entry, in milliseconds."""
        return 1000 * self.largest.cpu_seconds / len(rows_of(self.largest.job, layout.ENTRY_STATUS))


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
    largest, single = now.largest, now.single
    entries = len(rows_of(largest.job, layout.ENTRY_STATUS))
    used = stages(largest.job)
    core = 1000 * sum(used[name].cpu_seconds for name in PER_ENTRY) / entries
    memory = max(stage.memory_mb for stage in used.values())
    name, before = f"CPU per entry, whole job of {entries}", base.per_entry_ms if base else None
    per_known = 1000 * known.cpu_seconds / entries
    earlier = base.single if base else (None, None)
    found = [
        Figure(name, now.per_entry_ms, "ms", "cpu", at_most=GOAL_PER_ENTRY_MS, before=before),
        Figure("CPU per entry, parse + clean + bonds + draw + all contexts", core, "ms", "cpu", at_most=GOAL_CORE_MS),
        Figure("CPU per entry, its results in the cache", per_known, "ms", "cpu", at_most=GOAL_KNOWN_MS),
        Figure("CPU of a job of one entry", single[0], "s", "cpu", at_most=GOAL_ONE_ENTRY_S, before=earlier[0]),
        Figure("CPU of a job of one entry without a profile", now.plain[0], "s", "cpu", at_most=GOAL_PLAIN_ENTRY_S),
        Figure("time of a job of one entry by the clock", single[1], "s", "wall", at_most=GOAL_ONE_ENTRY_WALL_S,
               before=earlier[1]),
        Figure("one entry in the service, from submission to end", service, "s", "wall", at_most=GOAL_SERVICE_S),
        Figure("CPU of a run with nothing to do", rerun.cpu_seconds, "s", "cpu", at_most=GOAL_RERUN_S),
        Figure("peak memory of a process", memory, "MB", "memory", at_most=GOAL_MEMORY_MB),
    ]  # fmt: skip
    if before:
        found.insert(1, Figure("share of the CPU per entry before", now.per_entry_ms / before, at_most=GOAL_RATIO))
    return found


def measured(folder: Path, checkouts: Mapping[str, Path], settings: Mapping[str, Any]) -> dict[str, Measured]:
    """Run the largest job and one of one entry with each checkout, one after the other in turn."""
    cache = {name: {"cache_dir": str(folder / name / "cache")} for name in checkouts}
    largest: dict[str, list[JobRun]] = {name: [] for name in checkouts}
    for number in range(LARGEST_RUNS):
        for name, checkout in checkouts.items():
            job = folder / name / f"largest{number}"
            run = run_job(job, {**settings, **cache[name]}, *_profile(checkout), checkout=checkout)
            largest[name].append(run.checked())
    singles: dict[tuple[str, bool], list[tuple[JobRun, float]]] = {}
    for number in range(SINGLE_RUNS):
        for name, checkout in checkouts.items():
            for plain in (False, True):
                begun = time.monotonic()
                job = folder / name / f"single{number}{'-plain' * plain}"
                run = run_job(
                    job, {**_single(settings), **cache[name]}, *(() if plain else LOCAL), checkout=checkout
                ).checked()
                singles.setdefault((name, plain), []).append((run, time.monotonic() - begun))
    best = {key: (min(run.cpu_seconds for run, _ in runs), min(wall for _, wall in runs))
            for key, runs in singles.items()}  # fmt: skip
    return {name: Measured(_median(largest[name]), best[name, False], best[name, True]) for name in checkouts}


def _median(runs: Sequence[JobRun]) -> JobRun:
    return sorted(runs, key=lambda run: run.cpu_seconds)[len(runs) // 2]


def in_service(folder: Path) -> float:
    """Return the seconds from the submission of a job of one entry to its end, the best of several."""
    times = []
    with LiveService(folder) as service:
        for number in range(SINGLE_RUNS):
            begun = time.monotonic()
            job_id = service.submit({"target_name": f"BAZ2B {number}", "search_query": "4CUP"})
            assert service.ended(job_id)["status"] == "completed"
            times.append(time.monotonic() - begun)
            for kept in (folder / "cache" / "results").rglob("*"):  # each job computes its entry
                if kept.is_file():
                    kept.unlink()
    return min(times)


def explanation(largest: JobRun) -> str:
    """Return the share of Snakemake in the cost."""
    entries = len(rows_of(largest.job, layout.ENTRY_STATUS))
    engine = largest.cpu_seconds - sum(stage.cpu_seconds for stage in stages(largest.job).values())
    return (
        f"Snakemake and the fork server need {engine:.1f} s per job, {1000 * engine / entries:.0f} ms per entry here. "
        "A job of one entry consists mainly of Snakemake's start and the imports in parallel."
    )


def jobs(mirror: Path | None) -> dict[str, dict[str, Any]]:
    """Return the jobs to run by title, the largest last."""
    if mirror is None:
        archive = {"target_name": "Archive", "search_query": "1HPV 4CUP 1GBT 4ZHL 1A8O", "source": {"kind": "archive"}}
        return {"The embedded archive": archive}
    source = {"kind": "mirror", "mirror": str(mirror)}
    entries = sorted({path.name.partition(".")[0] for path in mirror.iterdir()})
    named = {"EGFR": "EGFR", "HIV protease": "HIV protease", "SARS-CoV-2 main protease": "SARS-CoV-2 main protease"}
    found: dict[str, dict[str, Any]] = {
        title: {"target_name": title, "search_query": query, "source": source} for title, query in named.items()
    }
    pinned = {"entries": entries, "max_entries": len(entries)}
    found[f"All {len(entries)} entries"] = {
        "target_name": "All",
        "search_query": "",
        "source": source,
        "filters": pinned,
    }
    return found


def main() -> None:
    """Run all jobs and write their cost."""
    mirror, base = os.environ.get("TETHERMAP_TEST_MIRROR"), os.environ.get("TETHERMAP_BENCH_BASE")
    checkouts = {**({"base": Path(base)} if base else {}), "now": ROOT}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        *smaller, (title, settings) = jobs(Path(mirror) if mirror else None).items()
        cache = {"cache_dir": str(folder / "now" / "cache")}
        runs = {name: run_job(folder / name, {**job, **cache}, *LOCAL).checked() for name, job in smaller}
        by_commit = measured(folder, checkouts, settings)
        now = by_commit["now"]
        tables = [job_table(name, run) for name, run in {**runs, title: now.largest}.items()]
        rerun = run_job(now.largest.job, {**settings, **cache}, *LOCAL).checked()
        keeping = {**settings, **cache, "result_cache_mb": 4000}
        run_job(folder / "first", keeping, *LOCAL).checked()
        known = run_job(folder / "known", keeping, *LOCAL).checked()
        figures = goals(now, by_commit.get("base"), known, rerun, in_service(folder / "service"))
        notes = [explanation(now.largest)]
    if mirror:
        write_section("pipeline", "make bench", figures, tables, notes)
    else:
        record = section_record("make bench", figures, tables, notes)
        sys.stdout.write("\n".join(section_lines("pipeline", record)) + "\n")


def _profile(checkout: Path) -> tuple[str, str]:
    return "--profile", str(checkout / "config/profiles/local")


def _single(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "target_name": "BAZ2B", "search_query": "4CUP", "filters": {}, "source": {"kind": "archive"}}


if __name__ == "__main__":
    main()
