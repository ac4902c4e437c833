"""State of a job, from the service."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

DEAD = frozenset({"failed", "canceled"})
UNAVAILABLE = "unavailable"
FINAL = DEAD | {"completed", UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class Job:
    """The state of a job.

    Parameters
    ----------
    job_id, status, target_name : str
        Id; queued, running, completed, failed, canceled, or unavailable for an example that is not installed; target.
    step : str or None
        The step of the pipeline that runs.
    percent : int or None
        Progress; None if unknown.
    entries_found, entries_done : int or None, int
        Entries of the search, and those that are done.
    has_results : bool
        Whether at least one ligand was kept.
    error : str or None
        Reason of a failure or unavailability.
    body : mapping
        The complete response of the service.
    """

    job_id: str
    status: str
    target_name: str
    step: str | None
    percent: int | None
    entries_found: int | None
    entries_done: int
    has_results: bool
    error: str | None
    body: Mapping[str, Any]

    @property
    def final(self) -> bool:
        """Whether it has ended."""
        return self.status in FINAL

    @property
    def dead(self) -> bool:
        """Whether it failed or was canceled."""
        return self.status in DEAD

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Return the state in a response body of the service; missing fields have not begun."""
        progress = body.get("progress") or {}
        entries = progress.get("entries") or {}
        error = body.get("error")
        return cls(
            job_id=str(body["job_id"]),
            status=str(body["status"]),
            target_name=str(body.get("target_name", body.get("protein", ""))),
            step=body.get("current_step"),
            percent=progress.get("percent"),
            entries_found=entries.get("found"),
            entries_done=int(entries.get("done") or 0),
            has_results=bool(body.get("has_results")),
            error=str(error["message"]) if error else body.get("status_reason") or None,
            body=body,
        )
