"""A job whose results a request reads."""

from dataclasses import dataclass
from pathlib import Path

from service.jobs.record import JobRecord


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a request means.

    Parameters
    ----------
    record : JobRecord
        Record of the job.
    folder : Path
        Folder of the job.
    base : str
        Its address: below ``/api/jobs`` or ``/api/examples``, like the request.
    """

    record: JobRecord
    folder: Path
    base: str
