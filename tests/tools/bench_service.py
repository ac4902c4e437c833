"""Measure the service: index, archives, polls, memory: ``make bench-service``, seven minutes on a quiet machine."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from service.index.database import Index, IndexedJob
from service.index.query import JobFilters
from service.jobs.record import COMPLETED, FAILED, JobRecord, ResultRow, State
from tests.service.core import HPV, LiveService
from tests.tools.bench_routes import adopt
from tests.tools.figures import Figure, write_section
from tests.tools.slopes import WARM_UP, cpu_seconds, memory_mb, slope
from tethermap.base import layout

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
    before = most = memory_mb(os.getpid())
    size, begun = 0, time.perf_counter()
    async for piece in index.export(JobFilters()):
        size += len(piece)
        most = max(most, memory_mb(os.getpid()))
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


POLLERS, DOWNLOADS = 50, 5
REQUESTS, STEP, CLIENTS, PER = 100_000, 1_000, 8, 10_000
"""Number of requests in total, between two samples, of simultaneous connections, and the number that a slope refers to.
"""

FOLDER_MB = 500
CROWD, QUEUED = 100, 200
"""Clients that poll at once, and jobs that wait meanwhile."""

_SECONDS = 12.0
_BLOCK, _RATE = 1 << 18, 4e6
"""Bytes that a download takes at once, and at most in a second, so that it lasts as long as the polls."""


class Connection:
    """A persistent connection for consecutive requests."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> Connection:
        """Connect."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    def close(self) -> None:
        """Close it."""
        self._writer.close()

    async def get(self, path: str) -> float:
        """Return the seconds to the last byte of an answer."""
        begun = time.perf_counter()
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        left = int(head.partition(b"content-length: ")[2].split()[0])
        while left:
            block = await self._reader.read(min(left, 1 << 18))
            if not block:
                raise ConnectionError("the answer is shorter than announced")
            left -= len(block)
        return time.perf_counter() - begun


def large_job(service: LiveService, done: Path) -> str:
    """Adopt a job with a folder of several hundred MB; return its id."""
    folder = service.folder / "large"
    shutil.copytree(done, folder)
    (folder / "job_record.json").unlink()
    shutil.rmtree(folder / ".service")
    for number in range(FOLDER_MB):
        (folder / layout.WAR_PDB / f"big_{number}.pdb").write_bytes(os.urandom(1 << 20))
    return adopt(service, folder)


def checked(archive: Path) -> tuple[int, bool]:
    """Return the size of an archive and whether all its members have their checksums."""
    with zipfile.ZipFile(archive) as opened:
        return archive.stat().st_size, opened.testzip() is None


async def archive(port: int, process: int, job_id: str, target: Path) -> list[Figure]:
    """Download a large archive and check it."""
    before = memory_mb(process)
    peak = before
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/jobs/{job_id}/bundle HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    first = time.perf_counter() - begun
    announced = int(head.partition(b"content-length: ")[2].split()[0])
    with target.open("wb") as file:
        while block := await reader.read(1 << 20):
            file.write(block)
            peak = max(peak, memory_mb(process))
    writer.close()
    seconds = time.perf_counter() - begun
    size, happy = await asyncio.to_thread(checked, target)
    what = f"archive of {FOLDER_MB} MB"
    return [
        Figure(f"{what}: first byte", 1000 * first, "ms", "wall", at_most=100),
        Figure(f"{what}: more memory", peak - before, "MB", "memory", at_most=50),
        Figure(f"{what}: length as announced and members whole", int(announced == size and happy), at_least=1),
        Figure(f"{what}: rate", size / seconds / 1e6, "MB/s", "wall"),
    ]


async def polling(service: LiveService, large: str) -> list[Figure]:
    """Poll a job that runs from many clients while others download, as fast as a network lets them."""
    cpu_alone, _, read_alone = await _busy(service, large, 0)
    cpu, times, read = await _busy(service, large, POLLERS)
    cpu_polls = cpu - cpu_alone * read / read_alone
    times.sort()
    what = f"status poll, {POLLERS} clients, a job runs, {DOWNLOADS} archives load"
    return [
        Figure(f"{what}: CPU per poll", 1000 * cpu_polls / len(times), "ms", "cpu", at_most=1.5),
        Figure(f"{what}: p95", 1000 * times[int(len(times) * 0.95)], "ms", "wall", at_most=10),
        Figure(f"{what}: median", 1000 * times[len(times) // 2], "ms", "wall"),
        Figure(f"{what}: polls", len(times)),
        Figure(f"{what}: archives' rate", read / _SECONDS / 1e6, "MB/s", "wall"),
    ]


async def _busy(service: LiveService, large: str, pollers: int) -> tuple[float, list[float], int]:
    """Return CPU seconds of the service while a job runs, archives load and some poll; seconds of polls; bytes read."""
    job_id = await asyncio.to_thread(service.submit, HPV)
    times: list[float] = []
    read = 0
    end = time.monotonic() + _SECONDS

    async def poll(number: int) -> None:
        connection = await Connection.to(service.port)
        await asyncio.sleep(number / pollers / 2)
        while time.monotonic() < end:
            times.append(await connection.get(f"/api/jobs/{job_id}"))
            await asyncio.sleep(0.5)
        connection.close()

    async def download() -> None:
        nonlocal read
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(f"GET /api/jobs/{large}/bundle HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        while time.monotonic() < end:
            read += len(await reader.readexactly(_BLOCK))
            await asyncio.sleep(_BLOCK / _RATE)
        writer.close()

    begun = cpu_seconds(service.process_id)
    await asyncio.gather(*(poll(number) for number in range(pollers)), *(download() for _ in range(DOWNLOADS)))
    return cpu_seconds(service.process_id) - begun, times, read


async def crowd(folder: Path) -> list[Figure]:
    """Poll queued jobs from many clients while one runs, with a separate service."""
    with LiveService(folder, quick=True, MAX_RUNNING_JOBS="1") as service:
        bodies = [{**HPV, "target_name": f"queued {number}"} for number in range(QUEUED + 1)]
        jobs = [await asyncio.to_thread(service.submit, body) for body in bodies]
        begun, end = cpu_seconds(service.process_id), time.monotonic() + _SECONDS

        async def poll(number: int) -> int:
            connection = await Connection.to(service.port)
            await asyncio.sleep(number / CROWD / 2)
            polls = 0
            while time.monotonic() < end:
                await connection.get(f"/api/jobs/{jobs[-1 - number]}")
                polls += 1
                await asyncio.sleep(0.5)
            connection.close()
            return polls

        polls = sum(await asyncio.gather(*(poll(number) for number in range(CROWD))))
        cpu, memory = cpu_seconds(service.process_id) - begun, memory_mb(service.process_id)
    what = f"status poll, {CROWD} clients, {QUEUED} jobs queued"
    return [
        Figure(f"{what}: CPU per poll, all work of the service counted", 1000 * cpu / polls, "ms", "cpu", at_most=1.1),
        Figure(f"{what}: resident memory", memory, "MiB", "memory", at_most=200),
    ]


async def mixed(port: int, process: int, job_id: str) -> list[Figure]:
    """Send many requests of all sorts; return how memory grew, as a slope over samples with its error."""
    base = f"/api/jobs/{job_id}"
    paths = [
        base, f"{base}/results", f"{base}/rows?limit=5", f"{base}/rows?table=atoms&limit=5", f"{base}/files?limit=5",
        f"{base}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200", f"/api/svg/{job_id}/1hpv/478", "/api/indexed-jobs",
        f"/api/protein/{job_id}/1hpv/A", "/api/examples", f"/api/job_log/{job_id}", "/api/health", "/api/nothing",
        f"{base}/war-pdbs.zip", f"/api/ligand_props/{job_id}/478",
    ]  # fmt: skip
    sent: list[float] = []
    samples: list[float] = []
    begun = time.perf_counter()

    async def client(number: int) -> None:
        connection = await Connection.to(port)
        for turn in range(STEP // CLIENTS):
            await connection.get(paths[(turn + number) % len(paths)])
        connection.close()

    for done in range(0, REQUESTS, STEP):
        await asyncio.gather(*(client(number) for number in range(CLIENTS)))
        sent.append((done + STEP) / PER)
        samples.append(memory_mb(process))
    rate = REQUESTS / (time.perf_counter() - begun)
    grown = slope(sent, samples)
    return [
        Figure("memory over mixed requests, slope", grown.value, f"MB per {PER:,}", "memory", error=grown.error,
               at_most=1),
        Figure("mixed requests", REQUESTS),
        Figure("mixed requests, rate", rate, "/s", "wall"),
    ]  # fmt: skip


async def http_figures() -> list[Figure]:
    """Measure a separate service with real jobs."""
    with tempfile.TemporaryDirectory(prefix="tethermap-bench-") as name, LiveService(Path(name)) as service:
        job_id = await asyncio.to_thread(service.submit, HPV)
        await asyncio.to_thread(service.ended, job_id, 120)
        large = await asyncio.to_thread(large_job, service, service.jobs / job_id)
        process = service.process_id
        figures = await archive(service.port, process, large, Path(name) / "bundle.zip")
        figures += await polling(service, large)
        memory = await mixed(service.port, process, job_id)
        return [*figures, *await crowd(Path(name) / "crowd"), *memory]


NOTE = (
    "The index contains generated jobs; pages are requested like in the routes. Archives, polls and requests "
    "use HTTP and a service process with real jobs of the embedded archive; wall times are those of a quiet "
    f"machine. The slope is a least-squares fit after the first {WARM_UP:.0%} of the requests; its error is the"
    " standard error."
)


def main() -> int:
    """Measure and write the section."""
    figures = asyncio.run(index_figures())
    figures += asyncio.run(http_figures())
    write_section("service", "make bench-service", figures, (), [NOTE])
    return 0


if __name__ == "__main__":
    sys.exit(main())
