"""Creation of jobs and batches: numbered, once per key, all or none."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from service.errors import IdempotencyConflict, QueueFull, RateLimited
from service.index.database import IndexedJob
from service.jobs.durable import FULL
from service.jobs.outcome import fasta_length, record_of_folder, result_rows
from service.jobs.record import QUEUED, BatchItem, BatchRecord, JobRecord
from service.jobs.submission import Submission
from service.runs.config import pipeline_config
from service.runs.idempotency import Idempotency, KeyStore
from service.runs.ledger import Ledger
from service.runs.waiting import WaitingList
from service.settings import Settings

RETRY_SECONDS = 30
"""Retry-After for clients if the queue is full."""

_INDEX_SECONDS = 5.0
"""Time in seconds that a submission waits for the index, which may be rebuilding."""

_T = TypeVar("_T", JobRecord, BatchRecord)
_New = tuple[JobRecord, dict[str, Any]]


class Intake:
    """Makes jobs from submissions.

    Parameters
    ----------
    ledger : Ledger
        Records their states.
    settings : Settings
        The pipeline's source and the length of the queue.
    waiting : WaitingList
        The jobs that wait.
    """

    def __init__(self, ledger: Ledger, settings: Settings, waiting: WaitingList) -> None:
        self._ledger = ledger
        self._store = ledger.store
        self._settings = settings
        self._waiting = waiting
        self._keys = KeyStore(ledger.store.keys)
        self._sequence = 0
        self._being_made: Counter[str | None] = Counter()
        self._in_flight: dict[str, tuple[str, asyncio.Task[Any]]] = {}
        self._wake = asyncio.Event()
        """Set when a job may be launched."""

    async def submit(
        self,
        submission: Submission,
        *,
        source: str = "api",
        owner: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> JobRecord:
        """Take a job.

        Raises
        ------
        QueueFull, RateLimited
            If as many wait as may, or the disk is full; if as many of the owner wait as may.
        IdempotencyConflict
            If the key came with another body before.
        """

        async def make() -> JobRecord:
            return (await self._make([submission], source, None, idempotency, owner))[0]

        return await self._once(idempotency, self._store.get, make)

    async def submit_batch(
        self,
        submissions: Sequence[Submission],
        delay_seconds: float,
        *,
        source: str = "batch",
        owner: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> BatchRecord:
        """Accept jobs that run one after another, all or none; raises the errors of `submit`."""

        async def make() -> BatchRecord:
            batch_id = f"batch_{secrets.token_hex(4)}"
            while self._store.batch(batch_id) is not None:
                batch_id = f"batch_{secrets.token_hex(4)}"
            batch = BatchRecord(batch_id, self._ledger.clock.text(), delay_seconds, (), owner)
            await self._make(submissions, source, batch, idempotency, owner)
            return self._store.batch(batch_id) or batch

        return await self._once(idempotency, self._store.batch, make)

    async def adopt(self, folder: Path) -> JobRecord:
        """Take a copy of a folder in which the command line has finished a job.

        Raises
        ------
        ValueError
            If it does not contain a complete job.
        """
        job_id, sequence = self._new_id(), self._next_sequence()
        record = await asyncio.to_thread(record_of_folder, folder, job_id, "cli", sequence=sequence)
        stamp = await asyncio.to_thread(self._store.adopt, folder, record)
        _, rows = await asyncio.to_thread(result_rows, self._store.folder(job_id))
        self._ledger.index.put(IndexedJob(record, stamp, rows))
        return record

    @contextlib.contextmanager
    def room(self, owner: str | None, count: int = 1) -> Iterator[None]:
        """Reserve places in the queue while jobs are created or a preview runs.

        Raises
        ------
        QueueFull
            If as many wait as may, or the service ends.
        RateLimited
            If as many of this owner wait as may.
        """
        if self._ledger.stopping.is_set():
            raise _full("The service is about to stop and accepts no jobs.")
        if len(self._waiting) + self._being_made.total() + count > self._settings.max_queued_jobs:
            raise _full(f"The queue is full: at most {self._settings.max_queued_jobs} jobs wait.")
        quota = self._settings.max_queued_per_token
        if owner is not None and self._waiting.of(owner) + self._being_made[owner] + count > quota:
            raise RateLimited(
                f"At most {quota} jobs of one token wait, dry runs included.",
                details={"maximum": quota},
                headers={"Retry-After": str(RETRY_SECONDS)},
            )
        self._being_made[owner] += count
        try:
            yield
        finally:
            self._being_made[owner] -= count

    async def _once(
        self, key: Idempotency | None, find: Callable[[str], _T | None], make: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Create a job or batch, or return the one that the same key has created or is creating.

        Creation is completed even if the client disconnects.
        """
        if key is None:
            return await asyncio.shield(asyncio.ensure_future(make()))
        running = self._in_flight.get(key.name)
        if running is not None:
            if running[0] != key.fingerprint:
                raise IdempotencyConflict(
                    "This Idempotency-Key is in use with another body: send a new key.", status=409
                )
            result: _T = await asyncio.shield(running[1])
            return result

        async def look_and_make() -> _T:
            stored = await asyncio.to_thread(self._keys.find, key, self._ledger.clock.utc())
            if stored is not None and stored.fingerprint != key.fingerprint:
                raise IdempotencyConflict("This Idempotency-Key was used with another body: send a new key.")
            earlier = find(stored.made) if stored is not None else None
            return await make() if earlier is None else earlier

        task = asyncio.ensure_future(look_and_make())
        self._in_flight[key.name] = (key.fingerprint, task)
        task.add_done_callback(lambda _: self._in_flight.pop(key.name, None))
        return await asyncio.shield(task)

    async def _make(
        self,
        submissions: Sequence[Submission],
        source: str,
        batch: BatchRecord | None,
        key: Idempotency | None,
        owner: str | None,
    ) -> list[JobRecord]:
        """Write new jobs to the disk, all or none, queue them, and wait until they are indexed."""
        with self.room(owner, len(submissions)):
            time = self._ledger.clock.text()
            records = [
                JobRecord(
                    job_id=self._new_id(),
                    sequence=self._next_sequence(),
                    status=QUEUED,
                    created_at=time,
                    modified_at=time,
                    target_name=submission.target_name,
                    search_query=submission.search_query,
                    source=source,
                    owner=owner,
                    webhook=submission.webhook,
                    request=submission.request(),
                    notes=submission.notes,
                    batch_id=batch.batch_id if batch else None,
                    fasta_len=fasta_length(submission.fasta_seq),
                )
                for submission in submissions
            ]
            if batch is not None:
                items = tuple(BatchItem(job.job_id, job.target_name, job.search_query) for job in records)
                batch = replace(batch, items=items)
            configs = [pipeline_config(submission.settings(), self._settings) for submission in submissions]
            new_jobs = list(zip(records, configs, strict=True))
            try:
                stamps = await asyncio.to_thread(self._write, new_jobs, batch, key)
            except OSError as error:
                if error.errno in FULL:
                    raise _full("The disk of the jobs is full.") from error
                raise
        for record, stamp in zip(records, stamps, strict=True):
            self._ledger.index.put(IndexedJob(record, stamp))
            self._waiting.add(record)
        self._wake.set()
        await self._indexed()
        return records

    def _write(self, new_jobs: list[_New], batch: BatchRecord | None, key: Idempotency | None) -> list[int]:
        if key is not None:  # the key first: a job whose client never hears of it is not made a second time
            self._keys.put(key, batch.batch_id if batch else new_jobs[0][0].job_id, self._ledger.clock.utc())
        return self._store.create(new_jobs, batch)

    async def _indexed(self) -> None:
        """Wait briefly until the jobs are indexed, so that a client finds the id there."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ledger.index.settled(), _INDEX_SECONDS)

    def _new_id(self) -> str:
        while self._store.folder(job_id := secrets.token_hex(4)).exists():
            pass
        return job_id

    def _next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence


def _full(message: str) -> QueueFull:
    return QueueFull(message, headers={"Retry-After": str(RETRY_SECONDS)})
