"""Follows one job from its launch, or from its state after a restart, until all its processes are dead."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from service.jobs.durable import is_shortage, write_json
from service.jobs.outcome import is_complete, read_outcome
from service.jobs.record import COMPLETED, FAILED, QUEUED, RECORD, RUNNING, SERVICE_FOLDER, JobError, JobRecord
from service.jobs.resources import SHORTAGE_SECONDS, Resources
from service.jobs.store import Store
from service.runs import processes
from service.runs.ending import Ending, judge
from service.runs.follow import Follower, Live
from service.runs.ledger import Ledger
from service.runs.runner import Intent, LaunchError, Run, Runner, read_state
from service.runs.waiting import WaitingList

CANCEL_FILE = f"{SERVICE_FOLDER}/cancel.json"
"""Written before a client is informed that its running job is being canceled."""

FOLLOW_SECONDS = 0.5
SHUTDOWN_SECONDS = 2.5
"""Time in seconds that runs may take to end when the service itself stops."""

_LOG = logging.getLogger(__name__)


class Paused(Exception):  # noqa: N818 - no error: the run was stopped with the service and goes on with it
    """The run was stopped because the service stops; the job is still running and will be resumed."""


class NotWanted(Exception):  # noqa: N818 - no error: the job was canceled in time
    """The job was canceled before its process began."""


class Supervisor:
    """One running job.

    Parameters
    ----------
    folder : Path
        The job folder.
    runner : Runner
        Starts and stops its processes.
    timeout_s : float or None
        Wall time after which it is stopped.
    live : callable
        Called on every change of the job's progress.
    """

    def __init__(self, folder: Path, runner: Runner, *, timeout_s: float | None, live: Callable[[Live], None]) -> None:
        self._folder = folder
        self._runner = runner
        self._timeout_s = timeout_s
        self._live = live
        self._run: Run | None = None
        self._wanted: Intent = ""
        self._stopping: asyncio.Task[None] | None = None
        self._followed = False

    @property
    def launched(self) -> bool:
        """Whether its first process has been started."""
        return self._followed

    async def launch(self, prepared: Callable[[], Awaitable[None]]) -> Ending:
        """Start the run and follow it to its end.

        Parameters
        ----------
        prepared : callable
            Awaited when the run is recorded on disk and before its process begins.

        Raises
        ------
        Paused
            If the service ends first.
        FileNotFoundError
            If the job's folder is gone.
        """
        await self._runner.unlock(self._folder)
        if not self._wanted and (self._folder / CANCEL_FILE).exists():
            self._wanted = "cancel"
        if self._wanted:
            return self._judged(None, self._wanted)
        try:
            run = await self._runner.start(self._folder, prepared)
        except LaunchError as error:
            return Ending(FAILED, JobError(str(error), "", "pipeline"))
        return await self._follow(run)

    async def recover(self) -> Ending:
        """Find the remains of a run after a crash of the service: follow it, or end its processes and decide its state.

        Raises
        ------
        Paused
            If the run was stopped with the service, now or then.
        """
        state = read_state(self._folder)
        intent: Intent = "cancel" if (self._folder / CANCEL_FILE).exists() else state.intent if state else ""
        run = await asyncio.to_thread(self._runner.find, self._folder)
        if run is not None and not intent:
            _LOG.info("%s: its run is alive and watched on", self._folder.name)
            return await self._follow(run)
        if state is not None:
            await self._runner.end_processes(self._folder, state)
        return self._judged(None, self._wanted or intent)

    def stop(self, intent: Intent) -> None:
        """Begin to stop the run, now or at its start, unless it has finished; the first reason is kept."""
        self._wanted = self._wanted or intent
        if self._run is not None and self._stopping is None:
            seconds = SHUTDOWN_SECONDS if self._wanted == "shutdown" else None
            self._stopping = asyncio.create_task(self._runner.stop(self._run, self._wanted, seconds=seconds))

    async def _follow(self, run: Run) -> Ending:
        self._run, self._followed = run, True
        if self._wanted:
            self.stop(self._wanted)
        following = asyncio.create_task(self._tell())
        try:
            status = await self._wait(run)
            self._run = None  # from here on there is nothing to stop
            if self._stopping is not None:
                await self._stopping
            # Scripts outlive a Snakemake that was killed: nothing of a run may live when it is judged.
            await self._runner.end_processes(self._folder, run.state)
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following
        self._tell_once(Follower(self._folder))
        return self._judged(status, run.intent or self._wanted)

    async def _wait(self, run: Run) -> int | None:
        """Wait for the end of the run; stop it after its time limit."""
        waiting = asyncio.create_task(run.wait())
        if self._timeout_s is not None:
            left = self._timeout_s - await asyncio.to_thread(run.age_seconds)
            done, _ = await asyncio.wait({waiting}, timeout=max(0.0, left))
            if not done:
                self.stop("timeout")
        return await waiting

    async def _tell(self) -> None:
        follower = Follower(self._folder)
        while True:
            self._tell_once(follower)
            await asyncio.sleep(FOLLOW_SECONDS)

    def _tell_once(self, follower: Follower) -> None:
        self._live(follower.read())

    def _judged(self, status: int | None, intent: Intent) -> Ending:
        if not self._folder.exists():
            raise FileNotFoundError(self._folder.name)
        if intent == "shutdown" and not is_complete(self._folder):
            raise Paused
        return judge(self._folder, status, intent, timeout_s=self._timeout_s)


def launch_failure(error: OSError, folder: Path) -> Ending:
    """Return how a job ends whose run could not even be noted on disk.

    Raises
    ------
    OSError
        If the job's folder is gone.
    """
    if not folder.exists():
        raise error
    return Ending(FAILED, JobError(f"The run could not be started: {error.strerror}.", "", "pipeline"))


def note_cancel(folder: Path) -> None:
    """Note on disk that a running job is being canceled, so that no restart forgets it."""
    try:
        write_json(folder / CANCEL_FILE, {})
    except OSError as error:  # folder deleted or disk full: memory has to do
        _LOG.warning("%s: the cancelation could not be written: %s", folder.name, error.strerror)


def end_strays(store: Store) -> None:
    """End runs whose jobs were deleted by hand while no service ran; blocks."""
    active_ids = {record.job_id for record in store.active()}
    for folder, members in processes.strays(store.jobs_dir, active_ids).items():
        if not (folder / RECORD).exists():
            _LOG.warning("%s: its folder was deleted, its run is ended", folder.name)
            processes.send(members, signal.SIGKILL)
            store.remove_remains(folder.name)


class Course:
    """Brings jobs from their launch to their recorded end.

    Parameters
    ----------
    ledger : Ledger
        Records their states.
    waiting : WaitingList
        Queue for jobs to run again.
    resources : Resources
        Required resources of a launch.
    """

    def __init__(self, ledger: Ledger, waiting: WaitingList, resources: Resources) -> None:
        self._ledger = ledger
        self._store = ledger.store
        self._clock = ledger.clock
        self._waiting = waiting
        self._resources = resources

    async def run(self, job_id: str, supervisor: Supervisor, *, recovering: bool) -> None:
        """Run one job to the end of this run, with any outcome."""
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
        """Follow a run to its end; False if the machine lacked resources for it, so that it is tried again."""
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
            except Paused:  # stopped with the previous service: continue, unless this one stops too
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
        """Return a job to the queue that lacked a resource at its launch: this does not count as an attempt."""
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
                _LOG.warning("%s: waiting to continue: %s", job_id, lack)
                await self._requeue(record, attempt=record.attempt)
                return
            disk_full = ending.error is not None and ending.error.kind == "disk_full"
            if (ending.status is None or disk_full) and record.runs_again:
                _LOG.warning("%s: %s, queued again", job_id, "disk full" if disk_full else "interrupted")
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
        """Return the missing resource that ended a run early, in words; empty if the run ended for another reason."""
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
        """Return a running job to the queue; the caller has its lock."""
        self._waiting.add(await self._ledger.save(record.moved(QUEUED, self._clock.text(), **values)))

    async def _give_up(self, job_id: str) -> None:
        """End a job that can't continue because of an internal error."""
        record = self._store.get(job_id)
        if record is None or record.final:
            return
        await self._begin(job_id)
        message = "The service stopped following the job because of an unexpected error; its log has it."
        await self._finish(job_id, Ending(FAILED, JobError(message, "", "pipeline")))
