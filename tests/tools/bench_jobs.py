"""Measure jobs of 50, 500 and 5,000 entries: ``make bench-jobs``; needs TETHERMAP_TEST_MIRROR.

Each entry has a different ligand (`tests.tools.mirrors`): jobs with repeated ligands don't show the memory for
different ones. The cost of a stage per entry and the memory of its processes must not grow with the job.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from tests.tools.bench import Cost
from tests.tools.figures import Figure, Section, large_mirror, measure_section
from tests.tools.mirrors import different_mirror
from tests.tools.runs import LOCAL, JobRun, job_of, run_job
from tethermap.base import layout

SIZES = (50, 500, 5_000)
WORKERS = ("clean_complexes", "match_ligands", "measure_sasa", "check_results", "find_cores")
LIGHT_SECONDS = 1.0
"""Stages below this CPU time in the larger job are too short for their growth to mean anything."""


Measured = tuple[Cost, float, float]
"""Cost of a job, CPU seconds of a second run, result files per entry."""


def run_twice(folder: Path, mirror: Path, count: int) -> tuple[JobRun, JobRun]:
    """Run one job of this size, and again without changes."""
    made = folder / f"mirror_{count}"
    pinned = {"entries": different_mirror(made, mirror, count), "max_entries": count}
    settings = job_of(f"All {count}", "", made, filters=pinned, cache_dir=str(folder / "cache"))
    run = run_job(folder / f"job_{count}", settings, *LOCAL).checked()
    return run, run_job(run.job, settings, *LOCAL).checked()


def measured(*runs: tuple[JobRun, JobRun]) -> Measured:
    """Return the mean of runs of one job."""
    cost = Cost.of(*(first for first, _ in runs))
    files = sum(path.is_file() for path in (runs[0][0].job / layout.RESULTS).rglob("*"))
    return cost, mean(again.cpu_seconds for _, again in runs), files / cost.entries


def worker_mb(cost: Cost) -> int:
    """Return the largest memory of a process of a shard."""
    return max(cost.stages[name].memory_mb for name in WORKERS)


def figures(jobs: Sequence[Measured]) -> list[Figure]:
    """Return the compared figures: growth from the last job but one to the last, then cost and memory of each job."""
    small, large = (cost for cost, _, _ in jobs[-2:])
    sizes = f"from {small.entries:,} to {large.entries:,} entries"
    whole = f"CPU per entry of {large.entries:,} entries relative to {small.entries:,}"
    worst, stage = max(_growth(small, large))
    found = [
        Figure(whole, large.ms_per_entry() / small.ms_per_entry(), at_most=1.15),
        Figure(f"growth of CPU per entry {sizes}, worst stage ({stage})", worst, at_most=1.2),
        Figure(f"growth of the largest worker's memory {sizes}", worker_mb(large) / worker_mb(small), at_most=1.15),
    ]
    for cost, again, files in jobs:
        size = f"{cost.entries:,}"
        found += [
            Figure(f"CPU per entry, job of {size}", cost.ms_per_entry(), "ms", "cpu"),
            Figure(f"CPU of a second run with nothing to do, {size}", again, "s", "cpu"),
            Figure(f"largest worker, job of {size}", worker_mb(cost), "MB", "memory"),
            Figure(f"largest process, job of {size}", cost.memory_mb, "MB", "memory", at_most=300),
            Figure(f"result files per entry, job of {size}", files, at_most=12),
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
    *small, before, large = (run_twice(folder, mirror, count) for count in SIZES)
    after = run_twice(folder / "again", mirror, SIZES[-2])  # if the machine becomes slower, this is not growth
    jobs = [*map(measured, small), measured(before, after), measured(large)]
    note = (
        "Entries of the large mirror of the tests, each with a different ligand from the dictionary in place of its"
        " ligand, as one job on two cores with the local profile. Small and large entries have the same share in all"
        " jobs. The last job but one is run before the last and after it; the figure is the mean."
    )
    return figures(jobs), (), [note]


if __name__ == "__main__":
    measure_section("jobs", "make bench-jobs", measure)
