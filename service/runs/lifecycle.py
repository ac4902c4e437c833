"""The parts of the service, put together, and how they begin and end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from service.index.database import Index
from service.jobs.clock import Clock
from service.jobs.store import Store
from service.runs.extra import notices_of
from service.runs.housekeeping import Housekeeping
from service.runs.queue import JobQueue
from service.runs.reconcile import reconcile
from service.runs.runner import Runner
from service.runs.supervisor import end_strays
from service.settings import Settings

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Parts:
    """Parts of the service for the routes.

    Parameters
    ----------
    settings, store, index, queue : Settings, Store, Index, JobQueue
        Parts, described by their names.
    housekeeping : Housekeeping
        Looks after them.
    clock : Clock
        Time.
    ready : asyncio.Event
        Set when all jobs are known; until then only health is available.
    failed : bool
        Whether they could not be read.
    on_failure : callable or None
        Called then, to end the service.
    """

    settings: Settings
    store: Store
    index: Index
    queue: JobQueue
    housekeeping: Housekeeping
    clock: Clock = field(default_factory=Clock)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    failed: bool = False
    on_failure: Callable[[], None] | None = None
    _keeping: asyncio.Task[None] | None = None

    @property
    def stopping(self) -> asyncio.Event:
        """Set when the service begins to stop: streams end then."""
        return self.queue.ledger.stopping

    @property
    def looked_after(self) -> bool:
        """Whether the periodic tasks are still running, if they were started."""
        return self._keeping is None or not self._keeping.done()

    @contextlib.asynccontextmanager
    async def running(self, *, serving: bool = True, at_once: bool = False) -> AsyncIterator[Parts]:
        """Lock the jobs folder, update the index, resume jobs; at the end stop and leave them.

        Parameters
        ----------
        serving : bool
            Whether jobs are run; operators' commands only want the folder and the index.
        at_once : bool
            Whether to continue while job folders are still being read; `ready` is set when they are.
        """
        async with contextlib.AsyncExitStack() as opened:
            opened.callback(self.store.close)
            await asyncio.to_thread(self.store.open)
            opened.push_async_callback(self.index.close)
            await asyncio.to_thread(self.index.open)
            taking_up = asyncio.create_task(self._take_up(serving=serving), name="take-up")
            taking_up.add_done_callback(self._note_failure)
            opened.push_async_callback(self._end, taking_up)
            if not at_once:
                await taking_up
            yield self

    async def _take_up(self, *, serving: bool) -> None:
        """Update the index from the job folders, then resume their jobs."""
        outcome = await asyncio.to_thread(reconcile, self.store, self.index, stopped=self.stopping.is_set)
        if self.stopping.is_set():
            return
        for record in outcome.active:
            self.store.remember(record)
            self.store.tidy(record.job_id)
        await asyncio.to_thread(end_strays, self.store)
        _LOG.info("%d jobs, %d of them not finished, %d read", outcome.jobs, len(outcome.active), outcome.read)
        self.index.start()
        self.queue.start(outcome.last_sequence, dispatching=serving)
        self._keeping = asyncio.create_task(self.housekeeping.keep()) if serving else None
        self.ready.set()

    def _note_failure(self, taking_up: asyncio.Task[None]) -> None:
        """End the service when the job folders can't be read: it would never be ready."""
        if not taking_up.cancelled() and (error := taking_up.exception()) is not None:
            _LOG.critical("the jobs could not be resumed", exc_info=error)
            self.failed = True
            if self.on_failure is not None:
                self.on_failure()

    async def _end(self, taking_up: asyncio.Task[None]) -> None:
        self.queue.begin_stopping()
        await asyncio.wait({taking_up})  # its error was already logged
        try:
            if self._keeping is not None:
                self._keeping.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._keeping
        finally:
            await self.queue.stop()


def build_parts(settings: Settings, *, clock: Clock | None = None, snakemake: tuple[str, ...] | None = None) -> Parts:
    """Return the parts of a service; nothing is opened or begun yet.

    Parameters
    ----------
    settings : Settings
        Settings of the service.
    clock : Clock or None
        Time; None for the real one.
    snakemake : tuple of str or None
        Command that starts Snakemake; None for the one of this environment.
    """
    clock = clock or Clock()
    store = Store(settings.jobs_dir, settings.examples_dirs)
    index = Index(settings.index_dir)
    queue = JobQueue(store, index, Runner(settings, snakemake), settings, clock, notices_of(store, settings))
    return Parts(settings, store, index, queue, Housekeeping(queue, settings), clock)
