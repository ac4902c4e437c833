"""Cost of the service's HTTP layer, with real jobs: part of ``make bench-service``."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from tests.service.core import HPV, LiveService
from tests.tools.figures import Figure, Table
from tests.tools.runs import ROOT
from tests.tools.slopes import Sample, slope
from tethermap.base import layout

POLLERS, DOWNLOADS = 50, 5
REQUESTS, STEP, CLIENTS, PER = 100_000, 1_000, 8, 10_000
"""Number of requests in total, between two samples, of simultaneous connections, and the number that a slope refers to.
"""

WARM_UP = 0.2
"""Share of the requests that fill caches and pools."""

FOLDER_MB = 500
CROWD, QUEUED = 100, 200
"""Clients that poll at once, and jobs that wait meanwhile."""

_SECONDS = 12.0
_BLOCK, _RATE = 1 << 18, 4e6
"""Bytes that a download takes at once, and at most in a second, so that it lasts as long as the polls."""


def memory_kb(process: int) -> int:
    """Return the resident memory of a process in kB."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(text.partition("VmRSS:")[2].split()[0])


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

    async def get(self, path: str) -> tuple[float, float, int]:
        """Return seconds to the first byte and to the last, and the length of the body."""
        begun = time.perf_counter()
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        first = time.perf_counter() - begun
        length = int(head.partition(b"content-length: ")[2].split()[0])
        left = length
        while left:
            block = await self._reader.read(min(left, 1 << 18))
            if not block:
                raise ConnectionError("the answer is shorter than announced")
            left -= len(block)
        return first, time.perf_counter() - begun, length


def large_job(service: LiveService, done: Path) -> str:
    """Adopt a job with a folder of several hundred MB; return its id."""
    folder = service.folder / "large"
    shutil.copytree(done, folder)
    for name in ("job_record.json", ".service"):
        subprocess.run(["rm", "-rf", str(folder / name)], check=True)
    for number in range(FOLDER_MB):
        (folder / layout.WAR_PDB / f"big_{number}.pdb").write_bytes(os.urandom(1 << 20))
    adopted = subprocess.run(
        [sys.executable, "-m", "service", "adopt", str(folder)],
        check=True, cwd=ROOT, env=service.environment, capture_output=True, text=True,
    )  # fmt: skip
    return adopted.stdout.split()[-1]


def checked(archive: Path) -> tuple[int, bool]:
    """Return the size of an archive and whether all its members have their checksums."""
    with zipfile.ZipFile(archive) as opened:
        return archive.stat().st_size, opened.testzip() is None


async def archive(port: int, process: int, job_id: str, target: Path) -> list[Figure]:
    """Download a large archive and check it."""
    before = memory_kb(process)
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
            peak = max(peak, memory_kb(process))
    writer.close()
    seconds = time.perf_counter() - begun
    size, happy = await asyncio.to_thread(checked, target)
    what = f"archive of {FOLDER_MB} MB"
    return [
        Figure(f"{what}: first byte", 1000 * first, "ms", "wall", at_most=100),
        Figure(f"{what}: more memory", (peak - before) / 1024, "MB", "memory", at_most=50),
        Figure(f"{what}: length as announced and members whole", int(announced == size and happy), at_least=1),
        Figure(f"{what}: rate", size / seconds / 1e6, "MB/s", "wall"),
    ]


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process, without its children."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
            _, seconds, _ = await connection.get(f"/api/jobs/{job_id}")
            times.append(seconds)
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
        cpu, memory = cpu_seconds(service.process_id) - begun, memory_kb(service.process_id) / 1024
    what = f"status poll, {CROWD} clients, {QUEUED} jobs queued"
    return [
        Figure(f"{what}: CPU per poll, all work of the service counted", 1000 * cpu / polls, "ms", "cpu", at_most=1.1),
        Figure(f"{what}: resident memory", memory, "MiB", "memory", at_most=200),
    ]


async def mixed(port: int, process: int, job_id: str) -> tuple[list[Figure], Table]:
    """Send many requests of all sorts; return how memory grew, as a slope over samples with its error."""
    base = f"/api/jobs/{job_id}"
    paths = [
        base, f"{base}/results", f"{base}/rows?limit=5", f"{base}/rows?table=atoms&limit=5", f"{base}/files?limit=5",
        f"{base}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200", f"/api/svg/{job_id}/1hpv/478", "/api/indexed-jobs",
        f"/api/protein/{job_id}/1hpv/A", "/api/examples", f"/api/job_log/{job_id}", "/api/health", "/api/nothing",
        f"{base}/war-pdbs.zip", f"/api/ligand_props/{job_id}/478",
    ]  # fmt: skip
    sent: list[float] = []
    samples: list[Sample] = []
    begun = time.perf_counter()

    async def client(number: int) -> None:
        connection = await Connection.to(port)
        for turn in range(STEP // CLIENTS):
            await connection.get(paths[(turn + number) % len(paths)])
        connection.close()

    for done in range(0, REQUESTS, STEP):
        await asyncio.gather(*(client(number) for number in range(CLIENTS)))
        sent.append((done + STEP) / PER)
        samples.append(Sample.of(process))
    rate = REQUESTS / (time.perf_counter() - begun)
    first = int(len(samples) * WARM_UP)
    unit = f"MB per {PER:,}"
    grown = slope(sent[first:], [sample.memory_mb for sample in samples[first:]])
    places = (0, first, len(samples) // 2, len(samples) - 1)
    figures = [
        Figure("memory over mixed requests, slope", grown.value, unit, "memory", error=grown.error, at_most=1),
        Figure("mixed requests", REQUESTS),
        Figure("mixed requests, rate", rate, "/s", "wall"),
    ]
    marks = [[int(sent[place] * PER), round(samples[place].memory_mb, 1)] for place in places]
    return figures, Table("Memory of the service", ("requests", "resident memory / MB"), marks)


async def http_figures() -> tuple[list[Figure], Table]:
    """Measure a separate service with real jobs."""
    with tempfile.TemporaryDirectory(prefix="tethermap-bench-") as name, LiveService(Path(name)) as service:
        job_id = await asyncio.to_thread(service.submit, HPV)
        await asyncio.to_thread(service.ended, job_id, 120)
        large = await asyncio.to_thread(large_job, service, service.jobs / job_id)
        process = service.process_id
        figures = await archive(service.port, process, large, Path(name) / "bundle.zip")
        figures += await polling(service, large)
        memory, table = await mixed(service.port, process, job_id)
        figures += await crowd(Path(name) / "crowd")
    return [*figures, *memory], table
