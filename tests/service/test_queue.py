"""Order, batches, keys and limits of the queue."""

import asyncio
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.errors import BatchNotFound, IdempotencyConflict, JobNotFound, JobStateConflict, QueueFull
from service.index.query import JobFilters
from service.jobs.durable import write_json
from service.jobs.outcome import read_outcome
from service.jobs.record import JobRecord
from service.runs.ending import Ending
from service.runs.idempotency import Idempotency
from service.runs.retention import to_remove
from service.runs.supervisor import Supervisor
from tests.service.core import (
    HPV,
    NOTHING,
    REFUSED,
    SettableClock,
    ended,
    hold,
    outcome,
    reason,
    running,
    settings_in,
    status,
    submission,
    until,
)
from tests.service.disks import refused_by_disk
from tests.service.test_jobs import RECORD as JOB
from tests.tools.patience import patience

pytestmark = pytest.mark.process

QUICK = submission(REFUSED)


def seconds(text: str | None) -> float:
    assert text is not None
    return datetime.fromisoformat(text).timestamp()


async def test_a_refused_job_fails_with_the_pipelines_own_reason(tmp_path: Path) -> None:
    record = await outcome(settings_in(tmp_path), real=True)
    kind, message = reason(record)
    assert (record.status, kind, record.results_ready) == ("failed", "input", False)
    assert "sequence" in message


async def test_a_search_without_hits_completes_without_results(tmp_path: Path) -> None:
    record = await outcome(settings_in(tmp_path), NOTHING)
    assert (record.status, record.results_ready, record.has_results, record.error) == ("completed", True, False, None)


async def test_jobs_of_a_batch_run_one_after_another_with_the_pause_between(tmp_path: Path) -> None:
    async with running(settings_in(tmp_path, max_running_jobs=3)) as parts:
        batch = await parts.queue.submit_batch([QUICK, submission(NOTHING), QUICK], 2.0)
        alone = await parts.queue.submit(QUICK)
        ids = [item.job_id for item in batch.items]
        await until(lambda: parts.queue.position(alone.job_id) is None)
        assert [parts.queue.position(job_id) for job_id in ids] == [None, 1, 2]
        first, second, third, alone = [await ended(parts, job_id) for job_id in [*ids, alone.job_id]]
        assert [status for _, _, status in parts.store.batch_jobs(batch)] == ["failed", "completed", "failed"]
    assert seconds(second.started_at) - seconds(first.finished_at) >= 1  # times are whole seconds
    assert seconds(third.started_at) - seconds(second.finished_at) >= 1
    assert seconds(alone.started_at) < seconds(second.started_at)
    assert {first.source, first.batch_id} == {"batch", third.batch_id}


async def test_a_canceled_batch_launches_nothing_more(tmp_path: Path) -> None:
    hold(tmp_path, "search_entries")
    async with running(settings_in(tmp_path)) as parts:
        batch = await parts.queue.submit_batch([submission(HPV), QUICK, QUICK], 0.0)
        await until(lambda: parts.queue.counts().running)
        await parts.queue.cancel_batch(batch.batch_id)
        for item in batch.items:
            await ended(parts, item.job_id)
        with pytest.raises(BatchNotFound):
            await parts.queue.cancel_batch("batch_00000000")
        assert [status for _, _, status in parts.store.batch_jobs(batch)] == ["canceled"] * 3


async def test_no_more_jobs_run_than_may_and_none_is_taken_beyond_the_limit(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, max_running_jobs=1, max_queued_jobs=3)
    gate = hold(tmp_path, "search_entries")
    async with running(settings) as parts:
        first = await parts.queue.submit(submission(HPV))
        await until(lambda: parts.queue.counts().running)
        waiting = [await parts.queue.submit(QUICK) for _ in range(3)]
        assert (parts.queue.counts().queued, parts.queue.counts().running) == (3, 1)
        with pytest.raises(QueueFull) as refused:
            await parts.queue.submit(QUICK)
        assert "Retry-After" in refused.value.headers
        with pytest.raises(QueueFull):
            await parts.queue.submit_batch([QUICK], 0)
        with pytest.raises(JobStateConflict):
            await parts.queue.delete(first.job_id)
        for job in [*waiting, first]:
            await parts.queue.cancel(job.job_id)
        gate.unlink()
        with pytest.raises(JobStateConflict):
            await parts.queue.cancel((await _failed(parts)).job_id)


async def _failed(parts) -> JobRecord:  # type: ignore[no-untyped-def]
    return await ended(parts, (await parts.queue.submit(QUICK)).job_id)


async def test_twenty_equal_submissions_with_one_key_make_one_job(tmp_path: Path) -> None:
    clock = SettableClock()
    settings = settings_in(tmp_path)
    key = Idempotency("POST /api/jobs", "key", "same")
    async with running(settings, clock=clock) as parts:
        jobs = await asyncio.gather(*[parts.queue.submit(QUICK, idempotency=key) for _ in range(20)])
        assert len({job.job_id for job in jobs}) == 1
        with pytest.raises(IdempotencyConflict) as conflict:
            await parts.queue.submit(QUICK, idempotency=replace(key, fingerprint="other"))
        assert conflict.value.status == 422
        other = await parts.queue.submit_batch([QUICK], 0, idempotency=replace(key, route="POST /api/batches"))
    async with running(settings, clock=clock) as parts:
        assert (await parts.queue.submit(QUICK, idempotency=key)).job_id == jobs[0].job_id
        again = await parts.queue.submit_batch([QUICK], 0, idempotency=replace(key, route="POST /api/batches"))
        assert again.batch_id == other.batch_id
        clock.shift = timedelta(hours=25)
        assert (await parts.queue.submit(QUICK, idempotency=key)).job_id != jobs[0].job_id


async def test_another_body_while_the_first_is_being_made_is_a_409(tmp_path: Path) -> None:
    key = Idempotency("r", "key", "same")
    async with running(settings_in(tmp_path)) as parts:
        first = asyncio.ensure_future(parts.queue.submit(QUICK, idempotency=key))
        await asyncio.sleep(0)
        with pytest.raises(IdempotencyConflict) as conflict:
            await parts.queue.submit(QUICK, idempotency=replace(key, fingerprint="other"))
        assert conflict.value.status == 409
        await first


async def test_a_submission_is_completed_when_its_client_disconnects(tmp_path: Path) -> None:
    async with running(settings_in(tmp_path)) as parts:
        task = asyncio.ensure_future(parts.queue.submit(QUICK))
        await asyncio.sleep(0)
        task.cancel()
        await until(lambda: parts.queue.counts().queued + parts.queue.counts().running)


async def test_a_deleted_job_is_gone_everywhere(tmp_path: Path) -> None:
    async with running(settings_in(tmp_path)) as parts:
        record = await _failed(parts)
        await parts.queue.delete(record.job_id)
        await parts.index.settled()
        assert parts.store.get(record.job_id) is None
        assert await parts.index.jobs(JobFilters()) == (0, [])
        with pytest.raises(JobNotFound):
            await parts.queue.delete(record.job_id)
        with pytest.raises(JobNotFound):
            await parts.queue.cancel(record.job_id)


async def test_watching_ends_with_the_job_and_with_the_service(tmp_path: Path) -> None:
    async with running(settings_in(tmp_path)) as parts:
        job = await parts.queue.submit(QUICK)
        seen = [record.status async for record in parts.queue.ledger.watch(job.job_id)]
        assert list(dict.fromkeys(seen))[-2:] == ["running", "failed"]
        assert [record async for record in parts.queue.ledger.watch("00000000")] == []
        long = await parts.queue.submit(submission(HPV))

        async def follow() -> list[str]:
            return [record.status async for record in parts.queue.ledger.watch(long.job_id)]

        following = asyncio.ensure_future(follow())
        await until(lambda: status(parts, long.job_id) == "running")
        parts.queue.begin_stopping()
        assert (await asyncio.wait_for(following, patience(5)))[-1] == "running"
        with pytest.raises(QueueFull):
            await parts.queue.submit(QUICK)


async def test_order_and_times_are_kept_when_the_clock_is_set_back(tmp_path: Path) -> None:
    clock = SettableClock()
    settings = settings_in(tmp_path, max_running_jobs=1)
    gate = hold(tmp_path, "search_entries")
    async with running(settings, clock=clock) as parts:
        first = await parts.queue.submit(submission(NOTHING))
        await until(lambda: status(parts, first.job_id) == "running")
        clock.shift = timedelta(days=-400)
        second, third = [await parts.queue.submit(QUICK) for _ in range(2)]
    clock.shift = timedelta(days=-800)
    async with running(settings, clock=clock) as parts:
        fourth = await parts.queue.submit(QUICK)
        assert [parts.queue.position(job.job_id) for job in (second, third, fourth)] == [1, 2, 3]
        gate.unlink()
        records = [await ended(parts, job.job_id) for job in (first, second, third, fourth)]
    assert [record.status for record in records] == ["completed", "failed", "failed", "failed"]
    assert [record.sequence for record in records] == sorted(record.sequence for record in records)
    for record in records:
        times = [record.created_at, record.started_at or "", record.finished_at or ""]
        assert times == sorted(times)


async def test_a_clock_that_jumps_does_not_delete_jobs(tmp_path: Path) -> None:
    clock = SettableClock()
    async with running(settings_in(tmp_path, keep_days=30), clock=clock) as parts:
        record = await _failed(parts)
        clock.shift = timedelta(days=4000)
        parts.housekeeping._next.clear()
        await parts.housekeeping.look()
        assert parts.store.get(record.job_id) is not None
        assert (await parts.housekeeping.do("prune", ""))["message"].endswith("1 jobs removed")
        assert parts.store.get(record.job_id) is None


async def test_an_error_of_the_service_itself_fails_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("service.runs.supervisor.judge", lambda *_, **__: 1 / 0)
    record = await outcome(settings_in(tmp_path))
    assert (record.status, reason(record)[0]) == ("failed", "pipeline")
    assert "ZeroDivisionError" in caplog.text


async def test_a_job_whose_end_can_not_be_written_because_a_file_is_gone_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = [FileNotFoundError()]

    def without_a_file(folder: Path) -> Any:
        if missing:
            raise missing.pop()
        return read_outcome(folder)

    monkeypatch.setattr("service.runs.supervisor.read_outcome", without_a_file)
    record = await outcome(settings_in(tmp_path), snakemake=(sys.executable, "-c", ""))
    kind, message = reason(record)
    assert (record.status, kind, "unexpected error" in message) == ("failed", "pipeline", True)


async def test_a_job_that_ends_while_its_refused_record_is_written_keeps_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(path: Path, value: Any) -> int:
        if not started.is_set():
            started.set()
            assert go_on.wait(patience(20))
        return write_json(path, value)

    async with running(settings_in(tmp_path), serving=False) as parts:
        made = replace(JOB, status="running")
        parts.store.create([(made, {})])
        monkeypatch.setattr("service.jobs.store.write_json", refused_by_disk)
        assert parts.store.save(made.changed(made.created_at, done=1)) is None
        monkeypatch.setattr("service.jobs.store.write_json", slow)
        looking = asyncio.create_task(parts.housekeeping.look())
        await until(started.is_set)
        queue = parts.queue
        supervisor = Supervisor(made.job_id, None, queue.ledger, queue._waiting, queue._resources, queue._runner, None)
        finishing = asyncio.create_task(supervisor._finish(Ending("completed")))
        await asyncio.wait({finishing}, timeout=0.3)  # it may end first, or wait for the other
        go_on.set()
        await asyncio.gather(looking, finishing)
        known, on_disk = parts.store.get(made.job_id), parts.store.read(made.job_id)
    assert known is not None
    assert known == on_disk
    assert known.status == "completed"


NOW = datetime(2026, 6, 30, tzinfo=UTC)
FINISHED = [("a", "2026-06-29T00:00:00Z", 5), ("b", "2026-05-01T00:00:00Z", 5), ("c", "2026-06-01T00:00:00Z", 5)]


@pytest.mark.parametrize(
    ("keep_days", "max_bytes", "expected"),
    [(None, None, []), (40, None, ["b"]), (None, 10, ["b"]), (None, 0, ["b", "c", "a"]), (40, 5, ["b", "c"]),
     (40, 100, ["b"])],
)  # fmt: skip
def test_the_oldest_jobs_are_removed_first(keep_days: float, max_bytes: int, expected: list[str]) -> None:
    assert to_remove(FINISHED, NOW, keep_days=keep_days, max_bytes=max_bytes) == expected
