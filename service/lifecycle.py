"""The parts of the service, put together, and how they begin and end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from service.clock import Clock
from service.housekeeping import Housekeeping
from service.index import Index
from service.job_queue import JobQueue
from service.reconcile import reconcile
from service.runner import Runner
from service.settings import Settings
from service.store import Store
from service.supervisor import end_strays

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Parts:
    """What the routes work with.

    Parameters
    ----------
    settings, store, index, queue : Settings, Store, Index, JobQueue
        As their names say.
    housekeeping : Housekeeping
        Looks after them.
    clock : Clock
        Time.
    """

    settings: Settings
    store: Store
    index: Index
    queue: JobQueue
    housekeeping: Housekeeping
    clock: Clock = field(default_factory=Clock)

    @property
    def stopping(self) -> asyncio.Event:
        """Set as soon as the service is told to end: streams end then."""
        return self.queue.stopping

    @contextlib.asynccontextmanager
    async def running(self, *, serving: bool = True) -> AsyncIterator[Parts]:
        """Take the jobs folder, bring the index in line, take up jobs; at the end stop and leave them.

        Parameters
        ----------
        serving : bool
            Whether jobs are run; operators' commands only want the folder and the index.
        """
        await asyncio.to_thread(self.store.open)
        try:
            await asyncio.to_thread(self.index.open)
            try:
                found = await asyncio.to_thread(reconcile, self.store, self.index)
                for record in found.active:
                    self.store.remember(record)
                    self.store.tidy(record.job_id)
                await asyncio.to_thread(end_strays, self.store)
                _LOG.info("%d jobs, %d of them not finished, %d read", found.jobs, len(found.active), found.read)
                self.index.start()
                async with self._serving(found.last_sequence, serving=serving):
                    yield self
            finally:
                await self.index.close()
        finally:
            self.store.close()

    @contextlib.asynccontextmanager
    async def _serving(self, last_sequence: int, *, serving: bool) -> AsyncIterator[None]:
        self.queue.start(last_sequence, dispatching=serving)
        keeping = asyncio.create_task(self.housekeeping.keep()) if serving else None
        try:
            yield
        finally:
            try:
                if keeping is not None:
                    keeping.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await keeping
            finally:
                await self.queue.stop()


def build_parts(settings: Settings, *, clock: Clock | None = None, snakemake: tuple[str, ...] | None = None) -> Parts:
    """Return the parts of a service; nothing is opened or begun yet.

    Parameters
    ----------
    settings : Settings
        How it runs.
    clock : Clock or None
        Time; None for the real one.
    snakemake : tuple of str or None
        How Snakemake is started; None for the one of this environment.
    """
    clock = clock or Clock()
    store = Store(settings.jobs_dir, settings.examples_dirs)
    index = Index(settings.index_dir)
    queue = JobQueue(store, index, Runner(settings, snakemake), settings, clock)
    housekeeping = Housekeeping(store, index, queue, settings, clock)
    return Parts(settings, store, index, queue, housekeeping, clock)
