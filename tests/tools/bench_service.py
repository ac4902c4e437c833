"""Measure the service: index, archives, polls, memory: ``make bench-service``, seven minutes on a quiet machine."""

import asyncio
import gc
import os
import random
import shutil
import time
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import numpy as np

from service.index.database import Index, IndexedJob
from service.index.query import JobFilters
from service.jobs.record import COMPLETED, FAILED, JobRecord, ResultRow, State
from tests.service.core import HPV, LiveService
from tests.tools.bench_routes import adopt
from tests.tools.figures import Figure, Section, measure_section
from tests.tools.slopes import WARM_UP, cpu_seconds, growth, memory_mb
from tethermap.base import layout

JOBS, ROWS_PER_JOB, QUERIES = 100_000, 3, 200

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


async def index_figures(folder: Path) -> list[Figure]:
    """Build an index of many jobs in a folder and query it."""
    index = Index(folder)
    index.open()
    begun = time.perf_counter()
    index.load(jobs(JOBS))
    built = time.perf_counter() - begun
    index.start()
    figures = [*await pages(index), *await export(index), await updates(index)]
    await index.close()
    index = Index(folder)
    begun = time.perf_counter()
    index.open()
    index.known()
    opened = time.perf_counter() - begun
    await index.close()
    what = f"index of {JOBS:,} jobs with {JOBS * ROWS_PER_JOB:,} results"
    return [*figures, Figure(f"{what}: built", built, "s", "wall"), Figure(f"{what}: opened", opened, "s", "wall")]


async def pages(index: Index) -> list[Figure]:
    """Request distinct pages with two filters and a sort."""
    chance = random.Random(2)
    taken = []
    for number in range(QUERIES):
        ligand = chance.choice((None, *_CODES))
        filters = JobFilters(protein=chance.choice(_NAMES)[:4], status="completed", ligand=ligand)
        begun = time.perf_counter()
        await index.jobs(filters, chance.choice(("created_desc", "protein", "modified_desc")), 50, number)
        taken.append(1000 * (time.perf_counter() - begun))
    p95, median = np.quantile(taken, (0.95, 0.5))
    what = "page of jobs with filters and a sort"
    return [Figure(f"{what}, p95", p95, "ms", "wall", at_most=50), Figure(f"{what}, median", median, "ms", "wall")]


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
        Figure("CSV of all jobs", seconds, "s", "wall", at_most=2),
        Figure("CSV of all jobs, more memory", most - before, "MB", "memory", at_most=100),
        Figure("CSV of all jobs, size", size / 1e6, "MB"),
    ]


async def updates(index: Index) -> Figure:
    """Change jobs one by one, each written before the next."""
    chance, times = random.Random(3), 100
    begun = time.perf_counter()
    for number in range(times):
        index.put(IndexedJob(record(chance.randrange(JOBS), chance), number, rows(number)))
        await index.settled()
    return Figure("change of one job in the index", 1000 * (time.perf_counter() - begun) / times, "ms", "wall")


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


def get(connection: HTTPConnection, path: str) -> float:
    """Return the seconds to the last byte of an answer."""
    begun = time.perf_counter()
    connection.request("GET", path)
    connection.getresponse().read()
    return time.perf_counter() - begun


def poll(service: LiveService, job_id: str, wait: float, end: float) -> list[float]:
    """Poll a job twice a second until `end`, the first time after a while; return the seconds of each."""
    times = []
    with closing(HTTPConnection("127.0.0.1", service.port)) as connection:
        time.sleep(wait)
        while time.monotonic() < end:
            times.append(get(connection, f"/api/jobs/{job_id}"))
            time.sleep(0.5)
    return times


def large_job(service: LiveService, done: Path) -> str:
    """Adopt a job with a folder of several hundred MB; return its id."""
    folder = service.folder / "large"
    shutil.copytree(done, folder)
    (folder / "job_record.json").unlink()
    shutil.rmtree(folder / ".service")
    for number in range(FOLDER_MB):
        (folder / layout.WAR_PDB / f"big_{number}.pdb").write_bytes(os.urandom(1 << 20))
    return adopt(service, folder)


def archive(service: LiveService, job_id: str, target: Path) -> list[Figure]:
    """Download a large archive and check it."""
    before = peak = memory_mb(service.process_id)
    begun = time.perf_counter()
    with service.http.stream("GET", f"/api/jobs/{job_id}/bundle") as answer, target.open("wb") as file:
        first, announced = time.perf_counter() - begun, int(answer.headers["Content-Length"])
        for block in answer.iter_raw(1 << 20):
            file.write(block)
            peak = max(peak, memory_mb(service.process_id))
    seconds = time.perf_counter() - begun
    size = target.stat().st_size
    with zipfile.ZipFile(target) as opened:
        happy = announced == size and opened.testzip() is None
    what = f"archive of {FOLDER_MB} MB"
    return [
        Figure(f"{what}: first byte", 1000 * first, "ms", "wall", at_most=100),
        Figure(f"{what}: more memory", peak - before, "MB", "memory", at_most=50),
        Figure(f"{what}: length as announced and members whole", int(happy), at_least=1),
        Figure(f"{what}: rate", size / seconds / 1e6, "MB/s", "wall"),
    ]


def polling(service: LiveService, large: str) -> list[Figure]:
    """Poll a job that runs from many clients while others download, as fast as a network lets them."""
    service.submit(HPV)
    cpu_alone, _, read_alone = _busy(service, [], large)
    cpu, times, read = _busy(service, [service.submit(HPV)] * POLLERS, large)
    cpu_polls = cpu - cpu_alone * read / read_alone
    p95, median = 1000 * np.quantile(times, (0.95, 0.5))
    what = f"status poll, {POLLERS} clients, a job runs, {DOWNLOADS} archives load"
    return [
        Figure(f"{what}: CPU per poll", 1000 * cpu_polls / len(times), "ms", "cpu", at_most=1.5),
        Figure(f"{what}: p95", p95, "ms", "wall", at_most=10),
        Figure(f"{what}: median", median, "ms", "wall"),
        Figure(f"{what}: polls", len(times)),
        Figure(f"{what}: archives' rate", read / _SECONDS / 1e6, "MB/s", "wall"),
    ]


def _busy(service: LiveService, polled: Sequence[str], large: str | None = None) -> tuple[float, list[float], int]:
    """Poll jobs, each from a separate client, and download archives of a large one; return CPU seconds of the service,
    seconds of the polls, and bytes read."""
    begun, end = cpu_seconds(service.process_id), time.monotonic() + _SECONDS

    def download() -> int:
        read = 0
        with service.http.stream("GET", f"/api/jobs/{large}/bundle") as answer:
            for block in answer.iter_raw(_BLOCK):
                if time.monotonic() > end:
                    break
                read += len(block)
                time.sleep(_BLOCK / _RATE)
        return read

    with ThreadPoolExecutor(len(polled) + DOWNLOADS) as pool:
        loads = [pool.submit(download) for _ in range(DOWNLOADS if large else 0)]
        waits = [number / len(polled) / 2 for number in range(len(polled))]
        times = [took for one in pool.map(partial(poll, service, end=end), polled, waits) for took in one]
    cpu = cpu_seconds(service.process_id) - begun
    return cpu, times, sum(one.result() for one in loads)


def crowd(folder: Path) -> list[Figure]:
    """Poll queued jobs from many clients while one runs, with a separate service."""
    with LiveService(folder, quick=True, MAX_RUNNING_JOBS="1") as service:
        jobs = [service.submit({**HPV, "target_name": f"queued {number}"}) for number in range(QUEUED + 1)]
        cpu, times, _ = _busy(service, jobs[-CROWD:])
        memory = memory_mb(service.process_id)
    what = f"status poll, {CROWD} clients, {QUEUED} jobs queued"
    name = f"{what}: CPU per poll, all work of the service counted"
    return [
        Figure(name, 1000 * cpu / len(times), "ms", "cpu", at_most=1.1),
        Figure(f"{what}: resident memory", memory, "MiB", "memory", at_most=200),
    ]


def mixed(service: LiveService, job_id: str) -> list[Figure]:
    """Send many requests of all sorts; return how memory grew, as a slope over samples with its error."""
    base = f"/api/jobs/{job_id}"
    paths = [
        base, f"{base}/results", f"{base}/rows?limit=5", f"{base}/rows?table=atoms&limit=5", f"{base}/files?limit=5",
        f"{base}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200", f"/api/svg/{job_id}/1hpv/478", "/api/indexed-jobs",
        f"/api/protein/{job_id}/1hpv/A", "/api/examples", f"/api/job_log/{job_id}", "/api/health", "/api/nothing",
        f"{base}/war-pdbs.zip", f"/api/ligand_props/{job_id}/478",
    ]  # fmt: skip
    sent = [(done + STEP) / PER for done in range(0, REQUESTS, STEP)]
    samples: list[float] = []
    begun = time.perf_counter()

    def client(number: int) -> None:
        with closing(HTTPConnection("127.0.0.1", service.port)) as connection:
            for turn in range(STEP // CLIENTS):
                get(connection, paths[(turn + number) % len(paths)])

    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in sent:
            list(pool.map(client, range(CLIENTS)))
            samples.append(memory_mb(service.process_id))
    rate = REQUESTS / (time.perf_counter() - begun)
    return [
        growth("memory over mixed requests, slope", sent, samples, f"MB per {PER:,}", at_most=1),
        Figure("mixed requests", REQUESTS),
        Figure("mixed requests, rate", rate, "/s", "wall"),
    ]


NOTE = (
    "The index contains generated jobs; pages are requested like in the routes. Archives, polls and requests "
    "use HTTP and a service process with real jobs of the embedded archive; wall times are those of a quiet "
    f"machine. The slope is a least-squares fit after the first {WARM_UP:.0%} of the requests; its error is the"
    " standard error."
)


def measure(folder: Path) -> Section:
    """Measure the index in a separate folder, then a service with real jobs."""
    (folder / "index").mkdir()
    figures = asyncio.run(index_figures(folder / "index"))
    with LiveService(folder / "service") as service:
        job_id = service.completed()
        large = large_job(service, service.jobs / job_id)
        figures += [*archive(service, large, folder / "bundle.zip"), *polling(service, large)]
        memory = mixed(service, job_id)
        return [*figures, *crowd(folder / "crowd"), *memory], (), [NOTE]


if __name__ == "__main__":
    measure_section("service", "make bench-service", measure)
