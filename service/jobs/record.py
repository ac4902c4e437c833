"""Records of jobs and batches, and the transitions of a job's state."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, TypeAdapter

State = Literal["queued", "running", "completed", "failed", "canceled"]
ErrorKind = Literal["input", "pipeline", "upstream", "interrupted", "timeout", "disk_full"]

QUEUED: State = "queued"
RUNNING: State = "running"
COMPLETED: State = "completed"
FAILED: State = "failed"
CANCELED: State = "canceled"

STATES: tuple[State, ...] = (QUEUED, RUNNING, COMPLETED, FAILED, CANCELED)
FINAL: frozenset[State] = frozenset({COMPLETED, FAILED, CANCELED})
EDGES: Mapping[State, frozenset[State]] = {
    QUEUED: frozenset({RUNNING, CANCELED}),
    RUNNING: frozenset({COMPLETED, FAILED, CANCELED, QUEUED}),
    FAILED: frozenset({QUEUED}),
    CANCELED: frozenset({QUEUED}),
}
"""Allowed transitions from a state; from a failed or canceled one if a client retries it."""

MAX_ATTEMPTS = 2
"""A job that was interrupted is run once again."""

_NOT_BEGUN: Mapping[str, Any] = {"current_step": None, "planned": 0, "done": 0, "percent": None}
_NOT_ENDED: Mapping[str, Any] = {
    "finished_at": None, "error": None, "results_ready": False, "has_results": False, "result_rows": 0,
    "ligand_count": 0, "size_bytes": 0, "artifacts": {},
}  # fmt: skip

RECORD = "job_record.json"
SERVICE_FOLDER = ".service"
CONFIG = f"{SERVICE_FOLDER}/config.json"
"""The job's configuration as the pipeline gets it: written once, so that a resumed job keeps it."""

ResultRow = tuple[str, str, str, str, str, float | None, float | None, float | None]
"""Entry, chain, ligand code, residue id, components, share exposed, area in the complex and free in Å²."""

JOB_ID = re.compile(r"[A-Za-z0-9]{8}")
BATCH_ID = re.compile(r"batch_[0-9a-f]{8}")


Time = Annotated[str, AfterValidator(lambda text: datetime.fromisoformat(text) and text)]


class IllegalChangeError(Exception):
    """A change of state that no job may make: an error in this program."""


@dataclass(frozen=True, slots=True)
class JobError:
    """Reason of a failed job: one sentence, the rule (empty for none), and the kind of reason."""

    message: str
    step: str
    kind: ErrorKind


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """Entries of a job; `found` is None before the search has ended; ligands are those of long entries under way."""

    found: int | None = None
    done: int = 0
    kept: int = 0
    rejected: int = 0
    ligands: int = 0
    ligands_done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """All data of a job except its results.

    Parameters
    ----------
    sequence : int
        Number of the job; the queue's order, which no clock can change.
    owner : str or None
        Name of the token that has submitted it; None if none was needed.
    webhook : str or None
        Address for the notification of its end; never shown, as it may contain a secret.
    request, notes : dict, tuple of str
        The submission as accepted, and its ignored parts.
    created_at, started_at, finished_at, modified_at : str or None
        UTC, ``2026-05-30T10:00:00Z``; never decreasing, even if the clock is set back.
    attempt, first_attempt : int
        Number of the run, and that of the first run since a client submitted or retried the job.
    current_step, planned, done, percent : str or None, int, int, int or None
        Rule of the pipeline and steps planned so far and done; live, not kept over restarts.
    results_ready, has_results : bool
        Whether the final tables exist, and whether they have at least one row.
    result_rows, ligand_count, size_bytes, artifacts : int, int, int, dict of str to int
        Rows of the results table, distinct ligand codes, bytes of the folder, files by kind; final jobs only.
    version : int
        Grows with every change.
    """

    job_id: Annotated[str, Field(pattern=f"^{JOB_ID.pattern}$")]
    sequence: int
    status: State
    target_name: str
    search_query: str
    created_at: Time
    modified_at: Time
    source: str = "api"
    owner: str | None = None
    webhook: str | None = None
    request: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    batch_id: str | None = None
    fasta_len: int = 0
    started_at: str | None = None
    finished_at: str | None = None
    attempt: int = 1
    first_attempt: int = 1
    current_step: str | None = None
    planned: int = 0
    done: int = 0
    percent: int | None = None
    entries: EntryCounts = EntryCounts()
    error: JobError | None = None
    results_ready: bool = False
    has_results: bool = False
    result_rows: int = 0
    ligand_count: int = 0
    size_bytes: int = 0
    artifacts: dict[str, int] = field(default_factory=dict)
    version: int = 1

    @property
    def final(self) -> bool:
        """Whether the job has ended."""
        return self.status in FINAL

    @property
    def runs_again(self) -> bool:
        """Whether the job is run again if this run is interrupted."""
        return self.attempt - self.first_attempt + 1 < MAX_ATTEMPTS

    def changed(self, time: str, **values: Any) -> Self:
        """Return the record with other values, modified at `time` or, if the clock was set back, not before."""
        return replace(self, modified_at=max(time, self.modified_at), version=self.version + 1, **values)

    def moved(self, status: State, time: str, **values: Any) -> Self:
        """Return the record in another state.

        Raises
        ------
        IllegalChangeError
            If the transition is not allowed.
        """
        if status not in EDGES.get(self.status, frozenset()):
            raise IllegalChangeError(f"{self.job_id}: {self.status} -> {status}")
        time = max(time, self.modified_at)
        if status == RUNNING:
            values.setdefault("started_at", self.started_at or time)
        elif status == QUEUED:
            attempt = self.attempt if self.started_at is None else self.attempt + 1
            values = {"attempt": attempt, **_NOT_BEGUN, **values}
            if self.final:
                values = {**_NOT_ENDED, "first_attempt": attempt, **values}
        elif status in FINAL:
            values.setdefault("finished_at", time)
            values.setdefault("current_step", None)
        return self.changed(time, status=status, **values)


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One job of a batch; `status` is kept when the job's folder is deleted."""

    job_id: str
    target_name: str
    search_query: str
    status: State | None = None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """Jobs that run one after another, with a pause between launches in seconds; `owner` as in `JobRecord`."""

    batch_id: str
    created_at: str
    delay_seconds: float
    items: tuple[BatchItem, ...]
    owner: str | None = None


JOB_RECORDS = TypeAdapter(JobRecord)
"""Reader of stored records, which are written by `dataclasses.asdict`; unknown keys are ignored."""
BATCH_RECORDS = TypeAdapter(BatchRecord)
"""Reader of stored batches."""


def utc_text(moment: datetime) -> str:
    """Return a time as ``2026-05-30T10:00:00Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
