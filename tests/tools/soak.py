"""`python -m tests.tools.soak`: many jobs through the service in a row, and its start over many job folders.

``TETHERMAP_SOAK_JOBS`` is the number of jobs (200).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from service.jobs.record import RECORD, utc_text
from tests.service.core import HPV, LiveService
from tests.tools.figures import Figure, Table, write_section
from tests.tools.runs import ROOT
from tests.tools.slopes import Sample, Slope, cpu_seconds, slope
from tethermap.base import layout

JOBS = int(os.environ.get("TETHERMAP_SOAK_JOBS", "200"))
AT_ONCE = 2
WARM_UP = 0.2
"""Share of the jobs that fill caches and pools; the slopes are those of the rest."""

READ, READ_STEP = 500, 10
"""Finished jobs that a client reads one after another, and how many of them between two samples."""

FOLDERS = (2_000, 20_000)
MODEL = ROOT / "data" / "examples" / "exam1hpv"
"""A finished job of which the many are copies."""

Start = tuple[int, str, float, float, float]
"""Job folders, whether there is an index, seconds to the first answer and to all jobs listed, CPU seconds."""

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


def requests_of(job_id: str) -> Iterator[str]:
    """Yield the requests of a client about a finished job."""
    base = f"/api/jobs/{job_id}"
    yield from (base, f"{base}/results", f"{base}/rows?table=atoms", f"{base}/bundle", f"{base}/events")
    yield from (f"{base}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200", f"/api/svg/{job_id}/1hpv/478")
    yield from (f"/api/sdf/{job_id}/1hpv/478", f"/results/{job_id}", "/api/indexed-jobs", "/browse")


def ask(service: LiveService, path: str) -> None:
    """Read an answer to its end."""
    with urllib.request.urlopen(f"http://127.0.0.1:{service.port}{path}", timeout=60) as answer:
        while answer.read(1 << 20):
            pass


def leftovers(service: LiveService, temporary: Path) -> int:
    """Return the number of files in folders for temporary files."""
    hidden = [path for path in service.jobs.iterdir() if path.name.startswith((".new.", ".deleted."))]
    parts = service.jobs.glob("*/.service/.*.part")
    return len(hidden) + sum(1 for _ in parts) + sum(1 for path in temporary.rglob("*") if path.is_file())


def soak(folder: Path) -> tuple[list[int], list[Sample], list[int]]:
    """Run all jobs; return after how many each sample was taken, the samples, and the temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    service = LiveService(folder, MAX_RUNNING_JOBS=str(AT_ONCE))
    service.environment["TMPDIR"] = str(temporary)
    done: list[int] = []
    samples: list[Sample] = []
    files: list[int] = []
    with service:
        for begun in range(0, JOBS, AT_ONCE):
            jobs = [service.submit(HPV) for _ in range(min(AT_ONCE, JOBS - begun))]
            for job_id in jobs:
                assert service.ended(job_id, _SECONDS)["status"] == "completed"
                for path in requests_of(job_id):
                    ask(service, path)
            time.sleep(1)  # the supervisors have finished then
            done.append(begun + len(jobs))
            samples.append(Sample.of(service.process_id))
            files.append(leftovers(service, temporary))
            sys.stderr.write(f"{json.dumps({'jobs': done[-1], **asdict(samples[-1]), 'temporary': files[-1]})}\n")
    return done, samples, files


def reading(folder: Path) -> tuple[list[int], list[Sample]]:
    """Read many finished jobs, each once; return after how many each sample was taken, and the samples."""
    service = LiveService(folder)
    service.jobs.mkdir(parents=True)
    for number in range(READ):
        job = service.jobs / f"{number:08x}"
        shutil.copytree(MODEL, job)
        _write_record(job, number)
    done: list[int] = []
    samples: list[Sample] = []
    with service:
        for number in range(READ):
            for path in requests_of(f"{number:08x}"):
                ask(service, path)
            if number % READ_STEP == READ_STEP - 1:
                done.append(number + 1)
                samples.append(Sample.of(service.process_id))
    return done, samples


def _write_record(job: Path, number: int) -> None:
    """Give a copy of a finished job a separate record."""
    record = json.loads((MODEL / RECORD).read_text(encoding="utf-8"))
    at = utc_text(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number))
    times = dict.fromkeys(("created_at", "started_at", "finished_at", "modified_at"), at)
    own = {**record, "job_id": job.name, "sequence": number + 1, "source": "api", **times}
    (job / RECORD).write_text(json.dumps(own), encoding="utf-8")


def slopes(done: Sequence[int], samples: Sequence[Sample], files: Sequence[int]) -> dict[str, Slope]:
    """Return the growth per job of all that was sampled, after warming up."""
    first = int(len(done) * WARM_UP)
    columns = {
        "memory": [sample.memory_mb for sample in samples],
        "file handles": [float(sample.files) for sample in samples],
        "threads": [float(sample.threads) for sample in samples],
        "temporary files": [float(count) for count in files],
    }
    return {name: slope(list(done)[first:], values[first:]) for name, values in columns.items()}


def make_folders(service: LiveService, count: int) -> None:
    """Fill the jobs folder with finished jobs that have a record and a table of results each."""
    table = (MODEL / layout.RESULTS_DISPLAY).read_bytes()
    for number in range(count):
        job = service.jobs / f"{number:08x}"
        (job / layout.RESULTS).mkdir(parents=True)
        (job / layout.RESULTS_DISPLAY).write_bytes(table)
        _write_record(job, number)


def start(service: LiveService) -> tuple[float, float, float]:
    """Start a service; return seconds to the first answer, to all jobs being listed, and CPU seconds until then."""
    begun = time.perf_counter()
    service.start()
    answered = time.perf_counter() - begun
    while not service.call("GET", "/api/health")[1]["index_consistent"]:
        time.sleep(0.05)
    listed = time.perf_counter() - begun
    cpu = cpu_seconds(service.process_id)
    service.terminate()
    return answered, listed, cpu


def starts(folder: Path) -> list[Start]:
    """Measure starts over many folders, without an index and with one."""
    measured = []
    for count in (0, *FOLDERS):
        service = LiveService(folder / str(count))
        service.jobs.mkdir(parents=True)
        make_folders(service, count)
        measured.append((count, "without index", *start(service)))
        measured.append((count, "with index", *start(service)))
        shutil.rmtree(service.folder)
    return measured


def main() -> int:
    """Measure and write."""
    with tempfile.TemporaryDirectory(prefix="tethermap-soak-") as name:
        folder = Path(name)
        done, samples, files = soak(folder / "soak")
        read = reading(folder / "reading")
        measured = starts(folder / "starts")
    report(done, samples, files, read, measured)
    return 0


def report(
    done: Sequence[int],
    samples: Sequence[Sample],
    files: Sequence[int],
    read: tuple[list[int], list[Sample]],
    measured: Sequence[Start],
    notes: Sequence[str] = (),
) -> None:
    """Write the section of the benchmarks."""
    grown = slopes(done, samples, files)
    units = {"memory": "MB per job", "file handles": "per job", "threads": "per job", "temporary files": "per job"}
    goals = {"memory": 0.05, "file handles": 0.01, "threads": 0.01, "temporary files": 0.01}
    figures = [
        Figure(f"{name}, slope", round(value, 5), units[name], error=round(error, 5), at_most=goals[name])
        for name, (value, error) in grown.items()
    ]
    figures += [
        Figure(f"start over {count:,} job folders {how}", round(cpu, 2), "s", kind="cpu")
        for count, how, _, _, cpu in measured
    ]
    first = int(len(read[0]) * WARM_UP)
    value, error = slope(read[0][first:], [sample.memory_mb for sample in read[1][first:]])
    name = f"memory, slope while {READ} finished jobs are read"
    figures.append(Figure(name, round(value, 5), "MB per job", error=round(error, 5), at_most=goals["memory"]))
    figures.append(Figure("jobs run", len(samples) and done[-1]))
    every = max(1, len(done) // 10)
    table = Table(
        "The service after so many jobs",
        ["jobs", "resident memory / MB", "of it anonymous / MB", "file handles", "threads", "temporary files"],
        [
            [number, round(one.memory_mb, 1), round(one.anonymous_mb, 1), one.files, one.threads, count]
            for number, one, count in list(zip(done, samples, files, strict=True))[every - 1 :: every]
        ],
    )
    clock = Table(
        "Seconds by the clock from the start of the process",
        ["job folders", "index", "first answer of health", "all jobs in the index"],
        [[count, how, round(first, 2), round(last, 2)] for count, how, first, last, _ in measured],
    )
    write_section("soak", "make soak", figures, [table, clock], [*NOTES, *notes])


if __name__ == "__main__":
    sys.exit(main())
