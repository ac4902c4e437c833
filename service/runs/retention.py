"""Removal of finished jobs: expired ones, then the oldest while their total size is too large."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from service.errors import JobNotFound
from service.index.database import Index
from service.jobs.record import FINAL, utc_text
from service.jobs.store import Store
from service.settings import Settings

_LOG = logging.getLogger(__name__)


def to_remove(
    jobs: Sequence[tuple[str, str, int]], now: datetime, *, keep_days: float | None, max_bytes: int | None
) -> list[str]:
    """Return the ids of the jobs to remove.

    Parameters
    ----------
    jobs : sequence of (id, time, bytes)
        Finished jobs; times in the format of records.
    now : datetime
        The current time.
    keep_days, max_bytes : float or None, int or None
        Age and size together that are kept; None for any.
    """
    ordered = sorted(jobs, key=lambda job: (job[1], job[0]))
    doomed: list[str] = []
    if keep_days is not None:
        limit = utc_text(now - timedelta(days=keep_days))
        doomed = [job_id for job_id, time, _ in ordered if time < limit]
    if max_bytes is not None:
        remaining = ordered[len(doomed) :]
        total = sum(size for _, _, size in remaining)
        for job_id, _, size in remaining:
            if total <= max_bytes:
                break
            doomed.append(job_id)
            total -= size
    return doomed


async def prune(
    store: Store, index: Index, delete: Callable[[str], Awaitable[None]], settings: Settings, now: datetime
) -> list[str]:
    """Remove finished jobs by the service's limits, except those that a client reads; return their ids."""
    if settings.keep_days is None and settings.max_jobs_bytes is None:
        return []
    await index.settled()
    jobs = []
    for job_id, entry in (await index.in_writer(index.known)).items():
        if entry.status in FINAL and not store.is_example(job_id) and (record := store.get(job_id)) is not None:
            jobs.append((job_id, record.finished_at or record.created_at, record.size_bytes))
    removed = []
    for job_id in to_remove(jobs, now, keep_days=settings.keep_days, max_bytes=settings.max_jobs_bytes):
        if store.readers[job_id]:  # a client reads it: the next round will do
            _LOG.info("%s: kept for now, as it is being read", job_id)
            continue
        with contextlib.suppress(JobNotFound):  # deleted by a client meanwhile
            await delete(job_id)
            _LOG.info("%s: removed, as KEEP_DAYS or MAX_JOBS_BYTES say", job_id)
            removed.append(job_id)
    if settings.keep_days is not None:
        limit = utc_text(now - timedelta(days=settings.keep_days))
        for batch_id in await asyncio.to_thread(store.forget_batches, limit):
            _LOG.info("%s: removed, as none of its jobs is left", batch_id)
    return removed
