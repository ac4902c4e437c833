"""How jobs and batches come into being: numbered, once for each key, all or none."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from service.errors import IdempotencyConflict, QueueFull
from service.idempotency import Idempotency, KeyStore
from service.index import IndexedJob
from service.jobs import QUEUED, BatchItem, BatchRecord, JobRecord
from service.ledger import Ledger
from service.run_config import pipeline_config
from service.schemas import Submission
from service.settings import Settings
from service.store import FULL

RETRY_SECONDS = 30
"""What a client that finds the queue full is told to wait."""

_T = TypeVar("_T", JobRecord, BatchRecord)
_New = tuple[JobRecord, dict[str, Any]]


class Intake:
    """Makes jobs from submissions.

    Parameters
    ----------
    ledger : Ledger
        Where they are recorded.
    settings : Settings
        The pipeline's source and the length of the queue.
    waiting : callable
        Returns how many jobs wait.
    """

    def __init__(self, ledger: Ledger, settings: Settings, waiting: Callable[[], int]) -> None:
        self._ledger = ledger
        self._store = ledger.store
        self._settings = settings
        self._waiting = waiting
        self.keys = KeyStore(ledger.store.keys)
        self.sequence = 0
        self._being_made = 0
        self._in_flight: dict[str, tuple[str, asyncio.Task[Any]]] = {}

    async def once(
        self, key: Idempotency | None, find: Callable[[str], _T | None], make: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Make something, or return what the same key has made before or is making now.

        What has begun is finished, even when the client goes away.
        """
        if key is None:
            return await asyncio.shield(asyncio.ensure_future(make()))
        running = self._in_flight.get(key.name)
        if running is not None:
            if running[0] != key.fingerprint:
                raise IdempotencyConflict("This Idempotency-Key is being used with another body.", status=409)
            made: _T = await asyncio.shield(running[1])
            return made

        async def look_and_make() -> _T:
            known = await asyncio.to_thread(self.keys.find, key, self._ledger.clock.utc())
            if known is not None and known.fingerprint != key.fingerprint:
                raise IdempotencyConflict("This Idempotency-Key was used with another body.")
            earlier = find(known.made) if known is not None else None
            return await make() if earlier is None else earlier

        task = asyncio.ensure_future(look_and_make())
        self._in_flight[key.name] = (key.fingerprint, task)
        task.add_done_callback(lambda _: self._in_flight.pop(key.name, None))
        return await asyncio.shield(task)

    async def make(
        self, submissions: Sequence[Submission], source: str, batch: BatchRecord | None, key: Idempotency | None
    ) -> list[JobRecord]:
        """Write new jobs to the disk, all or none.

        Raises
        ------
        QueueFull
            If as many wait as may, the disk is full, or the service ends.
        """
        count = len(submissions)
        if self._ledger.stopping.is_set():
            raise _full("The service is about to stop and takes no jobs.")
        if self._waiting() + self._being_made + count > self._settings.max_queued_jobs:
            raise _full(f"The queue is full: at most {self._settings.max_queued_jobs} jobs wait.")
        self._being_made += count
        try:
            made, batch = self._described(submissions, source, batch)
            stamps = await asyncio.to_thread(self._write, made, batch, key)
        except OSError as error:
            if error.errno in FULL:
                raise _full("The disk of the jobs is full.") from error
            raise
        finally:
            self._being_made -= count
        for (record, _), stamp in zip(made, stamps, strict=True):
            self._ledger.index.put(IndexedJob(record, stamp))
        return [record for record, _ in made]

    def new_batch(self, delay_seconds: float) -> BatchRecord:
        """Return a batch without jobs under an id that no other has."""
        batch_id = f"batch_{secrets.token_hex(4)}"
        while self._store.batch(batch_id) is not None:
            batch_id = f"batch_{secrets.token_hex(4)}"
        return BatchRecord(batch_id, self._ledger.clock.text(), delay_seconds, ())

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
        self, submissions: Sequence[Submission], source: str, batch: BatchRecord | None
    ) -> tuple[list[_New], BatchRecord | None]:
        time = self._ledger.clock.text()
        made: list[_New] = []
        for submission in submissions:
            record = new_record(
                self.new_id(),
                self.next_sequence(),
                time,
                target_name=submission.target_name,
                search_query=submission.search_query,
                source=source,
                request=submission.request(),
                notes=submission.notes,
                batch_id=batch.batch_id if batch else None,
                fasta_len=fasta_length(submission.fasta_seq),
            )
            made.append((record, pipeline_config(submission.settings(), self._settings)))
        if batch is not None:
            items = tuple(BatchItem(job.job_id, job.target_name, job.search_query) for job, _ in made)
            batch = BatchRecord(batch.batch_id, batch.created_at, batch.delay_seconds, items)
        return made, batch

    def _write(self, made: list[_New], batch: BatchRecord | None, key: Idempotency | None) -> list[int]:
        if key is not None:  # the key first: a job whose client never hears of it is not made a second time
            self.keys.put(key, batch.batch_id if batch else made[0][0].job_id, self._ledger.clock.utc())
        return self._store.create(made, batch)


def new_record(
    job_id: str,
    sequence: int,
    time: str,
    *,
    target_name: str,
    search_query: str,
    source: str,
    request: Mapping[str, Any],
    notes: Sequence[str] = (),
    batch_id: str | None = None,
    fasta_len: int = 0,
) -> JobRecord:
    """Return the record of a job that has just been accepted."""
    return JobRecord(
        job_id=job_id,
        sequence=sequence,
        status=QUEUED,
        target_name=target_name,
        search_query=search_query,
        source=source,
        request=dict(request),
        notes=tuple(notes),
        batch_id=batch_id,
        fasta_len=fasta_len,
        created_at=time,
        modified_at=time,
    )


def fasta_length(text: str | None) -> int:
    """Return the number of residues of a FASTA text, over all its records."""
    lines = [line for line in (text or "").splitlines() if not line.startswith(">")]
    return sum(character.isalpha() for line in lines for character in line)


def _full(message: str) -> QueueFull:
    return QueueFull(message, headers={"Retry-After": str(RETRY_SECONDS)})
