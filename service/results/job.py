"""A job whose results a request reads."""

from dataclasses import dataclass, field
from pathlib import Path

from service.addresses import address
from service.jobs.record import JobRecord
from service.results.tables import JobTables


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
    tables : JobTables
        Result tables of the job.
    """

    record: JobRecord
    folder: Path
    base: str
    tables: JobTables = field(repr=False)

    @property
    def page(self) -> str:
        """Address of its results page."""
        return address(f"/results/{self.record.job_id}")
