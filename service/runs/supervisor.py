"""Follows one job from its launch, or from its state after a restart, to its recorded end."""

import asyncio
import contextlib
import errno
import logging
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from service.jobs.durable import is_shortage, write_json
from service.jobs.outcome import is_complete, read_outcome
from service.jobs.progress import Live, progress_after
from service.jobs.record import COMPLETED, FAILED, QUEUED, RECORD, RUNNING, SERVICE_FOLDER, JobError, JobRecord
from service.jobs.resources import SHORTAGE_SECONDS, Resources
from service.jobs.store import Store
from service.runs import processes
from service.runs.ending import Ending, judge
from service.runs.ledger import Ledger
from service.runs.runner import RUN_LOG, Intent, LaunchError, Run, Runner, read_state
from service.runs.waiting import WaitingList
from tethermap.base import layout
from tethermap.run.events import NewEvents

CANCEL_FILE = f"{SERVICE_FOLDER}/cancel.json"
"""Written before a client is informed that its running job is being canceled."""

FOLLOW_SECONDS = 0.5
SHUTDOWN_SECONDS = 2.5
"""Time in seconds that runs may take to end when the service itself stops."""

_LOG = logging.getLogger(__name__)


class Left(Exception):  # noqa: N818 - no error
    """A run that ended without a final state of its job; the message gives the reason."""


@dataclass(slots=True, eq=False)
class Supervisor:
    """Brings one job from its launch, or from its state after a restart, to its recorded end.

    Parameters
    ----------
    job_id, batch_id : str, str or None
        The job.
    ledger : Ledger
        Records its states.
    waiting : WaitingList
        Queue for jobs to run again.
    resources : Resources
        Required resources of a launch.
    runner : Runner
        Starts and stops its processes.
    timeout_s : float or None
        Wall time in seconds after which it is stopped.
    """

    job_id: str
    batch_id: str | None
    ledger: Ledger
    waiting: WaitingList
    resources: Resources
    runner: Runner
    timeout_s: float | None
    _run: Run | None = None
    _wanted: Intent = ""
    _stopping: asyncio.Task[None] | None = None
    _launched: bool = False

    @property
    def _folder(self) -> Path:
        return self.ledger.store.jobs_dir / self.job_id

    async def run(self, *, recovering: bool) -> None:
        """Run the job to the end of this run, with any outcome."""
        try:
            while not await self._ended(recovering=recovering):
                await asyncio.sleep(SHORTAGE_SECONDS)
                recovering = True
        except Left as left:
            _LOG.info("%s: %s", self.job_id, left)
        except FileNotFoundError:
            if self.ledger.store.get(self.job_id) is not None:
                await self._give_up()
                raise
            _LOG.warning("%s: its folder was deleted", self.job_id)
            await self.ledger.delete(self.job_id, by_hand=True)
        except Exception:
            await self._give_up()
            raise

    def stop(self, intent: Intent) -> None:
        """Begin to stop the run, now or at its start, unless it has finished; the first reason is kept."""
        self._wanted = self._wanted or intent
        if self._run is not None and self._stopping is None:
            seconds = SHUTDOWN_SECONDS if self._wanted == "shutdown" else None
            self._stopping = asyncio.create_task(self.runner.stop(self._run, self._wanted, seconds=seconds))

    # The run

    async def _ended(self, *, recovering: bool) -> bool:
        """Follow a run to its end; False if the machine lacked resources for it, so that it is tried again."""
        try:
            await self._finish(await self._ending(recovering=recovering))
        except (OSError, MemoryError, RuntimeError) as error:
            self.resources.short(error)
            _LOG.warning("a job waits for resources of the machine: %s", error, extra={"job_id": self.job_id})
            if self._launched or recovering:
                return False
            await self._put_back()
        return True

    async def _ending(self, *, recovering: bool) -> Ending:
        """Return how the run ended, one that was begun earlier or a new one."""
        if recovering:
            try:
                return await self._recover()
            except Left:  # stopped or killed with the previous service: continue, unless this one stops too
                if self.ledger.stopping.is_set():
                    raise
        try:
            return await self._launch()
        except LaunchError as error:
            return Ending(FAILED, JobError(str(error), "", "pipeline"))
        except OSError as error:
            if is_shortage(error) or not self._folder.exists():
                raise
            await self._begin()
            return Ending(FAILED, JobError(f"The run could not be started: {error.strerror}.", "", "pipeline"))

    async def _launch(self) -> Ending:
        """Start the run and follow it to its end."""
        await self.runner.unlock(self._folder)
        if not self._wanted and (self._folder / CANCEL_FILE).exists():
            self._wanted = "cancel"
        if self._wanted:
            return self._judged(None, self._wanted)
        return await self._follow(await self.runner.start(self._folder, self._begin))

    async def _recover(self) -> Ending:
        """Find the remains of a run after a crash of the service: follow it, or end its processes and decide its state.

        Raises
        ------
        Left
            If the run was stopped with the service, now or then, or had no process yet.
        """
        state = read_state(self._folder)
        intent: Intent = "cancel" if (self._folder / CANCEL_FILE).exists() else state.intent if state else ""
        run = await asyncio.to_thread(self.runner.find, self._folder)
        if run is not None and not intent:
            _LOG.info("%s: its run is alive and watched on", self.job_id)
            return await self._follow(run)
        if state is not None:
            await self.runner.end_processes(self._folder, state)
            if not (self._folder / RUN_LOG).exists() and self._folder.exists():
                raise Left("killed before its first process")
        return self._judged(None, self._wanted or intent)

    async def _follow(self, run: Run) -> Ending:
        self._run, self._launched = run, True
        if self._wanted:
            self.stop(self._wanted)
        showing = asyncio.create_task(self._show_progress())
        try:
            status = await self._wait(run)
            self._run = None  # from here on there is nothing to stop
            if self._stopping is not None:
                await self._stopping
            # Scripts outlive a Snakemake that was killed: nothing of a run may live when it is judged.
            await self.runner.end_processes(self._folder, run.state)
        finally:
            showing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await showing
        self.ledger.show(self.job_id, next(states(self._folder)))
        return self._judged(status, run.state.intent or self._wanted)

    async def _show_progress(self) -> None:
        for live in states(self._folder):
            self.ledger.show(self.job_id, live)
            await asyncio.sleep(FOLLOW_SECONDS)

    async def _wait(self, run: Run) -> int | None:
        """Wait for the end of the run; stop it after its time limit."""
        waiting = asyncio.create_task(run.wait())
        if self.timeout_s is not None:
            left = self.timeout_s - await asyncio.to_thread(run.age_seconds)
            done, _ = await asyncio.wait({waiting}, timeout=max(0.0, left))
            if not done:
                self.stop("timeout")
        return await waiting

    def _judged(self, status: int | None, intent: Intent) -> Ending:
        if not self._folder.exists():
            raise FileNotFoundError(self.job_id)
        if intent == "shutdown" and not is_complete(self._folder):
            raise Left("stopped with the service, to be resumed")
        return judge(self._folder, status, intent, timeout_s=self.timeout_s)

    # The record

    async def _begin(self) -> None:
        """Note that the job runs, before its process begins."""
        async with self.ledger.lock(self.job_id):
            record = self._record()
            if record.final:
                raise Left("canceled before it began")
            if record.status == QUEUED:
                await self.ledger.save(record.moved(RUNNING, self.ledger.clock.text()))

    async def _put_back(self) -> None:
        """Return the job to the queue if it lacked a resource at its launch: this does not count as an attempt."""
        async with self.ledger.lock(self.job_id):
            record = self.ledger.store.get(self.job_id)
            if record is None or record.final:
                return
            if record.status == RUNNING:
                started = None if record.attempt == 1 else record.started_at
                await self._requeue(record, attempt=record.attempt, started_at=started)
            else:
                self.waiting.add(record)

    async def _finish(self, ending: Ending) -> None:
        """Write how the run ended, or put the job back: after its first interruption, or for lack of a resource."""
        lack = await self._lack_behind(ending)
        async with self.ledger.lock(self.job_id):
            record = self._record()
            if lack:
                _LOG.warning("%s: waiting to continue: %s", self.job_id, lack)
                await self._requeue(record, attempt=record.attempt)
                return
            disk_full = ending.error is not None and ending.error.kind == "disk_full"
            if (ending.status is None or disk_full) and record.runs_again:
                _LOG.warning("%s: %s, queued again", self.job_id, "disk full" if disk_full else "interrupted")
                await self._requeue(record)
                return
            time = self.ledger.clock.text()
            self.resources.forget(self.job_id)
            values, rows = await asyncio.to_thread(read_outcome, self._folder)
            if ending.status == COMPLETED:
                values["percent"] = 100
            await self.ledger.save(record.moved(ending.status or FAILED, time, error=ending.error, **values), rows)
            if (batch := self.ledger.store.batch(record.batch_id or "")) is not None:
                self.waiting.pause(batch)

    async def _lack_behind(self, ending: Ending) -> str:
        """Return the missing resource that ended a run early, in words; empty if the run ended for another reason."""
        record = self.ledger.store.get(self.job_id)
        if record is None or record.status != RUNNING or ending.error is None:
            return ""
        if ending.shortage:
            self.resources.short(OSError(errno.EAGAIN, ending.shortage))
            return ending.shortage
        if ending.status != FAILED:
            return ""
        lack = await self.resources.behind(ending.error.kind, record)
        if ending.error.kind == "disk_full":
            self.resources.filled_disk(self.job_id)
        return lack.note if lack else ""

    async def _requeue(self, record: JobRecord, **values: Any) -> None:
        """Return a running job to the queue; the caller has its lock."""
        self.waiting.add(await self.ledger.save(record.moved(QUEUED, self.ledger.clock.text(), **values)))

    async def _give_up(self) -> None:
        """End a job that can't continue because of an internal error."""
        record = self.ledger.store.get(self.job_id)
        if record is None or record.final:
            return
        await self._begin()
        message = "The service stopped following the job because of an unexpected error; its log has it."
        await self._finish(Ending(FAILED, JobError(message, "", "pipeline")))

    def _record(self) -> JobRecord:
        record = self.ledger.store.get(self.job_id)
        if record is None:
            raise FileNotFoundError(self.job_id)
        return record


def states(folder: Path) -> Iterator[Live]:
    """Yield the state of the latest run in a job folder again and again; unreadable events change nothing."""
    events, live = NewEvents(folder / layout.EVENTS), Live()
    while True:
        live = reduce(progress_after, events.read(), live)
        yield live


def note_cancel(folder: Path) -> None:
    """Note on disk that a running job is being canceled, so that no restart forgets it."""
    try:
        write_json(folder / CANCEL_FILE, {})
    except OSError as error:  # folder deleted or disk full: memory has to do
        _LOG.warning("%s: the cancelation could not be written: %s", folder.name, error.strerror)


def end_strays(store: Store) -> None:
    """End runs whose jobs were deleted by hand while no service ran; blocks."""
    for folder, members in processes.strays(store.jobs_dir, {record.job_id for record in store.active()}).items():
        if not (folder / RECORD).exists():
            _LOG.warning("%s: its folder was deleted, its run is ended", folder.name)
            processes.send(members, signal.SIGKILL)
            store.remove_remains(folder.name)
