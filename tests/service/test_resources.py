"""Jobs wait for missing resources, and continue when they are back; a client retries ended jobs."""

import asyncio
import contextlib
import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from service.errors import JobNotFound, JobStateConflict, QueueFull
from service.jobs.clock import Clock
from service.jobs.durable import FULL_BELOW_BYTES, read_json
from service.jobs.outcome import folder_bytes, result_rows
from service.jobs.resources import Resources
from service.runs.ending import judge
from service.runs.runner import RUN_LOG
from tests.service.core import (
    HPV,
    MIXED,
    NOTHING,
    REFUSED,
    LiveService,
    ended,
    hold,
    living,
    local,
    reason,
    running,
    settings_in,
    status,
    submission,
    until,
)
from tests.service.disks import fill, small_disk
from tests.service.test_jobs import RECORD
from tests.standin import StandIn
from tests.tools.patience import wait_until
from tethermap.base import layout

pytestmark = pytest.mark.process

GIB = 1 << 30


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services in this process look at missing resources again after a moment."""
    for name in ("jobs.resources.SHORTAGE_SECONDS", "runs.supervisor.SHORTAGE_SECONDS",
                 "jobs.resources._PROBE_SECONDS", "runs.queue._LOOK_SECONDS"):  # fmt: skip
        monkeypatch.setattr(f"service.{name}", 0.3)


@contextlib.contextmanager
def descriptors(least_left: int) -> Iterator[None]:
    """Leave this process so few file descriptors."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1 + least_left, before[1]))
    kept: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                kept.append(os.open("/dev/null", os.O_RDONLY))
        for _ in range(least_left):
            os.close(kept.pop())
        yield
    finally:
        for number in kept:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def states(service: LiveService, jobs: list[str]) -> set[str]:
    return {service.job(job)["status"] for job in jobs}


@pytest.mark.parametrize(("quick", "least"), [(True, "1G"), (False, "1M")])
def test_jobs_on_a_small_disk_wait_and_complete_when_there_is_room(tmp_path: Path, least: str, *, quick: bool) -> None:
    """With 1M the first jobs, of the real pipeline, are launched and fill the disk while they run."""
    with small_disk(tmp_path / "disk", 5 << 20 if quick else 3 << 20) as disk:
        service = LiveService(tmp_path, quick=quick, JOBS_DIR=str(disk / "jobs"), MIN_FREE_BYTES=least)
        with service:
            jobs = [service.submit(MIXED) for _ in range(3)]
            wait_until(lambda: "disk_low" in service.call("GET", "/api/health")[1]["reasons"], 60, "the disk to be low")
            wait_until(lambda: "running" not in states(service, jobs), 90, "the runs to end")
            assert states(service, jobs) <= {"queued", "completed"}
            waiting = [job for job in map(service.job, jobs) if job["status"] == "queued"]
            assert len(waiting) >= 2
            assert all("disk space" in job["notes"][-1] for job in waiting)
            service.restart()
            assert service.call("GET", "/api/health")[1]["status"] == "degraded"
            assert [living(service.jobs / job) for job in jobs] == [[]] * 3
            subprocess.run(["mount", "-o", "remount,size=2g", str(disk)], check=True)
            done = [service.ended(job, 240) for job in jobs]
            assert [(job["status"], job["attempt"], job["notes"]) for job in done] == [("completed", 1, [])] * 3


def test_writes_on_a_full_disk_are_503_and_reads_work(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 5 << 20) as disk:
        service = LiveService(tmp_path, quick=True, JOBS_DIR=str(disk / "jobs"), INDEX_DIR=str(disk / "index"))
        with service:
            job = service.submit()
            (service.jobs / ".reserve").unlink()
            filler = fill(disk)
            assert service.call("POST", "/api/jobs", HPV)[0] == 503
            assert service.call("POST", "/api/batches", {"jobs": [HPV, HPV], "delay_seconds": 0})[0] == 503
            files = {"files": ("model.pdb", b"ATOM  " * 4000)}
            upload = service.http.post("/api/uploads", files=files)
            assert (upload.status_code, upload.json()["error"]["code"]) == (503, "QUEUE_FULL")
            assert int(upload.headers["retry-after"]) > 0
            service.call("POST", f"/api/jobs/{job}/cancel")
            assert service.call("POST", f"/api/jobs/{job}/retry")[0] == 503
            assert service.call("GET", "/api/indexed-jobs")[1]["total"] >= 1
            assert service.job(job)["status"] == "canceled"
            filler.unlink()
            assert service.call("POST", f"/api/jobs/{job}/retry")[0] == 202
            assert not list((service.jobs / ".uploads").glob("*"))
            names = {path.name for path in service.jobs.iterdir()}
            assert names - {".reserve"} == {job, "batches", ".lock", ".uploads"}


async def test_jobs_wait_for_a_mirror_that_is_missing_or_an_empty_mount_point(tmp_path: Path) -> None:
    mirror, away = tmp_path / "mirror", tmp_path / "away"
    shutil.copytree(Path("data/archive"), mirror)
    async with running(settings_in(tmp_path, source="mirror", mirror=mirror)) as parts:
        mirror.rename(away)
        job = await parts.queue.submit(submission(HPV))
        await until(lambda: parts.queue.waits_for(job.job_id))
        assert [lack.reason for lack in parts.queue.lacks()] == ["source_unavailable"]
        mirror.mkdir()
        assert [lack.reason for lack in parts.queue.lacks()] == ["source_unavailable"]
        assert "mirror" in parts.queue.waits_for(job.job_id)
        assert status(parts, job.job_id) == "queued"
        mirror.rmdir()
        away.rename(mirror)
        record = await ended(parts, job.job_id)
        assert (record.status, record.attempt) == ("completed", 1)


async def test_a_mirror_that_disappears_during_a_run_lets_the_job_wait(tmp_path: Path) -> None:
    """The real pipeline: its search finds no folder."""
    mirror = tmp_path / "mirror"
    shutil.copytree(Path("data/archive"), mirror)
    async with running(settings_in(tmp_path, source="mirror", mirror=mirror), real=True) as parts:
        job = await parts.queue.submit(submission(HPV))
        await until(lambda: status(parts, job.job_id) == "running")
        mirror.rename(tmp_path / "away")
        await until(lambda: parts.queue.waits_for(job.job_id), 90)
        (tmp_path / "away").rename(mirror)
        assert (await ended(parts, job.job_id, 120)).status == "completed"


async def test_jobs_wait_while_rcsb_does_not_answer(standin: StandIn, tmp_path: Path) -> None:
    """The real pipeline: the first job finds out, the other is not even launched."""
    for name in ("search", "data", "files"):
        standin.fault(name, "status")
    body = {"target_name": "EGFR", "search_query": "1ABC 2ABC"}
    async with running(settings_in(tmp_path, source="rcsb", max_running_jobs=1), real=True) as parts:
        jobs = [await parts.queue.submit(submission(body)) for _ in range(2)]
        await until(lambda: parts.queue.waits_for(jobs[0].job_id), 120)
        assert [status(parts, job.job_id) for job in jobs] == ["queued"] * 2
        assert [parts.store.folder(job.job_id).joinpath(RUN_LOG).exists() for job in jobs] == [True, False]
        assert all("RCSB" in parts.queue.waits_for(job.job_id) for job in jobs)
        standin.reset()
        records = [await ended(parts, job.job_id, 240) for job in jobs]
        assert [(record.status, record.attempt) for record in records] == [("completed", 1)] * 2


async def test_a_query_that_rcsb_refuses_fails_without_affecting_others(standin: StandIn, tmp_path: Path) -> None:
    standin.fault("search", "status", times=5)  # no more than its own tries
    async with running(settings_in(tmp_path, source="rcsb", max_running_jobs=1), real=True) as parts:
        body = {"target_name": "EGFR", "search_query": "EGFR kinase"}
        jobs = [await parts.queue.submit(submission(body)) for _ in range(2)]
        records = [await ended(parts, job.job_id, 240) for job in jobs]
        assert [record.status for record in records] == ["failed", "completed"]
        assert reason(records[0])[0] == "upstream"


async def test_without_descriptors_a_job_waits_and_files_are_not_taken_for_missing(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    path.write_text("{}")
    (tmp_path / layout.RESULTS_DISPLAY).parent.mkdir()
    (tmp_path / layout.RESULTS_DISPLAY).write_text("x\n")
    with descriptors(0):
        for read in (read_json, lambda _: result_rows(tmp_path), lambda _: folder_bytes(tmp_path)):
            with pytest.raises(OSError, match="Too many open files"):
                read(path)
    gate = hold(tmp_path, "search_entries")
    async with running(settings_in(tmp_path)) as parts:
        job = await parts.queue.submit(submission(HPV))
        await until(lambda: status(parts, job.job_id) == "running")
        with descriptors(2):
            gate.unlink()
            await asyncio.sleep(2)
        assert (await ended(parts, job.job_id)).status == "completed"


@pytest.mark.parametrize("text", ["[Errno 24] Too many open files", "[Errno 11] Resource temporarily unavailable"])
async def test_a_run_that_lacks_resources_before_its_first_step_is_no_attempt(tmp_path: Path, text: str) -> None:
    failing = tmp_path / "failing"
    failing.touch()
    command = f"import pathlib, sys; pathlib.Path({str(failing)!r}).exists() and sys.exit('OSError: {text}')"
    async with running(settings_in(tmp_path), snakemake=(sys.executable, "-c", command)) as parts:
        job = await parts.queue.submit(submission(HPV))
        await until(lambda: parts.queue.waits_for(job.job_id))
        assert status(parts, job.job_id) == "queued"
        failing.unlink()
        record = await ended(parts, job.job_id)
    assert (record.status, record.attempt) == ("failed", 1)  # the command makes no results
    assert "without a reason" in reason(record)[1]


def test_a_run_that_lacks_resources_in_a_step_is_run_again(tmp_path: Path) -> None:
    (tmp_path / ".service").mkdir()
    (tmp_path / RUN_LOG).write_text("BlockingIOError: [Errno 11] Resource temporarily unavailable")
    (tmp_path / layout.EVENTS).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / layout.EVENTS).write_text('{"n":1,"event":"job_started","rule":"measure_sasa"}\n')
    ending = judge(tmp_path, 1, "")
    assert (ending.status, ending.shortage, reason(ending)[0]) == (None, "", "interrupted")


async def test_a_job_that_fills_a_large_disk_fails_at_the_second_time_without_affecting_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [2 * GIB]
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free[0]))
    command = (
        "import json, pathlib, sys; a = sys.argv; config = json.loads(pathlib.Path(a[a.index('--configfile') + 1])"
        ".read_text()); sys.exit('No space left on device' if config['search_query'] == '1HPV' else 'other')"
    )
    async with running(settings_in(tmp_path), snakemake=(sys.executable, "-c", command)) as parts:
        large = await parts.queue.submit(submission(HPV))
        await until(lambda: parts.queue.waits_for(large.job_id))
        assert "filled the disk" in parts.queue.waits_for(large.job_id)
        assert reason(await ended(parts, (await parts.queue.submit(submission(NOTHING))).job_id))[0] == "pipeline"
        free[0] += FULL_BELOW_BYTES
        record = await ended(parts, large.job_id)
        assert (record.status, record.attempt, reason(record)[0]) == ("failed", 2, "disk_full")


@pytest.mark.parametrize(
    ("free", "kind", "waits"),
    [(GIB, "disk_full", False), (GIB - 1, "disk_full", True), (GIB - 1, "input", False), (GIB - 1, "timeout", False)],
)
async def test_only_a_failure_that_the_missing_resource_explains_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, kind: Any, *, waits: bool
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert (await Resources(settings_in(tmp_path), Clock()).behind(kind, RECORD) is not None) == waits


async def test_a_launch_without_means_leaves_the_job_queued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = asyncio.create_subprocess_exec
    failures = [OSError(errno.EMFILE, "Too many open files"), OSError(errno.EAGAIN, "Try again"), MemoryError()]

    async def lacking(*arguments: Any, **more: Any) -> Any:
        if failures:
            raise failures.pop()
        return await real(*arguments, **more)

    async with running(settings_in(tmp_path)) as parts:
        monkeypatch.setattr(asyncio, "create_subprocess_exec", lacking)
        record = await parts.queue.submit(submission())
        await until(lambda: len(failures) < 3)
        await until(lambda: status(parts, record.job_id) == "queued")
        done = await ended(parts, record.job_id)
        assert (done.status, done.attempt, failures) == ("completed", 1, [])


# Retry


async def test_a_canceled_job_reuses_its_finished_steps(tmp_path: Path) -> None:
    gate = hold(tmp_path, "match_ligands")
    async with running(settings_in(tmp_path)) as parts:
        job = (await parts.queue.submit(submission(MIXED | {"search_query": "1HPV"}))).job_id
        await until(lambda: (one := parts.store.get(job)) and one.current_step == "match_ligands")
        with pytest.raises(JobStateConflict):
            await parts.queue.retry(job)
        await parts.queue.cancel(job)
        assert (await ended(parts, job)).status == "canceled"
        gate.unlink()
        again = await parts.queue.retry(job)
        assert (again.status, again.attempt, again.finished_at) == ("queued", 2, None)
        record = await ended(parts, job)
        assert (record.status, record.attempt, record.has_results) == ("completed", 2, True)
        events = (parts.store.folder(job) / layout.EVENTS).read_text().splitlines()
        began = [json.loads(line)["rule"] for line in events if '"job_started"' in line]
        assert (began.count("search_entries"), began.count("match_ligands")) == (1, 2)
        with pytest.raises(JobStateConflict):
            await parts.queue.retry(job)
        with pytest.raises(JobNotFound):
            await parts.queue.retry("00000000")


async def test_a_failed_job_is_retried_survives_a_restart_and_may_fail_again(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, max_queued_jobs=1)
    gate = hold(tmp_path, "search_entries")
    async with running(settings) as parts:
        failed = (await parts.queue.submit(submission(REFUSED))).job_id
        await ended(parts, failed)
        blocking = [await parts.queue.submit(submission(HPV)) for _ in range(1)]
        await until(lambda: parts.queue.counts().running == 1)
        blocking.append(await parts.queue.submit(submission(HPV)))
        await until(lambda: parts.queue.counts().running == 2)
        blocking.append(await parts.queue.submit(submission(HPV)))
        with pytest.raises(QueueFull):
            await parts.queue.retry(failed)
        await parts.queue.cancel(blocking[2].job_id)
        await parts.queue.retry(failed)
    async with running(settings) as parts:
        gate.unlink()
        record = await ended(parts, failed)
        assert (record.status, record.attempt) == ("failed", 2)
        assert [(await ended(parts, job.job_id)).status for job in blocking[:2]] == ["completed"] * 2


async def test_a_job_whose_uploaded_structures_are_removed_is_not_retried(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, min_free_bytes=1 << 60)
    upload = "upload_" + "0" * 16
    settings.upload_folder(upload).mkdir(parents=True)
    async with running(settings) as parts:
        job = (await parts.queue.submit(submission(HPV, structures=upload))).job_id
        await parts.queue.cancel(job)
        await ended(parts, job)
        shutil.rmtree(settings.upload_folder(upload), ignore_errors=True)  # without a record it may be gone already
        with pytest.raises(JobStateConflict, match="upload them"):
            await parts.queue.retry(job)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 503, "QUEUE_FULL"),
        (OSError(errno.EMFILE, "Too many open files"), 503, "QUEUE_FULL"),
        (OSError(errno.EROFS, "Read-only file system"), 503, "QUEUE_FULL"),
        (MemoryError(), 503, "QUEUE_FULL"),
        (RuntimeError("can't start new thread"), 503, "QUEUE_FULL"),
        (duckdb.IOException("Could not write file: No space left on device"), 503, "QUEUE_FULL"),
        (OSError(errno.EIO, "Input/output error"), 500, "INTERNAL_ERROR"),
        (RuntimeError("another"), 500, "INTERNAL_ERROR"),
        (duckdb.BinderException("another"), 500, "INTERNAL_ERROR"),
    ],
)
def test_a_lack_of_resources_anywhere_in_a_request_is_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    def lines(*_: object, **__: object) -> None:
        raise error

    with local(tmp_path, min_free_bytes=1 << 60) as client:
        job = client.post("/api/jobs", json=HPV).json()["job_id"]
        monkeypatch.setattr("service.routes.jobs.log_lines", lines)
        answer = client.get(f"/api/job_log/{job}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert ("retry-after" in answer.headers) == (status == 503)
