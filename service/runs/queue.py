"""The queue of jobs: durable, first come, first served, every job to exactly one true end."""

import asyncio
import contextlib
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from service.errors import (
    BatchNotFound,
    IdempotencyConflict,
    InvalidField,
    JobNotFound,
    JobStateConflict,
    QueueFull,
    RateLimited,
)
from service.index.database import Index, IndexedJob
from service.jobs.clock import Clock
from service.jobs.durable import is_full
from service.jobs.outcome import fasta_length, record_of_folder, result_rows
from service.jobs.record import CANCELED, COMPLETED, QUEUED, RUNNING, BatchItem, BatchRecord, JobRecord
from service.jobs.resources import Lack, Resources
from service.jobs.store import Store
from service.jobs.submission import Submission, refused_batch, refused_item
from service.runs.config import pipeline_config
from service.runs.extra import Notices
from service.runs.idempotency import Idempotency, find_key, put_key
from service.runs.ledger import Ledger
from service.runs.runner import Runner
from service.runs.supervisor import CANCEL_FILE, Supervisor, note_cancel
from service.runs.waiting import QueueCounts, WaitingList
from service.settings import Settings
from tethermap.base.errors import is_full_disk

_RETRY = 30
"""Header if the queue is full."""

_INDEX_SECONDS = 5.0
"""Time in seconds that a submission waits for the index, which may be rebuilding."""

_LOOK_SECONDS = 2.0
"""Pause between looks at the resources that waiting jobs lack."""

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T", JobRecord, BatchRecord)


class JobQueue:
    """All jobs that are not final; makes them from submissions: numbered, once per key, all or none.

    Parameters
    ----------
    store, index, runner : Store, Index, Runner
        Jobs on disk, their index, and the workers that run them.
    settings : Settings
        Limits and the pipeline's source.
    clock : Clock
        Time.
    notices : Notices
        Sender of notices about ended jobs.
    """

    def __init__(
        self, store: Store, index: Index, runner: Runner, settings: Settings, clock: Clock, notices: Notices
    ) -> None:
        self._store = store
        self._settings = settings
        self._runner = runner
        self._clock = clock
        self.notices = notices
        self.ledger = Ledger(store, index, clock, notices.note)
        self._waiting = WaitingList(clock)
        self._sequences = count(1)
        self._being_made: Counter[str | None] = Counter()
        self._in_flight: dict[str, tuple[str, asyncio.Task[Any]]] = {}
        self._wake = asyncio.Event()
        """Set when a job may be launched."""
        self._resources = Resources(settings, clock)
        self._supervisors: dict[str, Supervisor] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # Life

    def start(self, last_sequence: int, *, dispatching: bool = True) -> None:
        """Start: resume running jobs, then waiting ones.

        Parameters
        ----------
        last_sequence : int
            Highest number that any job has.
        dispatching : bool
            Whether to run jobs; else they are only known.
        """
        active = self._store.active()
        self._sequences = count(1 + max([last_sequence, *(record.sequence for record in active)]))
        for record in active:
            batch = self._store.batch(record.batch_id or "")
            if record.status == RUNNING and dispatching:
                self._supervise(record, recovering=True)
            elif record.status == QUEUED:
                self._waiting.add(record)
                if batch is not None and batch.items[0].job_id != record.job_id:
                    self._waiting.pause(batch)
        if dispatching:
            self._spawn(self._dispatch())

    def begin_stopping(self) -> None:
        """Accept no more jobs, end all subscriptions, begin to stop the runs, which can be resumed."""
        self.ledger.begin_stopping()
        self._wake.set()
        for supervisor in self._supervisors.values():
            supervisor.stop("shutdown")

    async def stop(self) -> None:
        """Stop, and wait for the end of the runs and of pending writes."""
        self.begin_stopping()
        while self._tasks:
            await asyncio.wait(set(self._tasks))
        await self.notices.stop()

    # Requests of clients

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
        owner: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> BatchRecord:
        """Accept jobs that run one after another, all or none; raises the errors of `submit`."""

        async def make() -> BatchRecord:
            while self._store.batch(batch_id := f"batch_{secrets.token_hex(4)}") is not None:
                pass
            batch = BatchRecord(batch_id, self._clock.text(), delay_seconds, (), owner)
            await self._make(submissions, "batch", batch, idempotency, owner)
            return self._store.batch(batch_id) or batch

        return await self._once(idempotency, self._store.batch, make)

    async def adopt(self, folder: Path) -> JobRecord:
        """Take a copy of a folder in which the command line has finished a job.

        Raises
        ------
        ValueError
            If it does not contain a complete job.
        """
        job_id, sequence = self._new_id(), next(self._sequences)
        record = await asyncio.to_thread(record_of_folder, folder, job_id, "cli", sequence=sequence)
        stamp = await asyncio.to_thread(self._store.adopt, folder, record)
        _, rows = await asyncio.to_thread(result_rows, self._store.folder(job_id))
        self.ledger.index.put(IndexedJob(record, stamp, rows))
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
        if self.ledger.stopping.is_set():
            raise _full("The service is about to stop and accepts no jobs.")
        if len(self._waiting) + self._being_made.total() + count > self._settings.max_queued_jobs:
            raise _full(f"The queue is full: at most {self._settings.max_queued_jobs} jobs wait.")
        quota = self._settings.max_queued_per_token
        if owner is not None and self._waiting.of(owner) + self._being_made[owner] + count > quota:
            message = f"At most {quota} jobs of one token wait, dry runs included."
            raise RateLimited(message, maximum=quota, retry_after=_RETRY)
        self._being_made[owner] += count
        try:
            yield
        finally:
            self._being_made[owner] -= count

    async def cancel(self, job_id: str) -> tuple[JobRecord, bool]:
        """Cancel a job; a running one ends soon after.

        Returns
        -------
        JobRecord, bool
            The job, and whether this changes anything: False when it was canceled before.

        Raises
        ------
        JobNotFound, JobStateConflict
            If there is none, or it has ended otherwise.
        """
        async with self.ledger.lock(job_id):
            record = self._changeable(job_id)
            if record.status == CANCELED:
                return record, False
            if record.final:
                raise _conflict(record, "canceled")
            if record.status == QUEUED:
                self._waiting.drop(job_id)
                return await self.ledger.save(record.moved(CANCELED, self._clock.text())), True
        if job_id not in self._supervisors:  # the operator's command, while no service runs
            self._supervise(record, recovering=True)
        await asyncio.to_thread(note_cancel, self._store.jobs_dir / job_id)
        if job_id not in self._supervisors:  # its run has just ended: look again
            return await self.cancel(job_id)
        self._supervisors[job_id].stop("cancel")
        return record, True

    async def retry(self, job_id: str) -> JobRecord:
        """Queue a failed or canceled job again; finished steps are reused.

        Raises
        ------
        JobNotFound, JobStateConflict
            If there is none; if it has not ended, has completed, or its uploaded structures are gone.
        QueueFull, RateLimited
            As for `submit`.
        """
        async with self.ledger.lock(job_id):
            record = self._changeable(job_id)
            if not record.final or record.status == COMPLETED:
                raise _conflict(record, "retried")
            if (upload := record.request.get("structures")) and not self._settings.upload_folder(upload).is_dir():
                message = "The structures of this job are removed: upload them and submit a new job."
                raise JobStateConflict(message, status=record.status)
            with self.room(record.owner):
                if is_full(self._store.jobs_dir):
                    raise _full("The disk of the jobs is full.")
                (self._store.jobs_dir / job_id / CANCEL_FILE).unlink(missing_ok=True)
                record = await self.ledger.save(record.moved(QUEUED, self._clock.text()))
                self._waiting.add(record)
        await self._announce()
        return record

    async def cancel_batch(self, batch_id: str) -> BatchRecord:
        """Cancel what of a batch has not ended, the last job first, so that none begins meanwhile.

        Raises
        ------
        BatchNotFound
            If there is none.
        """
        batch = self._store.batch(batch_id)
        if batch is None:
            raise BatchNotFound(f"There is no batch {batch_id}.")
        for item in reversed(batch.items):
            with contextlib.suppress(JobNotFound, JobStateConflict):
                await self.cancel(item.job_id)
        return batch

    async def delete(self, job_id: str) -> None:
        """Remove a job that has ended, with all its files.

        Raises
        ------
        JobNotFound, JobStateConflict
            If there is none, or it has not ended.
        """
        async with self.ledger.lock(job_id):
            record = self._changeable(job_id)
            if not record.final:
                raise _conflict(record, "deleted")
            await self.ledger.delete(job_id)

    def position(self, job_id: str) -> int | None:
        """Return the place of a waiting job, from 1; None when it doesn't wait."""
        return self._waiting.position(job_id)

    def waits_for(self, job_id: str) -> str:
        """Return the resource that a waiting job lacks, as a sentence; empty if none, or if it doesn't wait."""
        record = self._store.get(job_id) if self.position(job_id) else None
        lack = self._resources.lack(record) if record is not None else None
        return lack.note if lack else ""

    def lacks(self) -> list[Lack]:
        """Check the resources of all jobs and return the missing ones; blocks."""
        self._resources.look()
        return self._resources.lacks()

    def counts(self) -> QueueCounts:
        """Return how many jobs wait and run."""
        first = self._store.get(next(iter(self._waiting), ""))
        since = 0.0 if first is None else (self._clock.utc() - datetime.fromisoformat(first.created_at)).total_seconds()
        return QueueCounts(len(self._waiting), len(self._supervisors), max(0.0, since))

    # Requests of the periodic tasks

    def unfinished(self) -> list[str]:
        """Return the ids of all jobs that wait or run."""
        return [*self._waiting, *self._supervisors]

    def uploads_in_use(self) -> set[str]:
        """Return the uploads that jobs that wait or run read."""
        records = map(self._store.get, self.unfinished())
        return {str(record.request.get("structures")) for record in records if record is not None}

    async def forget(self, job_id: str) -> None:
        """Let go of a job whose folder was deleted by hand; its run is stopped first."""
        self._waiting.drop(job_id)
        if job_id in self._supervisors:
            self._supervisors[job_id].stop("vanished")
        else:
            await self.ledger.delete(job_id, by_hand=True)

    # Within

    async def _once(
        self, key: Idempotency | None, find: Callable[[str], _T | None], make: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Create a job or batch, or return the one that the same key has created or is creating.

        Creation is completed even if the client disconnects.
        """
        if key is None:
            return await asyncio.shield(asyncio.ensure_future(make()))

        async def look_and_make() -> _T:
            stored = await asyncio.to_thread(find_key, self._store.keys, key, self._clock.utc())
            if stored is not None and stored.fingerprint != key.fingerprint:
                raise IdempotencyConflict("This Idempotency-Key was used with another body: send a new key.")
            earlier = find(stored.made) if stored is not None else None
            return await make() if earlier is None else earlier

        fingerprint, task = self._in_flight.get(key.name) or (key.fingerprint, None)
        if fingerprint != key.fingerprint:
            message = "This Idempotency-Key is in use with another body: send a new key."
            raise IdempotencyConflict(message, http_status=409)
        if task is None:
            task = asyncio.ensure_future(look_and_make())
            self._in_flight[key.name] = (fingerprint, task)
            task.add_done_callback(lambda _: self._in_flight.pop(key.name, None))
        result: _T = await asyncio.shield(task)
        return result

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
            time = self._clock.text()
            records = [
                JobRecord(
                    job_id=self._new_id(),
                    sequence=next(self._sequences),
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
            configs, refused = [], []
            for number, submission in enumerate(submissions):
                try:
                    configs.append(pipeline_config(submission.settings(), self._settings))
                except InvalidField as error:
                    if batch is None:
                        raise
                    refused.append(refused_item(number, error))
            if refused:
                raise refused_batch(refused, len(submissions))
            made = batch.batch_id if batch else records[0].job_id

            def write() -> list[int]:
                if key is not None:  # first: a job whose client never hears of it is not made a second time
                    put_key(self._store.keys, key, made, self._clock.utc())
                return self._store.create(list(zip(records, configs, strict=True)), batch)

            try:
                stamps = await asyncio.to_thread(write)
            except OSError as error:
                if is_full_disk(error):
                    raise _full("The disk of the jobs is full.") from error
                raise
        for record, stamp in zip(records, stamps, strict=True):
            self.ledger.index.put(IndexedJob(record, stamp))
            self._waiting.add(record)
        await self._announce()
        return records

    async def _announce(self) -> None:
        """Let new jobs be launched, and wait briefly until they are indexed, so that a client finds the id there."""
        self._wake.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ledger.index.settled(), _INDEX_SECONDS)

    def _new_id(self) -> str:
        while self._store.folder(job_id := secrets.token_hex(4)).exists():
            pass
        return job_id

    async def _dispatch(self) -> None:
        """Launch what may run, whenever something has changed."""
        while not self.ledger.stopping.is_set():
            self._wake.clear()
            pause: float | None = None
            while len(self._waiting) and len(self._supervisors) < self._settings.max_running_jobs:
                await self._resources.check()
                if self.ledger.stopping.is_set():
                    return
                job_id, pause = self._waiting.next(
                    {one.batch_id for one in self._supervisors.values()}, self._launchable
                )
                if job_id is None:
                    pause = min(pause or _LOOK_SECONDS, _LOOK_SECONDS)
                    break
                self._waiting.drop(job_id)
                if (record := self._store.get(job_id)) is not None:
                    self._supervise(record, recovering=False)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)

    def _launchable(self, job_id: str) -> bool:
        record = self._store.get(job_id)
        return record is None or self._resources.lack(record) is None

    def _supervise(self, record: JobRecord, *, recovering: bool) -> None:
        job_id, parts = record.job_id, (self.ledger, self._waiting, self._resources, self._runner)
        supervisor = Supervisor(job_id, record.batch_id, *parts, self._settings.job_timeout_s)
        self._supervisors[job_id] = supervisor

        async def run() -> None:
            try:
                await supervisor.run(recovering=recovering)
            finally:
                del self._supervisors[job_id]
                self.ledger.notify(job_id)
                self._wake.set()

        self._spawn(run())

    def _changeable(self, job_id: str) -> JobRecord:
        record = self._store.get(job_id)
        if record is None:
            raise JobNotFound(f"There is no job {job_id[:64]}.")
        if record.source == "example":
            raise JobStateConflict("Curated examples can't be changed.", status=record.status)
        return record

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_told)


def _told(task: asyncio.Task[None]) -> None:
    """Log the error of a background task."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("unexpected error", exc_info=error)


def _conflict(record: JobRecord, verb: str) -> JobStateConflict:
    return JobStateConflict(f"A job that is {record.status} can't be {verb}.", status=record.status)


def _full(message: str) -> QueueFull:
    return QueueFull(message, retry_after=_RETRY)
