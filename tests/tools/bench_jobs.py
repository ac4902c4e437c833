"""Measure jobs of 50, 500 and 5,000 entries: ``make bench-jobs``; needs TETHERMAP_TEST_MIRROR.

Each entry has a different ligand (`tests.tools.different_mirror`): jobs with repeated ligands don't show the memory for
different ones. The cost of a stage per entry and the memory of its processes must not grow with the job.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.tools.bench import Stage, stages
from tests.tools.different_mirror import different_mirror
from tests.tools.figures import Figure, large_mirror, write_section
from tests.tools.runs import LOCAL, run_job
from tethermap.base import layout

SIZES = (50, 500, 5_000)
WORKERS = ("clean_complexes", "match_ligands", "measure_sasa", "check_results", "find_cores")
GROWTH_GOAL, MEMORY_GOAL = 1.2, 1.15
WHOLE_GROWTH_GOAL, PROCESS_MB_GOAL, FILES_GOAL = 1.15, 300, 12
LIGHT_SECONDS = 1.0
"""Stages below this CPU time in the larger job are too short for their growth to mean anything."""


@dataclass(frozen=True)
class Measured:
    """One job: entries, stages, CPU seconds of all, result files, CPU seconds of a second run."""

    entries: int
    used: dict[str, Stage]
    cpu_seconds: float
    files: int
    rerun_seconds: float

    @property
    def engine_seconds(self) -> float:
        """CPU time of Snakemake itself: imports, DAG, scheduling."""
        return self.cpu_seconds - sum(stage.cpu_seconds for stage in self.used.values())

    @property
    def worker_mb(self) -> int:
        """The largest memory of a process of a shard."""
        return max(self.used[name].memory_mb for name in WORKERS)

    @property
    def process_mb(self) -> int:
        """The largest memory of a process of any step."""
        return max(stage.memory_mb for stage in self.used.values())

    @property
    def ms_per_entry(self) -> float:
        """CPU time of all, in milliseconds."""
        return 1000 * self.cpu_seconds / self.entries


def measure(folder: Path, mirror: Path, count: int) -> Measured:
    """Run one job of this size, and again without changes."""
    made = folder / f"mirror_{count}"
    entries = different_mirror(made, mirror, count)
    settings = {
        "target_name": f"All {count}",
        "search_query": "",
        "source": {"kind": "mirror", "mirror": str(made)},
        "filters": {"entries": entries, "max_entries": count},
        "cache_dir": str(folder / "cache"),
    }
    run = run_job(folder / f"job_{count}", settings, *LOCAL).checked()
    again = run_job(run.job, settings, *LOCAL).checked()
    used = stages(run.job)
    return Measured(
        count,
        used,
        run.cpu_seconds,
        sum(path.is_file() for path in (run.job / layout.RESULTS).rglob("*")),
        again.cpu_seconds,
    )


def mean(one: Measured, other: Measured) -> Measured:
    """Return the mean of two runs of a job: a machine that becomes slower meanwhile is not taken for growth."""
    used = {
        name: replace(stage, cpu_seconds=(stage.cpu_seconds + other.used[name].cpu_seconds) / 2)
        for name, stage in one.used.items()
    }
    cpu, rerun = one.cpu_seconds + other.cpu_seconds, one.rerun_seconds + other.rerun_seconds
    return replace(one, used=used, cpu_seconds=cpu / 2, rerun_seconds=rerun / 2)


def figures(jobs: Sequence[Measured]) -> list[Figure]:
    """Return the compared figures: cost per entry, its growth and the growth of memory from the last job but one to the
    last."""
    small, large = jobs[-2:]
    worst, stage = max(_growth(small, large))
    found = [
            Figure(
                f"CPU per entry of {large.entries:,} entries relative to {small.entries:,}",
                large.ms_per_entry / small.ms_per_entry, at_most=WHOLE_GROWTH_GOAL,
            ),
            Figure(
                f"growth of CPU per entry from {small.entries:,} to {large.entries:,} entries, worst stage ({stage})",
                worst, at_most=GROWTH_GOAL,
            ),
            Figure(
                f"growth of the largest worker's memory from {small.entries:,} to {large.entries:,} entries",
                large.worker_mb / small.worker_mb, at_most=MEMORY_GOAL,
            ),
        ]  # fmt: skip
    found += [Figure(f"CPU per entry, job of {job.entries:,}", job.ms_per_entry, "ms", kind="cpu") for job in jobs]
    for job in jobs:
        found.append(Figure(f"CPU of a second run with nothing to do, {job.entries:,}", job.rerun_seconds, "s", "cpu"))
    found += [Figure(f"largest worker, job of {job.entries:,}", job.worker_mb, "MB", "memory") for job in jobs]
    for job in jobs:
        name = f"largest process, job of {job.entries:,}"
        found.append(Figure(name, job.process_mb, "MB", "memory", at_most=PROCESS_MB_GOAL))
        found.append(
            Figure(f"result files per entry, job of {job.entries:,}", job.files / job.entries, at_most=FILES_GOAL)
        )
    return found


def _growth(small: Measured, large: Measured) -> list[tuple[float, str]]:
    """Return by how much each stage costs more per entry in the larger job."""
    pairs = {name: (small.used[name].cpu_seconds, large.used[name].cpu_seconds) for name in small.used}
    pairs["Snakemake"] = (small.engine_seconds, large.engine_seconds)
    ratio = small.entries / large.entries
    return [(after * ratio / before, name) for name, (before, after) in pairs.items() if after > LIGHT_SECONDS]


def main() -> int:
    """Run the jobs and write the section."""
    mirror = large_mirror()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        jobs = [measure(folder, mirror, count) for count in SIZES]
        jobs[-2] = mean(jobs[-2], measure(folder / "again", mirror, jobs[-2].entries))
    note = (
        "Entries of the large mirror of the tests, each with a different ligand from the dictionary in place of its"
        " ligand, as one job on two cores with the local profile. Small and large entries have the same share in all"
        " jobs. The last job but one is run before the last and after it; the figure is the mean."
    )
    write_section("jobs", "make bench-jobs", figures(jobs), (), [note])
    return 0


if __name__ == "__main__":
    sys.exit(main())
