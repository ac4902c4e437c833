"""`python -m tests.tools.soak`: many jobs through the service in a row, and its start over many job folders.

``TETHERMAP_SOAK_JOBS`` is the number of jobs (200).
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from service.jobs.record import RECORD, utc_text
from tests.service.core import HPV, LiveService
from tests.tools.figures import Figure, Section, measure_section
from tests.tools.runs import ROOT
from tests.tools.slopes import WARM_UP, cpu_seconds, growth, memory_mb
from tethermap.base import layout

JOBS = int(os.environ.get("TETHERMAP_SOAK_JOBS", "200"))
AT_ONCE = 2
READ, READ_STEP = 500, 10
"""Finished jobs that a client reads one after another, and how many of them between two samples."""

FOLDERS = (2_000, 20_000)
MODEL = ROOT / "data" / "examples" / "exam1hpv"
"""A finished job of which the many are copies."""

GOALS = {
    "memory": ("MB per job", 0.05),
    "file handles": ("per job", 0.01),
    "threads": ("per job", 0.01),
    "temporary files": ("per job", 0.01),
}
"""Unit of the growth of each, and the most it may be."""

_SECONDS = 900


NOTES = (
    f"One-entry jobs over the embedded archive, {AT_ONCE} at once.",
    "After each pair a client reads results, tables, events, files and the bundle; then the idle service is measured.",
    f"Slopes: least squares over averages of neighbouring samples, after the first {WARM_UP:.0%} of the jobs.",
    "The error is the standard error. The service remembers the records of the last 4,096 finished jobs.",
    "The many job folders are generated: each has a record and a table of one result.",
    "A start without index reads them all, one with index looks at the time of each record.",
    "CPU seconds are those of the service process, imports included.",
)


def read_all(service: LiveService, job_id: str) -> None:
    """Send the requests of a client about a finished job."""
    base = f"/api/jobs/{job_id}"
    paths = (
        *(base, f"{base}/results", f"{base}/rows?table=atoms", f"{base}/bundle", f"{base}/events"),
        *(f"{base}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200", f"/api/svg/{job_id}/1hpv/478"),
        *(f"/api/sdf/{job_id}/1hpv/478", f"/results/{job_id}", "/api/indexed-jobs", "/browse"),
    )
    for path in paths:
        service.http.get(path)


def leftovers(service: LiveService, temporary: Path) -> int:
    """Return the number of files in folders for temporary files."""
    hidden = [path for path in service.jobs.iterdir() if path.name.startswith((".new.", ".deleted."))]
    parts = service.jobs.glob("*/.service/.*.part")
    return len(hidden) + sum(1 for _ in parts) + sum(1 for path in temporary.rglob("*") if path.is_file())


def soak(folder: Path) -> tuple[list[int], dict[str, tuple[float, ...]]]:
    """Run all jobs; return after how many each sample was taken, and the samples by name."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    service = LiveService(folder, MAX_RUNNING_JOBS=str(AT_ONCE))
    service.environment["TMPDIR"] = str(temporary)
    done: list[int] = []
    samples: list[tuple[float, ...]] = []
    with service:
        for begun in range(0, JOBS, AT_ONCE):
            jobs = [service.submit(HPV) for _ in range(min(AT_ONCE, JOBS - begun))]
            for job_id in jobs:
                assert service.ended(job_id, _SECONDS)["status"] == "completed"
                read_all(service, job_id)
            time.sleep(1)  # the supervisors have finished then
            done.append(begun + len(jobs))
            process = psutil.Process(service.process_id)
            counts = (process.num_fds(), process.num_threads(), leftovers(service, temporary))
            samples.append((memory_mb(service.process_id), *counts))
            sys.stderr.write(f"{done[-1]} jobs: {dict(zip(GOALS, samples[-1], strict=True))}\n")
    return done, dict(zip(GOALS, zip(*samples, strict=True), strict=True))


def reading(folder: Path) -> tuple[list[int], list[float]]:
    """Read many finished jobs, each once; return after how many each sample was taken, and the memory then."""
    service = LiveService(folder)
    service.jobs.mkdir(parents=True)
    for number in range(READ):
        job = service.jobs / f"{number:08x}"
        shutil.copytree(MODEL, job)
        _write_record(job, number)
    done: list[int] = []
    samples: list[float] = []
    with service:
        for number in range(READ):
            read_all(service, f"{number:08x}")
            if number % READ_STEP == READ_STEP - 1:
                done.append(number + 1)
                samples.append(memory_mb(service.process_id))
    return done, samples


def _write_record(job: Path, number: int) -> None:
    """Give a copy of a finished job a separate record."""
    record = json.loads((MODEL / RECORD).read_text(encoding="utf-8"))
    at = utc_text(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number))
    times = dict.fromkeys(("created_at", "started_at", "finished_at", "modified_at"), at)
    own = {**record, "job_id": job.name, "sequence": number + 1, "source": "api", **times}
    (job / RECORD).write_text(json.dumps(own), encoding="utf-8")


def start(service: LiveService) -> float:
    """Start a service; return its CPU seconds until all jobs are listed."""
    service.start()
    while not service.call("GET", "/api/health")[1]["index_consistent"]:
        time.sleep(0.05)
    cpu = cpu_seconds(service.process_id)
    service.terminate()
    return cpu


def starts(folder: Path) -> Iterator[Figure]:
    """Measure starts over many folders, without an index and with one."""
    for count in (0, *FOLDERS):
        service = LiveService(folder / str(count))
        service.jobs.mkdir(parents=True)
        table = (MODEL / layout.RESULTS_DISPLAY).read_bytes()
        for number in range(count):
            job = service.jobs / f"{number:08x}"
            (job / layout.RESULTS).mkdir(parents=True)
            (job / layout.RESULTS_DISPLAY).write_bytes(table)
            _write_record(job, number)
        for how in ("without index", "with index"):
            yield Figure(f"start over {count:,} job folders {how}", round(start(service), 2), "s", kind="cpu")
        shutil.rmtree(service.folder)


def measure(folder: Path) -> Section:
    """Measure slopes over many jobs, and starts."""
    done, samples = soak(folder / "soak")
    figures = [
        *(growth(f"{name}, slope", done, samples[name], unit, at_most=most) for name, (unit, most) in GOALS.items()),
        *starts(folder / "starts"),
        growth(f"memory, slope while {READ} finished jobs are read", *reading(folder / "reading"), "MB per job",
               at_most=0.05),
        Figure("jobs run", JOBS),
    ]  # fmt: skip
    return figures, (), NOTES


if __name__ == "__main__":
    measure_section("soak", "make soak", measure)
