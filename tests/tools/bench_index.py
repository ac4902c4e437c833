"""Cost of the index of 100,000 jobs: part of ``make bench-service``."""

from __future__ import annotations

import gc
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from service.index.database import Index, IndexedJob
from service.index.query import JobFilters
from service.jobs.record import COMPLETED, FAILED, JobRecord, ResultRow, State
from tests.tools.figures import Figure

JOBS, ROWS_PER_JOB, QUERIES = 100_000, 3, 200
GOAL_PAGE_MS, GOAL_EXPORT_S, GOAL_EXPORT_MB = 50.0, 2.0, 100.0

_NAMES = ("HIV protease", "BAZ2B", "EGFR kinase", "Trypsin", "CDK2", "Thrombin", "BRD4", "Carbonic anhydrase 2")
_CODES = ("478", "ZYB", "ATP", "BEN", "STI", "017", "A1BCD", "NAG")


def jobs(count: int) -> Iterator[IndexedJob]:
    """Yield made-up jobs, the same at every call."""
    chance = random.Random(1)
    for number in range(count):
        yield IndexedJob(record(number, chance), number, rows(number))


def record(number: int, chance: random.Random) -> JobRecord:
    """Return a finished job."""
    day = f"2026-{1 + number % 12:02d}-{1 + number % 28:02d}T{number % 24:02d}:00:00Z"
    name = f"{chance.choice(_NAMES)} {number % 97}"
    status: State = chance.choice((COMPLETED, COMPLETED, COMPLETED, FAILED))
    return JobRecord(
        job_id=f"{number:08x}", sequence=number, status=status, target_name=name, search_query=f"query {number % 1000}",
        created_at=day, modified_at=day, finished_at=day, has_results=status == COMPLETED, result_rows=ROWS_PER_JOB,
    )  # fmt: skip


def rows(number: int) -> tuple[ResultRow, ...]:
    """Return the results of a job."""
    entry = f"{1 + number % 9}{number % 1296:03x}"
    return tuple(
        (entry, "A", _CODES[(number + place) % 8], str(200 + place), "", 0.3, 38.0, 750.0)
        for place in range(ROWS_PER_JOB)
    )


def memory_mb() -> float:
    """Return the memory of this process now, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def measure(folder: Path, count: int = JOBS) -> list[Figure]:
    """Build an index of so many jobs in a folder and ask it."""
    index = Index(folder)
    index.open()
    begun = time.perf_counter()
    index.load(jobs(count))
    built = time.perf_counter() - begun
    index.start()
    figures = [*await pages(index), *await export(index), await updates(index, count)]
    await index.close()
    index = Index(folder)
    begun = time.perf_counter()
    index.open()
    index.known()
    opened = time.perf_counter() - begun
    await index.close()
    what = f"index of {count:,} jobs with {count * ROWS_PER_JOB:,} results"
    return [*figures, Figure(f"{what}: built", built, "s", "wall"), Figure(f"{what}: opened", opened, "s", "wall")]


async def pages(index: Index) -> list[Figure]:
    """Request distinct pages with two filters and a sort."""
    chance = random.Random(2)
    taken = []
    for number in range(QUERIES):
        filters = JobFilters(
            protein=chance.choice(_NAMES)[:4],
            status="completed",
            ligand=chance.choice((None, *_CODES)),
        )
        begun = time.perf_counter()
        await index.jobs(filters, chance.choice(("created_desc", "protein", "modified_desc")), 50, number)
        taken.append(1000 * (time.perf_counter() - begun))
    taken.sort()
    return [
        Figure(
            "page of jobs with filters and a sort, p95",
            taken[int(0.95 * len(taken))],
            "ms",
            "wall",
            at_most=GOAL_PAGE_MS,
        ),
        Figure("page of jobs with filters and a sort, median", taken[len(taken) // 2], "ms", "wall"),
    ]


async def export(index: Index) -> list[Figure]:
    """Export all jobs as CSV, watching the memory."""
    gc.collect()
    before = most = memory_mb()
    size, begun = 0, time.perf_counter()
    async for piece in index.export(JobFilters()):
        size += len(piece)
        most = max(most, memory_mb())
    seconds = time.perf_counter() - begun
    return [
        Figure("CSV of all jobs", seconds, "s", "wall", at_most=GOAL_EXPORT_S),
        Figure("CSV of all jobs, more memory", most - before, "MB", "memory", at_most=GOAL_EXPORT_MB),
        Figure("CSV of all jobs, size", size / 1e6, "MB"),
    ]


async def updates(index: Index, count: int) -> Figure:
    """Change jobs one by one, each written before the next."""
    chance, times = random.Random(3), 100
    begun = time.perf_counter()
    for number in range(times):
        index.put(IndexedJob(record(chance.randrange(count), chance), number, rows(number)))
        await index.settled()
    return Figure("change of one job in the index", 1000 * (time.perf_counter() - begun) / times, "ms", "wall")


async def index_figures() -> list[Figure]:
    """Measure the index in a separate folder."""
    with tempfile.TemporaryDirectory() as folder:
        return await measure(Path(folder))
