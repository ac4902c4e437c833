"""Creation of jobs and batches: numbered, once per key, all or none."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from service.errors import IdempotencyConflict, QueueFull, RateLimited
from service.index.database import IndexedJob
from service.jobs.durable import FULL
from service.jobs.record import QUEUED, BatchItem, BatchRecord, JobRecord, fasta_length
from service.jobs.submission import Submission
from service.runs.config import pipeline_config
from service.runs.idempotency import Idempotency, KeyStore
from service.runs.ledger import Ledger
from service.runs.waiting import WaitingList
from service.settings import Settings

RETRY_SECONDS = 30
"""Retry-After for clients if the queue is full."""

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
        self.keys = KeyStore(ledger.store.keys)
        self.sequence = 0
        self._being_made: Counter[str | None] = Counter()
        self._in_flight: dict[str, tuple[str, asyncio.Task[Any]]] = {}

    async def once(
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
            stored = await asyncio.to_thread(self.keys.find, key, self._ledger.clock.utc())
            if stored is not None and stored.fingerprint != key.fingerprint:
                raise IdempotencyConflict("This Idempotency-Key was used with another body: send a new key.")
            earlier = find(stored.made) if stored is not None else None
            return await make() if earlier is None else earlier

        task = asyncio.ensure_future(look_and_make())
        self._in_flight[key.name] = (key.fingerprint, task)
        task.add_done_callback(lambda _: self._in_flight.pop(key.name, None))
        return await asyncio.shield(task)

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

    async def make(
        self,
        submissions: Sequence[Submission],
        source: str,
        batch: BatchRecord | None,
        key: Idempotency | None,
        owner: str | None = None,
    ) -> list[JobRecord]:
        """Write new jobs to the disk, all or none, and wait until they are indexed.

        Raises
        ------
        QueueFull, RateLimited
            Errors of `room`; the first also if the disk is full.
        """
        with self.room(owner, len(submissions)):
            try:
                new_jobs, batch = self._described(submissions, source, batch, owner)
                stamps = await asyncio.to_thread(self._write, new_jobs, batch, key)
            except OSError as error:
                if error.errno in FULL:
                    raise _full("The disk of the jobs is full.") from error
                raise
        for (record, _), stamp in zip(new_jobs, stamps, strict=True):
            self._ledger.index.put(IndexedJob(record, stamp))
        return [record for record, _ in new_jobs]

    def new_batch(self, delay_seconds: float, owner: str | None) -> BatchRecord:
        """Return a batch without jobs under an id that no other has."""
        batch_id = f"batch_{secrets.token_hex(4)}"
        while self._store.batch(batch_id) is not None:
            batch_id = f"batch_{secrets.token_hex(4)}"
        return BatchRecord(batch_id, self._ledger.clock.text(), delay_seconds, (), owner)

    def new_id(self) -> str:
        """Return a job id that no other job has."""
        while True:
            job_id = secrets.token_hex(4)
            if not self._store.folder(job_id).exists():
                return job_id

    def next_sequence(self) -> int:
        """Return the number of a new job."""
        self.sequence += 1
        return self.sequence

    def _described(
        self, submissions: Sequence[Submission], source: str, batch: BatchRecord | None, owner: str | None
    ) -> tuple[list[_New], BatchRecord | None]:
        time = self._ledger.clock.text()
        new_jobs: list[_New] = []
        for submission in submissions:
            record = JobRecord(
                job_id=self.new_id(),
                sequence=self.next_sequence(),
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
            new_jobs.append((record, pipeline_config(submission.settings(), self._settings)))
        if batch is not None:
            items = tuple(BatchItem(job.job_id, job.target_name, job.search_query) for job, _ in new_jobs)
            batch = replace(batch, items=items)
        return new_jobs, batch

    def _write(self, new_jobs: list[_New], batch: BatchRecord | None, key: Idempotency | None) -> list[int]:
        if key is not None:  # the key first: a job whose client never hears of it is not made a second time
            self.keys.put(key, batch.batch_id if batch else new_jobs[0][0].job_id, self._ledger.clock.utc())
        return self._store.create(new_jobs, batch)


def _full(message: str) -> QueueFull:
    return QueueFull(message, headers={"Retry-After": str(RETRY_SECONDS)})
