"""A job whose results are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.jobs.record import JobRecord


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a request means.

    Parameters
    ----------
    record : JobRecord
        What is known of it.
    folder : Path
        Where its files are.
    base : str
        Its address: below ``/api/jobs`` or ``/api/examples``, as it was asked for.
    """

    record: JobRecord
    folder: Path
    base: str
