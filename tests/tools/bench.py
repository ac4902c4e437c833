"""Measure cost and memory by stage: ``make bench``.

Needs the large mirror (``TETHERMAP_TEST_MIRROR``); without it the jobs run on the embedded archive
and what they cost is printed only.
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
from tests.tools.figures import Cell, Figure, Table, section_lines, section_record, write_section
from tests.tools.runs import JobRun, run_job

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


def job_table(title: str, run: JobRun) -> Table:
    """Return what each stage of a job has cost."""
    entries = len(_rows(run.job / layout.ENTRY_STATUS))
    used = stages(run.job)
    rows: list[list[Cell]] = [
        [name, stage.processes, *_cost(stage.cpu_seconds, entries), stage.memory_mb] for name, stage in used.items()
    ]
    engine = run.cpu_seconds - sum(stage.cpu_seconds for stage in used.values())
    rows += [["Snakemake", 1, *_cost(engine, entries), None], ["all", None, *_cost(run.cpu_seconds, entries), None]]
    return Table(f"{title}: {entries} entries", ("stage", "processes", "CPU s", "CPU ms per entry", "peak MB"), rows)


def _cost(seconds: float, entries: int) -> tuple[float, float]:
    return round(seconds, 2), round(1000 * seconds / entries, 1)


def goals(largest: JobRun, single: JobRun, rerun: JobRun) -> list[Figure]:
    """Return the measured values that have goals."""
    entries = len(_rows(largest.job / layout.ENTRY_STATUS))
    used = stages(largest.job)
    core = 1000 * sum(used[name].cpu_seconds for name in PER_ENTRY) / entries
    whole = 1000 * largest.cpu_seconds / entries
    memory = max(stage.memory_mb for stage in used.values())
    return [
        Figure(f"CPU per entry, whole job of {entries}", whole, "ms", "cpu", at_most=GOAL_PER_ENTRY_MS),
        Figure("CPU per entry, parse + clean + bonds + draw + all contexts", core, "ms", "cpu", at_most=GOAL_CORE_MS),
        Figure("CPU of a job of one entry", single.cpu_seconds, "s", "cpu", at_most=GOAL_ONE_ENTRY_S),
        Figure("CPU of a run with nothing to do", rerun.cpu_seconds, "s", "cpu", at_most=GOAL_RERUN_S),
        Figure("peak memory of a process", memory, "MB", "memory", at_most=GOAL_MEMORY_MB),
    ]


def explanation(largest: JobRun) -> str:
    """Return why goals are missed, from the figures of this run and a profile of the stages."""
    entries = len(_rows(largest.job / layout.ENTRY_STATUS))
    processes = sum(stage.processes for stage in stages(largest.job).values())
    starts = 1000 * processes * START_SECONDS / entries
    return (
        f"Where the time goes: the {processes} script processes spend about {START_SECONDS} s each on imports before "
        f"their first entry, {starts:.0f} ms per entry here. Under cProfile half of `measure_sasa` is FreeSASA itself, "
        "which computes the areas of all atoms around a ligand to give the ligand's; a third of `clean_complexes` is "
        "reading (gzip, gemmi), a third the atoms around each ligand, a sixth writing its complex. Of `rank_exits`, "
        "which came after the floor of 45 ms was measured, half is the geometry of 22 candidates a ligand in three "
        "contexts and a quarter the 20 files a ligand for degrader modelling. Nor are the series, the report and the "
        "self-check, which reads every file back, in that floor. A job of one entry is the start of twelve such "
        "processes and of Snakemake, and little else."
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
    tables: list[Table] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        run = None
        cache = {"cache_dir": f"{folder}/cache"}
        for number, (title, settings) in enumerate(jobs(Path(mirror) if mirror else None).items()):
            run = run_job(Path(folder) / str(number), {**settings, **cache}).checked()
            last = {**settings, **cache}
            tables.append(job_table(title, run))
            notes.append("\n".join((f"{title}:\n", *counts(run.job))))
        assert run is not None
        rerun = run_job(run.job, last).checked()
        single = run_job(Path(folder) / "single", {**_single(last), **cache}).checked()
        figures = goals(run, single, rerun)
        notes = [explanation(run), *notes]
    if mirror:
        write_section("pipeline", "make bench", figures, tables, notes)
    else:
        record = section_record("make bench", figures, tables, notes)
        sys.stdout.write("\n".join(section_lines("pipeline", record)) + "\n")


def _single(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "target_name": "BAZ2B", "search_query": "4CUP", "filters": {}, "source": {"kind": "archive"}}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _listed(tally: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(tally.items(), key=lambda item: (-item[1], item[0])))


if __name__ == "__main__":
    main()
