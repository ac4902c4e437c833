"""`python -m tests.tools.bench_http`: what the service's HTTP side costs, over real jobs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.lib import layout
from tests.service.core import HPV, LiveService
from tests.tools.runs import ROOT
from tests.tools.slopes import Sample, slope

POLLERS, DOWNLOADS = 50, 5
REQUESTS, STEP, CLIENTS, PER = 100_000, 1_000, 8, 10_000
"""Requests in all, between two samples, connections at once, and for how many a slope is told."""

WARM_UP = 0.2
"""Share of the requests that fill caches and pools."""

FOLDER_MB = 500
_SECONDS = 12.0


def memory_kb(process: int) -> int:
    """Return the resident memory of a process in kB."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(text.partition("VmRSS:")[2].split()[0])


class Connection:
    """A connection that stays open, for one request after another."""

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
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
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
    """Adopt a job with a folder of some hundred MB; return its id."""
    folder = service.folder / "large"
    subprocess.run(["cp", "-r", str(done), str(folder)], check=True)
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
    """Return the size of an archive and whether `unzip` finds nothing wrong with it."""
    test = subprocess.run(["unzip", "-tq", str(archive)], check=False, capture_output=True)
    return archive.stat().st_size, test.returncode == 0


async def archive(port: int, process: int, job_id: str, target: Path) -> str:
    """Download a large archive; return what was measured."""
    before = memory_kb(process)
    peak = before
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/jobs/{job_id}/bundle HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
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
    return (
        f"archive of {size >> 20} MB: first byte {first * 1000:.0f} ms (goal 100), {size / seconds / 1e6:.0f} MB/s,"
        f" {(peak - before) / 1024:.1f} MB more memory (goal 50),"
        f" length {'right' if announced == size else 'WRONG'}, unzip {'happy' if happy else 'UNHAPPY'}"
    )


async def polling(service: LiveService, large: str) -> str:
    """Poll a running job from many clients while others download; return what was measured."""
    times: list[float] = []
    end = time.monotonic() + _SECONDS
    job_id = await asyncio.to_thread(service.submit, HPV)

    async def poll(number: int) -> None:
        connection = await Connection.to(service.port)
        await asyncio.sleep(number / POLLERS)
        while time.monotonic() < end:
            _, seconds, _ = await connection.get(f"/api/jobs/{job_id}")
            times.append(seconds)
            await asyncio.sleep(1)

    async def download() -> None:
        connection = await Connection.to(service.port)
        while time.monotonic() < end:
            await connection.get(f"/api/jobs/{large}/bundle")

    await asyncio.gather(*(poll(number) for number in range(POLLERS)), *(download() for _ in range(DOWNLOADS)))
    times.sort()
    ended = await asyncio.to_thread(service.job, job_id)
    return (
        f"{len(times)} status polls of {POLLERS} clients, a job running ({ended['status']}), {DOWNLOADS} downloads:"
        f" median {times[len(times) // 2] * 1000:.1f} ms, p95 {times[int(len(times) * 0.95)] * 1000:.1f} ms (goal 10)"
    )


async def mixed(port: int, process: int, job_id: str) -> str:
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
    grown = slope(sent[first:], [sample.memory_mb for sample in samples[first:]])
    places = (0, first, len(samples) // 2, len(samples) - 1)
    marks = ", ".join(f"{samples[place].memory_mb:.1f}" for place in places)
    return (
        f"{REQUESTS} mixed requests at {rate:.0f}/s: memory {marks} MB at the start,"
        f" after warming up, after half and at the end; slope after warming up {grown.value:.2f} ± {grown.error:.2f} MB"
        f" per {PER} (goal 1)"
    )


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="tethermap-bench-") as name, LiveService(Path(name)) as service:
        job_id = service.submit(HPV)
        service.ended(job_id, 120)
        large = large_job(service, service.jobs / job_id)
        process = service.process_id
        lines = [asyncio.run(archive(service.port, process, large, Path(name) / "bundle.zip"))]
        lines.append(asyncio.run(polling(service, large)))
        lines.append(asyncio.run(mixed(service.port, process, job_id)))
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
