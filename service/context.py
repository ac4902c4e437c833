"""What handlers need: the service's parts, and the job or example that a request means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
from starlette.requests import Request

from service import query
from service.bodies import waiting_headers
from service.dry_run import DryRuns
from service.errors import ExampleNotFound, JobNotFound, JobStateConflict, ResultsNotReady
from service.examples import Example
from service.exposure import CONTEXTS
from service.job_tables import TableCache
from service.jobs import JobRecord
from service.lifecycle import Parts
from service.metrics import Metrics
from service.schemas import Limits
from service.scrub import Scrubber

T = TypeVar("T")


class ExampleUnavailable(Exception):  # noqa: N818 - no error: it is answered with 200
    """A configured example was asked for whose results are not there.

    Parameters
    ----------
    example : Example
        The example.
    """

    def __init__(self, example: Example) -> None:
        super().__init__(example.job_id)
        self.example = example


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that handlers share.

    Parameters
    ----------
    parts : Parts
        Settings, store, queue and index.
    examples : mapping of str to Example
        The configured examples.
    limits : Limits
        Of submissions.
    metrics : Metrics
        Counts of requests.
    scrubber : Scrubber
        For texts that runs have written.
    dry_runs : DryRuns
        Searches beforehand.
    tables : TableCache
        Rows of tables.
    """

    parts: Parts
    examples: Mapping[str, Example]
    limits: Limits
    metrics: Metrics
    scrubber: Scrubber
    dry_runs: DryRuns
    tables: TableCache = field(default_factory=TableCache)


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


def context_of(request: Request) -> Context:
    """Return what handlers share."""
    context: Context = request.app.state.context
    return context


def job_of(request: Request, *, ready: bool = False) -> Job:
    """Return the job or example that the path names.

    Parameters
    ----------
    request : Request
        Has `job_id` among its path parameters.
    ready : bool
        Whether the job must have ended.

    Raises
    ------
    JobNotFound, ExampleNotFound
        If there is none.
    ExampleUnavailable
        If it is a configured example without results.
    ResultsNotReady
        If it is queued or running and `ready` is asked for.
    """
    context = context_of(request)
    job_id = str(request.path_params["job_id"])
    store = context.parts.store
    as_example = request.scope["path"].startswith("/api/examples/")
    if as_example and job_id not in context.examples:
        raise ExampleNotFound("No example has this id.", details={"job_id": job_id[:64]})
    record = store.get(job_id)
    if record is None or (as_example and not store.is_example(job_id)):
        if job_id in context.examples:
            raise ExampleUnavailable(context.examples[job_id])
        raise JobNotFound("No job has this id.", details={"job_id": job_id[:64]})
    if ready and not record.final:
        raise ResultsNotReady(
            f"The job is {record.status}: ask again when it has ended.",
            details={"job_id": job_id, "status": record.status},
            headers=waiting_headers(record),
        )
    return Job(record, store.folder(job_id), f"/api/{'examples' if as_example else 'jobs'}/{job_id}")


def changeable_job(request: Request) -> JobRecord:
    """Return the job that a request wants to change.

    Raises
    ------
    JobNotFound
        If there is none.
    JobStateConflict
        If it is an example.
    """
    context = context_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id in context.examples or context.parts.store.is_example(job_id):
        raise JobStateConflict("Examples can't be changed.", details={"job_id": job_id, "status": "completed"})
    record = context.parts.store.get(job_id)
    if record is None:
        raise JobNotFound("No job has this id.", details={"job_id": job_id[:64]})
    return record


def sasa_context(request: Request) -> str:
    """Return the context of exposure that a request asks for."""
    return query.choice(request, "context", CONTEXTS, CONTEXTS[0]) or CONTEXTS[0]


def resid(request: Request) -> str | None:
    """Return the residue that a request asks for, by either name."""
    return query.text(request, "resid", "residue_id")


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Run what reads the disk in a thread."""
    return await anyio.to_thread.run_sync(function, *arguments)
