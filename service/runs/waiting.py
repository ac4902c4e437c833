"""Order of waiting jobs: first come, first served, batches one by one with a pause."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from service.jobs.clock import Clock
from service.jobs.record import BatchRecord, JobRecord


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Jobs that wait and jobs that run.

    Parameters
    ----------
    oldest_seconds : float
        Waiting time of the job that came first.
    """

    queued: int
    running: int
    oldest_seconds: float


class WaitingList:
    """Jobs that wait, by their numbers.

    Parameters
    ----------
    clock : Clock
        Measures the pauses.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._records: dict[str, JobRecord] = {}
        self._not_before: dict[str | None, float] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._records, key=lambda job_id: self._records[job_id].sequence))

    def add(self, record: JobRecord) -> None:
        """Add a job in the order of its number: an interrupted one precedes younger ones."""
        self._records.setdefault(record.job_id, record)

    def drop(self, job_id: str) -> None:
        """Take a job out, if it is in."""
        self._records.pop(job_id, None)

    def of(self, owner: str | None) -> int:
        """Return how many jobs of an owner wait."""
        return sum(record.owner == owner for record in self._records.values())

    def position(self, job_id: str) -> int | None:
        """Return the place of a job, from 1."""
        own = self._records.get(job_id)
        return None if own is None else sum(one.sequence <= own.sequence for one in self._records.values())

    def pause(self, batch: BatchRecord) -> None:
        """Keep a batch from its next launch for its delay, from now."""
        if batch.delay_seconds:
            self._not_before[batch.batch_id] = self._clock.monotonic() + batch.delay_seconds

    def next(
        self, running_batches: Collection[str | None], launchable: Callable[[str], bool]
    ) -> tuple[str | None, float | None]:
        """Return the job to launch now, or after how many seconds to ask again.

        Parameters
        ----------
        running_batches : collection of str or None
            Batches of which a job is running.
        launchable : callable
            Whether a job has all resources that it needs; the others wait, and younger ones may overtake them.

        Returns
        -------
        str or None, float or None
            A job; or None and the seconds until a pause is over; None twice when something must end first.
        """
        seen = set(running_batches)
        soonest: float | None = None
        for job_id in self:
            batch_id = self._records[job_id].batch_id
            is_next = batch_id is None or batch_id not in seen
            seen.add(batch_id)
            if is_next and launchable(job_id):
                left = self._not_before.get(batch_id, 0.0) - self._clock.monotonic()
                if left <= 0:
                    self._not_before.pop(batch_id, None)
                    return job_id, None
                soonest = left if soonest is None else min(soonest, left)
        return None, soonest
