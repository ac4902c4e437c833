"""Finished jobs are removed for age and size: never others, never under a reader; many job folders are read apart."""

import asyncio
import json
import logging
import os
import socket
from dataclasses import asdict
from pathlib import Path

import pytest

from service.jobs.durable import write_json
from service.jobs.record import COMPLETED, FAILED, FINAL, QUEUED, RECORD, RUNNING, JobRecord, State
from service.runs.lifecycle import build_parts
from tests.service.core import NOTHING, LiveService, client_of, running, settings_in
from tests.service.test_operator import forked
from tethermap.base import layout

pytestmark = pytest.mark.process

OLD = "2020-01-01T00:00:00Z"


def finished(
    jobs: Path, job_id: str, sequence: int, time: str = OLD, *, status: State = COMPLETED, size: int = 0
) -> Path:
    """Write the folder of a job."""
    record = JobRecord(
        job_id=job_id, sequence=sequence, status=status, target_name="made", search_query="made", created_at=time,
        modified_at=time, finished_at=time if status in FINAL else None, size_bytes=size,
    )  # fmt: skip
    (jobs / job_id / layout.RESULTS).mkdir(parents=True)
    (jobs / job_id / RECORD).write_text(json.dumps(asdict(record)), encoding="utf-8")
    return jobs / job_id


async def test_only_finished_jobs_are_removed_and_the_log_records_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = tmp_path / "jobs"
    finished(jobs, "0000000a", 1)
    finished(jobs, "0000000b", 2, status=FAILED)
    finished(jobs, "0000000c", 3, "2099-01-01T00:00:00Z")
    finished(jobs, "0000000d", 4, status=QUEUED)
    finished(jobs, "0000000e", 5, status=RUNNING)
    finished(tmp_path / "examples", "examplea", 6)
    settings = settings_in(tmp_path, keep_days=30.0, max_jobs_bytes=None, examples_dirs=(tmp_path / "examples",))
    caplog.set_level(logging.INFO)
    async with running(settings, serving=False) as parts:
        told = (await parts.housekeeping.do("prune", ""))["message"]
    assert told.split() == ["0000000a", "0000000b", "2", "jobs", "removed"]
    assert "0000000b: removed, as KEEP_DAYS or MAX_JOBS_BYTES say" in caplog.text
    assert sorted(path.name for path in jobs.glob("0*")) == ["0000000c", "0000000d", "0000000e"]
    assert (tmp_path / "examples" / "examplea" / RECORD).exists()


async def test_a_job_in_use_is_removed_after_its_last_reader(tmp_path: Path) -> None:
    for number in range(3):
        finished(tmp_path / "jobs", f"0000000{number}", number, f"2026-01-0{1 + number}T00:00:00Z", size=100)
    async with running(settings_in(tmp_path, max_jobs_bytes=100), serving=False) as parts:
        parts.store.readers["00000000"] += 1
        first = (await parts.housekeeping.do("prune", ""))["message"]
        parts.store.readers["00000000"] -= 1
        answer = [*first.split(), *(await parts.housekeeping.do("prune", ""))["message"].split()]
    assert answer == ["00000001", "1", "jobs", "removed", "00000000", "1", "jobs", "removed"]


def test_a_download_continues_while_old_jobs_are_removed(tmp_path: Path) -> None:
    service = LiveService(tmp_path, quick=True, KEEP_DAYS="30")
    service.jobs.mkdir(parents=True)
    size = 40 << 20
    big = finished(service.jobs, "0000000a", 1, "2026-11-01T00:00:00Z") / layout.RESULTS / "big.txt"
    big.write_bytes(bytes(size))
    with service, socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(b"GET /api/jobs/0000000a/bundle HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = len(client.recv(1 << 16))
        finished(service.jobs, "0000000b", 2, OLD)
        write_json(service.jobs / "0000000a" / RECORD, {**service.record("0000000a"), "finished_at": OLD})
        prune = forked(service, "prune")
        assert (prune.returncode, "0000000a" in prune.stdout) == (0, False)
        while block := client.recv(1 << 20):
            received += len(block)
        assert received > size
        status, body = service.call("GET", "/api/jobs/zzzzzzzz")
        assert status == 404
        told = "There is no job zzzzzzzz: /api/jobs lists them. Finished jobs are kept for 30 days only."
        assert body["error"]["message"] == told


async def test_health_answers_while_the_job_folders_are_still_read(tmp_path: Path) -> None:
    record = finished(tmp_path / "jobs", "0000000a", 1) / RECORD
    text = record.read_bytes()
    record.unlink()
    os.mkfifo(record)  # a reader waits for a writer
    async with client_of(build_parts(settings_in(tmp_path))) as client:
        health = await client.get("/api/health")
        assert health.status_code == 503
        assert health.json()["ok"] is health.json()["index_consistent"] is False
        submitting = asyncio.create_task(client.post("/api/jobs", json=NOTHING))
        listing = asyncio.create_task(client.get("/api/indexed-jobs"))
        await asyncio.sleep(0.2)
        assert not submitting.done()
        assert not listing.done()
        await asyncio.to_thread(record.write_bytes, text)
        assert (await listing).json()["count"] == 1
        await client.post(f"/api/jobs/{(await submitting).json()['job_id']}/cancel")
        assert (await client.get("/api/health")).json()["index_consistent"] is True


async def test_service_ends_soon_while_the_job_folders_are_still_read(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    for number in range(100):
        finished(jobs, f"{number:08x}", number)
    parts = build_parts(settings_in(tmp_path))
    async with parts.running(at_once=True):
        parts.queue.begin_stopping()
    assert parts.ready.is_set() is False
    assert len(list(jobs.glob("0*"))) == 100
