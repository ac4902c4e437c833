"""Measure jobs of 50, 500 and 5,000 entries: ``make bench-jobs``; needs TETHERMAP_TEST_MIRROR.

Each entry has a different ligand (`tests.tools.different_mirror`): jobs with repeated ligands don't show the memory for
different ones. The cost of a stage per entry and the memory of its processes must not grow with the job.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.tools.bench import Cost
from tests.tools.different_mirror import different_mirror
from tests.tools.figures import Figure, Section, large_mirror, measure_section
from tests.tools.runs import LOCAL, job_of, run_job
from tethermap.base import layout

SIZES = (50, 500, 5_000)
WORKERS = ("clean_complexes", "match_ligands", "measure_sasa", "check_results", "find_cores")
LIGHT_SECONDS = 1.0
"""Stages below this CPU time in the larger job are too short for their growth to mean anything."""


@dataclass(frozen=True)
class Measured:
    """One job: its cost, result files, CPU seconds of a second run."""

    cost: Cost
    files: int
    rerun_seconds: float

    @property
    def worker_mb(self) -> int:
        """The largest memory of a process of a shard."""
        return max(self.cost.stages[name].memory_mb for name in WORKERS)


def measure_job(folder: Path, mirror: Path, count: int) -> Measured:
    """Run one job of this size, and again without changes."""
    made = folder / f"mirror_{count}"
    pinned = {"entries": different_mirror(made, mirror, count), "max_entries": count}
    settings = job_of(f"All {count}", "", made, filters=pinned, cache_dir=str(folder / "cache"))
    run = run_job(folder / f"job_{count}", settings, *LOCAL).checked()
    again = run_job(run.job, settings, *LOCAL).checked()
    files = sum(path.is_file() for path in (run.job / layout.RESULTS).rglob("*"))
    return Measured(Cost.of(run), files, again.cpu_seconds)


def mean(one: Measured, other: Measured) -> Measured:
    """Return the mean of two runs of a job: a machine that becomes slower meanwhile is not taken for growth."""
    used = {
        name: replace(stage, cpu_seconds=(stage.cpu_seconds + other.cost.stages[name].cpu_seconds) / 2)
        for name, stage in one.cost.stages.items()
    }
    cost = replace(one.cost, stages=used, cpu_seconds=(one.cost.cpu_seconds + other.cost.cpu_seconds) / 2)
    return replace(one, cost=cost, rerun_seconds=(one.rerun_seconds + other.rerun_seconds) / 2)


def figures(jobs: Sequence[Measured]) -> list[Figure]:
    """Return the compared figures: cost per entry, its growth and the growth of memory from the last job but one to the
    last."""
    small, large = jobs[-2:]
    sizes = f"from {small.cost.entries:,} to {large.cost.entries:,} entries"
    whole = f"CPU per entry of {large.cost.entries:,} entries relative to {small.cost.entries:,}"
    worst, stage = max(_growth(small.cost, large.cost))
    growth = large.cost.ms_per_entry() / small.cost.ms_per_entry()
    memory = large.worker_mb / small.worker_mb
    sized = [(f"{job.cost.entries:,}", job) for job in jobs]
    again = "CPU of a second run with nothing to do"
    found = [
        Figure(whole, growth, at_most=1.15),
        Figure(f"growth of CPU per entry {sizes}, worst stage ({stage})", worst, at_most=1.2),
        Figure(f"growth of the largest worker's memory {sizes}", memory, at_most=1.15),
        *(Figure(f"CPU per entry, job of {size}", job.cost.ms_per_entry(), "ms", "cpu") for size, job in sized),
        *(Figure(f"{again}, {size}", job.rerun_seconds, "s", "cpu") for size, job in sized),
        *(Figure(f"largest worker, job of {size}", job.worker_mb, "MB", "memory") for size, job in sized),
    ]
    for size, job in sized:
        found += [
            Figure(f"largest process, job of {size}", job.cost.memory_mb, "MB", "memory", at_most=300),
            Figure(f"result files per entry, job of {size}", job.files / job.cost.entries, at_most=12),
        ]
    return found


def _growth(small: Cost, large: Cost) -> list[tuple[float, str]]:
    """Return by how much each stage costs more per entry in the larger job."""
    pairs = {name: (small.stages[name].cpu_seconds, large.stages[name].cpu_seconds) for name in small.stages}
    pairs["Snakemake"] = (small.engine_seconds, large.engine_seconds)
    ratio = small.entries / large.entries
    return [(after * ratio / before, name) for name, (before, after) in pairs.items() if after > LIGHT_SECONDS]


def measure(folder: Path) -> Section:
    """Run the jobs."""
    mirror = large_mirror()
    jobs = [measure_job(folder, mirror, count) for count in SIZES]
    jobs[-2] = mean(jobs[-2], measure_job(folder / "again", mirror, SIZES[-2]))
    note = (
        "Entries of the large mirror of the tests, each with a different ligand from the dictionary in place of its"
        " ligand, as one job on two cores with the local profile. Small and large entries have the same share in all"
        " jobs. The last job but one is run before the last and after it; the figure is the mean."
    )
    return figures(jobs), (), [note]


if __name__ == "__main__":
    measure_section("jobs", "make bench-jobs", measure)
