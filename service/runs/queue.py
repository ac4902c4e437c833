"""The queue of jobs: durable, first come, first served, every job to exactly one true end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Coroutine
from datetime import datetime
from typing import Any

from service.errors import BatchNotFound, JobNotFound, JobStateConflict, QueueFull
from service.index.database import Index
from service.jobs.clock import Clock
from service.jobs.durable import is_full
from service.jobs.record import CANCELED, COMPLETED, QUEUED, RUNNING, BatchRecord, JobRecord
from service.jobs.resources import Lack, Resources
from service.jobs.store import Store
from service.runs.extra import Notices
from service.runs.intake import RETRY_SECONDS, Intake
from service.runs.ledger import Ledger
from service.runs.runner import Runner
from service.runs.supervisor import CANCEL_FILE, Supervisor, note_cancel
from service.runs.waiting import QueueCounts, WaitingList
from service.settings import Settings

_LOOK_SECONDS = 2.0
"""Pause between looks at the resources that waiting jobs lack."""

_LOG = logging.getLogger(__name__)


class JobQueue(Intake):
    """All jobs that are not final.

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
        super().__init__(Ledger(store, index, clock, notices.note), settings, WaitingList(clock))
        self._runner = runner
        self._clock = clock
        self.notices = notices
        self._resources = Resources(settings, clock)
        self._supervisors: dict[str, Supervisor] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = False

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
        self._sequence = max([last_sequence, *(record.sequence for record in active)])
        for record in active:
            batch = self._store.batch(record.batch_id or "")
            if record.status == RUNNING and dispatching:
                self._supervise(record, recovering=True)
            elif record.status == QUEUED:
                self._waiting.add(record)
                if batch is not None and batch.items[0].job_id != record.job_id:
                    self._waiting.pause(batch)
        self._started = True
        if dispatching:
            self._spawn(self._dispatch())

    def begin_stopping(self) -> None:
        """Accept no more jobs, end all subscriptions, begin to stop the runs, which can be resumed."""
        self._ledger.begin_stopping()
        self._wake.set()
        for supervisor in self._supervisors.values():
            supervisor.stop("shutdown")

    async def stop(self) -> None:
        """Stop, and wait for the end of the runs and of pending writes."""
        self.begin_stopping()
        while self._tasks:
            await asyncio.wait(set(self._tasks))
        await self.notices.stop()

    @property
    def stopping(self) -> asyncio.Event:
        """Set when the service begins to stop."""
        return self._ledger.stopping

    @property
    def accepting(self) -> bool:
        """Whether jobs are taken at all."""
        return self._started and not self.stopping.is_set()

    # Requests of clients

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
        async with self._ledger.lock(job_id):
            record = self._changeable(job_id)
            if record.status == CANCELED:
                return record, False
            if record.final:
                raise _conflict(record, "canceled")
            if record.status == QUEUED:
                self._waiting.drop(job_id)
                return await self._ledger.save(record.moved(CANCELED, self._clock.text())), True
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
        async with self._ledger.lock(job_id):
            record = self._changeable(job_id)
            if not record.final or record.status == COMPLETED:
                raise _conflict(record, "retried")
            if (upload := record.request.get("structures")) and not self._settings.upload_folder(upload).is_dir():
                message = "The structures of this job are removed: upload them and submit a new job."
                raise JobStateConflict(message, details={"status": record.status})
            with self.room(record.owner):
                if is_full(self._store.jobs_dir):
                    raise QueueFull("The disk of the jobs is full.", headers={"Retry-After": str(RETRY_SECONDS)})
                (self._store.jobs_dir / job_id / CANCEL_FILE).unlink(missing_ok=True)
                record = await self._ledger.save(record.moved(QUEUED, self._clock.text()))
                self._waiting.add(record)
        self._wake.set()
        await self._indexed()
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
        async with self._ledger.lock(job_id):
            record = self._changeable(job_id)
            if not record.final:
                raise _conflict(record, "deleted")
            await self._ledger.delete(job_id)

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
        """Return how many jobs wait, run and have ended."""
        first = self._store.get(next(iter(self._waiting), ""))
        since = 0.0 if first is None else (self._clock.utc() - datetime.fromisoformat(first.created_at)).total_seconds()
        return QueueCounts(len(self._waiting), len(self._supervisors), max(0.0, since), self._ledger.ended)

    def watch(self, job_id: str) -> AsyncGenerator[JobRecord]:
        """Yield a job's record now and after every change, to its end or the service's."""
        return self._ledger.watch(job_id)

    # Requests of the periodic tasks

    async def flush(self) -> None:
        """Write the records that a full disk has refused."""
        await self._ledger.flush()

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
            await self._ledger.delete(job_id, by_hand=True)

    # Within

    async def _dispatch(self) -> None:
        """Launch what may run, whenever something has changed."""
        while not self.stopping.is_set():
            self._wake.clear()
            pause: float | None = None
            while len(self._waiting) and len(self._supervisors) < self._settings.max_running_jobs:
                await self._resources.check()
                if self.stopping.is_set():
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
        job_id, timeout_s = record.job_id, self._settings.job_timeout_s
        supervisor = Supervisor(record, self._ledger, self._waiting, self._resources, self._runner, timeout_s)
        self._supervisors[job_id] = supervisor
        self._spawn(self._run(job_id, supervisor.run(recovering=recovering)))

    async def _run(self, job_id: str, running: Coroutine[Any, Any, None]) -> None:
        """Bring one job to the end of this run."""
        try:
            await running
        finally:
            del self._supervisors[job_id]
            self._ledger.notify(job_id)
            self._wake.set()

    def _changeable(self, job_id: str) -> JobRecord:
        record = self._store.get(job_id)
        if record is None:
            raise JobNotFound(f"There is no job {job_id[:64]}.")
        if record.source == "example":
            raise JobStateConflict("Curated examples can't be changed.", details={"status": record.status})
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
    return JobStateConflict(f"A job that is {record.status} can't be {verb}.", details={"status": record.status})
