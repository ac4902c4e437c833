"""Which jobs clients read at this moment: these are not removed for their age or size."""

from __future__ import annotations

from collections import Counter


class Readers:
    """Counts the requests that read each job, to the last byte of their answers."""

    def __init__(self) -> None:
        self._jobs: Counter[str] = Counter()

    def hold(self, job_id: str) -> None:
        """Note that a client reads a job."""
        self._jobs[job_id] += 1

    def release(self, job_id: str) -> None:
        """Note that a client has ended reading a job."""
        self._jobs[job_id] -= 1
        if self._jobs[job_id] <= 0:
            del self._jobs[job_id]

    def __contains__(self, job_id: str) -> bool:
        """Return whether a client reads a job now."""
        return job_id in self._jobs
