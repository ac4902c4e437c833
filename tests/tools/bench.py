"""Measure cost and memory by stage and write BENCHMARKS.md: ``make bench``.

Needs the large mirror (``TETHERMAP_TEST_MIRROR``); without it the jobs run on the embedded archive.
"""

from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.lib import layout
from scripts.lib.progress_display import STEPS
from tests.tools.runs import ROOT, JobRun, run_job

STAGES = [name for name in STEPS if name != "all"]
PER_ENTRY = ("clean_complexes", "match_ligands", "measure_sasa")
START_SECONDS = 0.3
"""CPU of a script process before its first entry: `python -X importtime` of the per-shard scripts."""

GOAL_PER_ENTRY_MS, GOAL_CORE_MS, GOAL_ONE_ENTRY_S, GOAL_MEMORY_MB, GOAL_RERUN_S = 100, 65, 6.0, 300, 2.5


@dataclass(frozen=True)
class Stage:
    """What all processes of one rule have used: CPU in seconds, the largest memory in MB."""

    processes: int
    cpu_seconds: float
    memory_mb: int


def stages(job: Path) -> dict[str, Stage]:
    """Return what each rule has used, from the last line of its logs."""
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


def counts(job: Path) -> Iterator[str]:
    """Yield lines on what a job kept and rejected, and how bonds were found."""
    for name, path in (("entries", layout.ENTRY_STATUS), ("het groups", layout.LIGAND_STATUS)):
        reasons = Counter(row["reason"] for row in _rows(job / path))
        yield f"- {name}: {sum(reasons.values())}; {_listed(reasons)}"
    rows = _rows(job / layout.RESULTS_DISPLAY)
    yield f"- instances kept: {len(rows)}; bond_source: {_listed(Counter(row['bond_source'] for row in rows))}"


def job_report(title: str, run: JobRun) -> Iterator[str]:
    """Yield the section of one job."""
    entries = len(_rows(run.job / layout.ENTRY_STATUS))
    yield f"## {title}\n"
    yield from counts(run.job)
    yield "\n| stage | processes | CPU s | CPU ms per entry | peak MB |\n|---|---:|---:|---:|---:|"
    used = stages(run.job)
    for name, stage in used.items():
        milliseconds = 1000 * stage.cpu_seconds / entries
        yield f"| {name} | {stage.processes} | {stage.cpu_seconds:.2f} | {milliseconds:.1f} | {stage.memory_mb} |"
    engine = run.cpu_seconds - sum(stage.cpu_seconds for stage in used.values())
    yield f"| Snakemake | 1 | {engine:.2f} | {1000 * engine / entries:.1f} | |"
    yield f"| all | | {run.cpu_seconds:.2f} | {1000 * run.cpu_seconds / entries:.1f} | |\n"


def goals(largest: JobRun, single: JobRun, rerun: JobRun) -> Iterator[str]:
    """Yield the table of measured values beside the goals."""
    entries = len(_rows(largest.job / layout.ENTRY_STATUS))
    used = stages(largest.job)
    core = 1000 * sum(used[name].cpu_seconds for name in PER_ENTRY) / entries
    rows = (
        (f"CPU per entry, whole job of {entries}", 1000 * largest.cpu_seconds / entries, GOAL_PER_ENTRY_MS, "ms"),
        ("CPU per entry, parse + clean + bonds + draw + all contexts", core, GOAL_CORE_MS, "ms"),
        ("CPU of a job of one entry", single.cpu_seconds, GOAL_ONE_ENTRY_S, "s"),
        ("CPU of a run with nothing to do", rerun.cpu_seconds, GOAL_RERUN_S, "s"),
        ("peak memory of a process", max(stage.memory_mb for stage in used.values()), GOAL_MEMORY_MB, "MB"),
    )
    yield "## Goals\n\n| | measured | goal |\n|---|---:|---:|"
    for what, value, goal, unit in rows:
        yield f"| {what} | {value:.1f} {unit} | ≤ {goal} {unit} |"
    yield ""
    yield from explanation(used, entries)


def explanation(used: Mapping[str, Stage], entries: int) -> Iterator[str]:
    """Yield why goals are missed, from the figures of this run and a profile of the stages."""
    processes = sum(stage.processes for stage in used.values())
    starts = 1000 * processes * START_SECONDS / entries
    yield (
        f"Where the time goes: the {processes} script processes spend about {START_SECONDS} s each on imports before "
        f"their first entry, {starts:.0f} ms per entry here. Under cProfile two thirds of `measure_sasa` are FreeSASA "
        "itself, which computes the areas of all atoms around a ligand to give the ligand's; a third of "
        "`clean_complexes` is reading (gzip, gemmi), a fifth writing PDB text. `rank_exits`, the series, the report "
        "and the self-check, which reads every file back, are not in the floor of 45 ms measured for one context.\n"
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
    """Run all jobs and write what they cost."""
    mirror = os.environ.get("TETHERMAP_TEST_MIRROR")
    lines = ["# Benchmarks\n", "Made by `make bench`. CPU is that of all processes, on two cores.\n"]
    with tempfile.TemporaryDirectory() as folder:
        run = None
        cache = {"cache_dir": f"{folder}/cache"}
        sections: list[str] = []
        for number, (title, settings) in enumerate(jobs(Path(mirror) if mirror else None).items()):
            run = run_job(Path(folder) / str(number), {**settings, **cache}).checked()
            last = {**settings, **cache}
            sections += job_report(title, run)
        assert run is not None
        rerun = run_job(run.job, last).checked()
        single = run_job(Path(folder) / "single", {**_single(last), **cache}).checked()
        lines += [*goals(run, single, rerun), *sections]
    text = "\n".join(lines)
    sys.stdout.write(text + "\n")
    if mirror:
        (ROOT / "BENCHMARKS.md").write_text(text, encoding="utf-8")


def _single(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "target_name": "BAZ2B", "search_query": "4CUP", "filters": {}, "source": {"kind": "archive"}}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _listed(tally: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(tally.items(), key=lambda item: (-item[1], item[0])))


if __name__ == "__main__":
    main()
