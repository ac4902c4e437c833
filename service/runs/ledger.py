"""Every change of a job's state: on disk first, then in memory, in the index and to subscribers."""

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

from service.index.database import Index, IndexedJob
from service.jobs.clock import Clock
from service.jobs.outcome import result_rows
from service.jobs.progress import Live
from service.jobs.record import RUNNING, JobRecord, ResultRow
from service.jobs.store import Store


class Ledger:
    """The records of all jobs, changed in one order.

    Parameters
    ----------
    store, index : Store, Index
        The truth on disk and its copy for questions.
    clock : Clock
        Time.
    note_end : callable
        Called for each job whose client requested a notification, before the end is recorded; blocks.
    """

    def __init__(self, store: Store, index: Index, clock: Clock, note_end: Callable[[JobRecord], None]) -> None:
        self.store = store
        self.index = index
        self.clock = clock
        self.note_end = note_end
        self.stopping = asyncio.Event()
        self.ended: Counter[tuple[str, str]] = Counter()
        """Jobs finished since the start, by state and by kind of failure."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # unused locks are dropped
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def lock(self, job_id: str) -> asyncio.Lock:
        """Return the lock to acquire from reading a job's state to changing it."""
        return self._locks.setdefault(job_id, asyncio.Lock())

    async def save(self, record: JobRecord, rows: Sequence[ResultRow] = ()) -> JobRecord:
        """Write a changed record; its results too when it has ended.

        Raises
        ------
        FileNotFoundError
            If the job's folder is gone.
        """
        if record.final and record.webhook:
            with contextlib.suppress(OSError):  # a full disk ends no job otherwise
                await asyncio.to_thread(self.note_end, record)
        stamp = await asyncio.to_thread(self.store.save, record)
        self.index.put(IndexedJob(record, stamp or 0, tuple(rows)))
        if record.final:
            self.ended[record.status, record.error.kind if record.error else ""] += 1
        self.notify(record.job_id)
        return record

    async def flush(self) -> None:
        """Write the records that failed on a full disk, each with its job locked."""
        for record in list(self.store.unwritten.values()):
            async with self.lock(record.job_id):
                stamp = await asyncio.to_thread(self.store.flush, record)
                if stamp is not None:
                    _, rows = await asyncio.to_thread(result_rows, self.store.folder(record.job_id))
                    self.index.put(IndexedJob(record, stamp, rows if record.final else ()))

    def show(self, job_id: str, live: Live) -> None:
        """Update the progress of a run in memory, if it has changed."""
        record = self.store.get(job_id)
        if record is None or record.status != RUNNING:
            return
        if replace(record, **vars(live)) != record:
            self.store.touch(record.changed(self.clock.text(), **vars(live)))
            self.notify(job_id)

    async def delete(self, job_id: str, *, by_hand: bool = False) -> None:
        """Remove a job with all its files; only the remains of its run if its folder was deleted by hand."""
        await asyncio.to_thread(self.store.remove_remains if by_hand else self.store.delete, job_id)
        self.index.remove(job_id)
        self.notify(job_id)

    def notify(self, job_id: str) -> None:
        """Wake the subscribers of a job."""
        for event in self._watchers.get(job_id, ()):
            event.set()

    def begin_stopping(self) -> None:
        """End all watching."""
        self.stopping.set()
        for job_id in self._watchers:
            self.notify(job_id)

    async def watch(self, job_id: str) -> AsyncGenerator[JobRecord]:
        """Yield a job's record now and after every change, to its end or the service's."""
        event = asyncio.Event()
        self._watchers[job_id].add(event)
        try:
            version = -1
            while (record := self.store.get(job_id)) is not None:
                event.clear()
                if record.version != version:
                    version = record.version
                    yield record
                elif record.final or self.stopping.is_set():
                    return
                else:
                    await event.wait()
        finally:
            self._watchers[job_id].discard(event)
            if not self._watchers[job_id]:
                del self._watchers[job_id]
