"""The course of one run of a job, from its launch to what is recorded of its end."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from service.jobs.durable import is_shortage
from service.jobs.outcome import read_outcome
from service.jobs.record import COMPLETED, FAILED, QUEUED, RUNNING, JobError, JobRecord
from service.jobs.resources import SHORTAGE_SECONDS, Resources
from service.runs.ending import Ending
from service.runs.ledger import Ledger
from service.runs.supervisor import NotWanted, Paused, Supervisor, launch_failure
from service.runs.waiting import WaitingList

_LOG = logging.getLogger(__name__)


class Course:
    """Brings jobs from their launch to their recorded end.

    Parameters
    ----------
    ledger : Ledger
        Where their states are recorded.
    waiting : WaitingList
        Where jobs go that are to be run again.
    resources : Resources
        What jobs need to be launched.
    """

    def __init__(self, ledger: Ledger, waiting: WaitingList, resources: Resources) -> None:
        self._ledger = ledger
        self._store = ledger.store
        self._clock = ledger.clock
        self._waiting = waiting
        self._resources = resources

    async def run(self, job_id: str, supervisor: Supervisor, *, recovering: bool) -> None:
        """Bring one job to the end of this run, whatever that is."""
        try:
            while not await self._ended(job_id, supervisor, recovering=recovering):
                await asyncio.sleep(SHORTAGE_SECONDS)
                recovering = True
        except NotWanted:
            _LOG.info("%s: canceled before it began", job_id)
        except Paused:
            _LOG.info("%s: stopped with the service, to be resumed", job_id)
        except FileNotFoundError:
            if self._store.get(job_id) is not None:
                await self._give_up(job_id)
                raise
            _LOG.warning("%s: its folder was deleted", job_id)
            await self._ledger.forget(job_id)
        except Exception:
            await self._give_up(job_id)
            raise

    async def _ended(self, job_id: str, supervisor: Supervisor, *, recovering: bool) -> bool:
        """Follow a run to its end; False when the machine lacked the means to, so that it is looked at again."""
        try:
            await self._finish(job_id, await self._ending(job_id, supervisor, recovering=recovering))
        except (OSError, MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            _LOG.warning("a job waits for resources of the machine: %s", error, extra={"job_id": job_id})
            self._resources.short(error)
            if supervisor.launched or recovering:
                return False
            await self._put_back(job_id)
        return True

    async def _ending(self, job_id: str, supervisor: Supervisor, *, recovering: bool) -> Ending:
        """Return how the run ended, one that was begun earlier or a new one."""
        if recovering:
            try:
                return await supervisor.recover()
            except Paused:  # stopped with the service that was: go on, unless this one ends too
                if self._ledger.stopping.is_set():
                    raise
        try:
            return await supervisor.launch(lambda: self._begin(job_id))
        except OSError as error:
            if is_shortage(error):
                raise
            ending = launch_failure(error, self._store.jobs_dir / job_id)
            await self._begin(job_id)
            return ending

    async def _begin(self, job_id: str) -> None:
        """Note that a job runs, before its process begins."""
        async with self._ledger.lock(job_id):
            record = self._store.get(job_id)
            if record is None:
                raise FileNotFoundError(job_id)
            if record.final:
                raise NotWanted
            if record.status == QUEUED:
                await self._ledger.save(record.moved(RUNNING, self._clock.text()))

    async def _put_back(self, job_id: str) -> None:
        """Leave a job queued that could not be launched for lack of a resource: that is no attempt."""
        async with self._ledger.lock(job_id):
            record = self._store.get(job_id)
            if record is None or record.final:
                return
            if record.status == RUNNING:
                started = None if record.attempt == 1 else record.started_at
                await self._requeue(record, attempt=record.attempt, started_at=started)
            else:
                self._waiting.add(record)

    async def _finish(self, job_id: str, ending: Ending) -> None:
        """Write how a run ended, or put the job back: after its first interruption, or for lack of a resource."""
        lack = await self._lack_behind(job_id, ending)
        async with self._ledger.lock(job_id):
            record = self._store.get(job_id)
            if record is None:
                raise FileNotFoundError(job_id)
            if lack:
                _LOG.warning("%s: waits to go on: %s", job_id, lack)
                await self._requeue(record, attempt=record.attempt)
                return
            disk_full = ending.error is not None and ending.error.kind == "disk_full"
            if (ending.status is None or disk_full) and record.runs_again:
                _LOG.warning("%s: %s, to be run once more", job_id, "disk full" if disk_full else "interrupted")
                await self._requeue(record)
                return
            time = self._clock.text()
            self._resources.forget(job_id)
            outcome = await asyncio.to_thread(read_outcome, self._store.folder(job_id))
            values = outcome.values()
            if ending.status == COMPLETED:
                values["percent"] = 100
            ended = record.moved(ending.status or FAILED, time, error=ending.error, **values)
            await self._ledger.save(ended, outcome.rows)
            if (batch := self._store.batch(record.batch_id or "")) is not None:
                self._waiting.pause(batch)

    async def _lack_behind(self, job_id: str, ending: Ending) -> str:
        """Return the missing resource for which a run has ended early, in words; empty if it is an end of its own."""
        record = self._store.get(job_id)
        if record is None or record.status != RUNNING or ending.error is None:
            return ""
        if ending.shortage:
            self._resources.short(OSError(0, ending.shortage))
            return ending.shortage
        if ending.status != FAILED:
            return ""
        lack = await self._resources.behind(ending.error.kind, record)
        if ending.error.kind == "disk_full":
            self._resources.filled_disk(job_id)
        return lack.note if lack else ""

    async def _requeue(self, record: JobRecord, **values: Any) -> None:
        """Put a job that was running back into the queue; its lock is held."""
        self._waiting.add(await self._ledger.save(record.moved(QUEUED, self._clock.text(), **values)))

    async def _give_up(self, job_id: str) -> None:
        """End a job that this program can't bring further because of an error of its own."""
        record = self._store.get(job_id)
        if record is None or record.final:
            return
        await self._begin(job_id)
        message = "The service stopped following the job because of an unexpected error; its log has it."
        await self._finish(job_id, Ending(FAILED, JobError(message, "", "pipeline")))
