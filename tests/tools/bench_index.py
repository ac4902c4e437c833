"""Measure the index with 100,000 jobs, beside what is asked of it: part of ``make bench-service``."""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from service.index import Index, IndexedJob
from service.index_query import JobFilters
from service.intake import new_record
from service.jobs import COMPLETED, FAILED, JobRecord, State
from service.outcome import ResultRow

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
    made = new_record(
        f"{number:08x}", number, day, target_name=f"{chance.choice(_NAMES)} {number % 97}",
        search_query=f"query {number % 1000}", source="api", request={},
    )  # fmt: skip
    status: State = chance.choice((COMPLETED, COMPLETED, COMPLETED, FAILED))
    return replace(made, status=status, has_results=status == COMPLETED, result_rows=ROWS_PER_JOB, finished_at=day)


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


async def measure(folder: Path, count: int) -> list[str]:
    """Return a line for each measurement, those that miss their goal marked."""
    index = Index(folder)
    index.open()
    begun = time.perf_counter()
    index.load(jobs(count))
    lines = [f"index: {count:,} jobs, {count * ROWS_PER_JOB:,} results built in {time.perf_counter() - begun:.1f} s"]
    index.start()
    lines.append(await pages(index))
    lines.append(await export(index))
    lines.append(await updates(index, count))
    await index.close()
    index = Index(folder)
    begun = time.perf_counter()
    index.open()
    index.known()
    lines.append(f"index: opened and checked in {time.perf_counter() - begun:.2f} s")
    await index.close()
    return lines


async def pages(index: Index) -> str:
    """Ask for pages with two filters and a sort."""
    chance = random.Random(2)
    taken = []
    for number in range(QUERIES):
        filters = JobFilters(
            protein=chance.choice(_NAMES)[:4],
            status="completed",
            ligand=chance.choice((None, *_CODES)),
        )
        begun = time.perf_counter()
        await index.jobs(filters, chance.choice(("created_desc", "protein", "modified_desc")), 50, number)  # none twice
        taken.append(1000 * (time.perf_counter() - begun))
    taken.sort()
    p95 = taken[int(0.95 * len(taken))]
    text = f"page with filters and sort: median {taken[len(taken) // 2]:.1f} ms, p95 {p95:.1f} ms"
    return goal(text, f"< {GOAL_PAGE_MS:.0f} ms", p95 < GOAL_PAGE_MS)


async def export(index: Index) -> str:
    """Export all jobs as CSV, watching the memory."""
    gc.collect()
    before = most = memory_mb()
    size, begun = 0, time.perf_counter()
    async for piece in index.export(JobFilters()):
        size += len(piece)
        most = max(most, memory_mb())
    seconds = time.perf_counter() - begun
    text = f"CSV of all: {seconds:.2f} s, {size / 1e6:.1f} MB, {most - before:.0f} MB more memory"
    reached = seconds < GOAL_EXPORT_S and most - before < GOAL_EXPORT_MB
    return goal(text, f"< {GOAL_EXPORT_S:.0f} s, < {GOAL_EXPORT_MB:.0f} MB", reached)


async def updates(index: Index, count: int) -> str:
    """Change jobs one by one, each written before the next."""
    chance, times = random.Random(3), 100
    begun = time.perf_counter()
    for number in range(times):
        index.put(IndexedJob(record(chance.randrange(count), chance), number, rows(number)))
        await index.settled()
    return f"change of one job: {1000 * (time.perf_counter() - begun) / times:.1f} ms"


def goal(text: str, wanted: str, reached: bool) -> str:
    """Return a measurement with its goal."""
    return f"{text}  [goal {wanted}: {'reached' if reached else 'MISSED'}]"


def main() -> int:
    """Print all measurements; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=JOBS)
    count = parser.parse_args().jobs
    with tempfile.TemporaryDirectory() as folder:
        lines = asyncio.run(measure(Path(folder), count))
    sys.stdout.write("\n".join(lines) + "\n")
    return int(any("MISSED" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
