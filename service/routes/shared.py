"""Common parts of handlers: the service's parts, and the job or example of a request."""

import asyncio
import contextlib
import hashlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import (
    ExampleNotFound,
    Forbidden,
    InvalidField,
    JobNotFound,
    JobStateConflict,
    NotFound,
    ResultsNotReady,
    Unauthorized,
    UnsupportedMediaType,
    invalid_field,
)
from service.hosts import addresses_of, is_public
from service.http.access import Access
from service.http.endpoint import Endpoint, JobHandler
from service.http.job_answers import Failure, JobAnswer, waiting_headers
from service.http.metrics import Metrics
from service.http.responses import json_bytes
from service.index.query import JobFilters
from service.jobs.record import JobRecord
from service.jobs.submission import Submission, private_receiver, refused_batch, refused_item
from service.jobs.uploads import Upload, UploadStore
from service.results.bundles import public_bundle
from service.results.examples import Example
from service.results.job import Job
from service.results.kept import kept_answer
from service.results.tables import Database
from service.runs.config import unknown_structures
from service.runs.idempotency import Idempotency
from service.runs.lifecycle import Parts
from service.runs.on_demand import Scripts
from service.scrub import Scrubber
from service.settings import BY_OWNER, OPERATOR, Token

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
FORM_FIELDS = 200
_LOOKUP_SECONDS = 2.0
_LOOKUPS = ThreadPoolExecutor(8, thread_name_prefix="resolve")

MAX_STREAMS = 256
"""Simultaneous event streams: each reads the disk twice a second."""


class ExampleUnavailable(Exception):  # noqa: N818 - no error: it is answered with 200
    """A configured example without results was requested.

    Parameters
    ----------
    example : Example
        The example.
    """

    def __init__(self, example: Example) -> None:
        super().__init__(example.job_id)
        self.example = example


@dataclass(frozen=True, slots=True)
class Shared:
    """Everything that handlers share.

    Parameters
    ----------
    parts : Parts
        Settings, store, queue and index.
    access : Access
        Tokens and sessions.
    examples : mapping of str to Example
        The configured examples.
    metrics : Metrics
        Counts of requests.
    scrubber : Scrubber
        For texts that runs have written.
    scripts : Scripts
        Results on demand.
    uploads : UploadStore
        Structures that clients have sent.
    tables : Database
        Result tables of jobs.
    streams : anyio.Semaphore
        Places for event streams.
    """

    parts: Parts
    access: Access
    examples: Mapping[str, Example]
    metrics: Metrics
    scrubber: Scrubber
    scripts: Scripts
    uploads: UploadStore
    tables: Database = field(default_factory=Database)
    streams: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(MAX_STREAMS))

    def job(self, record: JobRecord, among: str = "jobs") -> Job:
        """Return the job of a record, with an address among the jobs or the examples."""
        folder = self.parts.store.folder(record.job_id)
        return Job(record, folder, address(f"/api/{among}/{record.job_id}"), self.tables.of(folder))


def shared_of(request: Request) -> Shared:
    """Return the shared parts of handlers."""
    shared: Shared = request.app.state.shared
    return shared


def job_of(request: Request) -> Job:
    """Return the job or example that the path names; see `job_named`."""
    return job_named(request, str(request.path_params["job_id"]))


def job_named(request: Request, job_id: str) -> Job:
    """Return the job or example of an id, from any part of the request.

    Raises
    ------
    JobNotFound, ExampleNotFound
        If there is none.
    ExampleUnavailable
        If it is a configured example without results.
    ResultsNotReady
        If it is queued or running, and the route is declared to read results.
    """
    shared = shared_of(request)
    store = shared.parts.store
    as_example = request.scope["path"].startswith("/api/examples/")
    if as_example and job_id not in shared.examples:
        raise ExampleNotFound(f"There is no example {job_id[:64]}: /api/examples lists them.", job_id=job_id[:64])
    record = record_of(request, job_id)
    if record is None or (as_example and not store.is_example(job_id)):
        if job_id in shared.examples:
            raise ExampleUnavailable(shared.examples[job_id])
        raise no_such_job(request, job_id)
    if request.scope["state"]["endpoint"].ready and not record.final:
        raise ResultsNotReady(
            f"The job is {record.status}: request the results when it has ended.",
            job_id=job_id,
            status=record.status,
            headers=waiting_headers(record.status),
        )
    store.readers[job_id] += 1  # not removed for its age until the answer is sent
    request.scope["state"].setdefault("held", []).append(job_id)
    request.scope["state"]["waiting"] = waiting_headers(record.status)  # id of the last named job
    return shared.job(record, "examples" if as_example else "jobs")


def release_held(request: Request) -> None:
    """Let go of the jobs that a request has read."""
    if held := request.scope.get("state", {}).get("held", ()):
        shared_of(request).parts.store.readers -= Counter(held)  # drops jobs without readers


def no_such_job(request: Request, job_id: str) -> JobNotFound:
    """Return the error for an id that no job has, or no more where finished jobs are removed after some time."""
    settings = shared_of(request).parts.settings
    there = "" if request.scope["state"]["endpoint"].for_people else ": /api/jobs lists them"
    limits = []
    if settings.keep_days is not None:
        limits.append(f"for {settings.keep_days:g} days")
    if settings.max_jobs_bytes is not None:
        limits.append("while there is room for them")
    kept = f" Finished jobs are kept {' and '.join(limits)} only." if limits else ""
    return JobNotFound(f"There is no job {job_id[:64]}{there}.{kept}", job_id=job_id[:64])


def changeable_job(request: Request) -> JobRecord:
    """Return the job that a request wants to change.

    Raises
    ------
    JobNotFound
        If there is none.
    JobStateConflict
        If it is an example.
    Forbidden
        If it is another's.
    """
    shared = shared_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id in shared.examples or shared.parts.store.is_example(job_id):
        raise JobStateConflict("Examples can't be changed.", job_id=job_id, status="completed")
    record = record_of(request, job_id)
    if record is None:
        raise no_such_job(request, job_id)
    require_owner(request, record.owner, "job", job_id=job_id)
    return record


def owner_of(request: Request) -> str | None:
    """Return the name under which a request submits; None without a token."""
    token: Token | None = request.scope["state"].get("token")
    return None if token is None else token.name


def viewer_of(request: Request) -> str | None:
    """Return the owner whose jobs, batches and uploads a request may see; None if it may see all of them."""
    owner = owner_of(request)
    by_owner = shared_of(request).parts.settings.private == BY_OWNER
    return owner or "" if by_owner and owner != OPERATOR else None


def may_see(request: Request, owner: str | None) -> bool:
    """Return whether a request may see a job, batch or upload of an owner: no other function decides this."""
    return viewer_of(request) in (None, owner)


def record_of(request: Request, job_id: str) -> JobRecord | None:
    """Return the record of a job or example that a request may see; None if there is none."""
    record = shared_of(request).parts.store.get(job_id)
    return record if record and (record.source == "example" or may_see(request, record.owner)) else None


def job_filters(request: Request, **filters: Any) -> JobFilters:
    """Return filters of the index that only jobs match which a request may see."""
    return JobFilters(**filters, viewer=viewer_of(request))


def upload_named(request: Request, upload_id: str) -> Upload:
    """Return an upload that a request may see; raises the errors of `UploadStore.get`."""
    return shared_of(request).uploads.get(upload_id, lambda owner: may_see(request, owner))


def require_owner(request: Request, owner: str | None, kind: str, **ids: Any) -> None:
    """Reject changes to another token's submissions: a job, an upload.

    Raises
    ------
    Forbidden
        If tokens are configured and the request's is neither the owner's nor the operator's.
    """
    if shared_of(request).parts.settings.api_tokens and owner_of(request) not in (OPERATOR, owner):
        raise Forbidden(f"This {kind} belongs to another token: only its owner or the operator may change it.", **ids)


async def require_allowed(request: Request, *submissions: Submission, batch: bool = False) -> None:
    """Refuse jobs with an upload of another owner, or with a webhook outside the public internet.

    Raises
    ------
    Forbidden, InvalidField
        If there are such jobs; in a batch it names each.
    """
    _require_own_uploads(request, submissions, batch=batch)
    await _require_public_receivers(request, submissions, batch=batch)


def _require_own_uploads(request: Request, submissions: Sequence[Submission], *, batch: bool) -> None:
    """Reject jobs with structures of another token, those of a batch by name; the queue reports missing structures.

    Raises
    ------
    Forbidden
        If an upload belongs neither to the request's token nor to a request of the operator.
    InvalidField
        If the request may not even see it.
    """
    refused: dict[int, Forbidden | InvalidField] = {}
    for number, structures in enumerate(submission.structures for submission in submissions):
        try:
            with contextlib.suppress(NotFound):
                owner = shared_of(request).uploads.get(structures or "").owner
                if not may_see(request, owner):
                    raise unknown_structures()
                require_owner(request, owner, "upload", upload_id=structures or "")
        except (Forbidden, InvalidField) as error:
            refused[number] = error
    for first in refused.values():
        if batch:
            first.details["items"] = [refused_item(number, error) for number, error in refused.items()]
        raise first


async def _require_public_receivers(request: Request, submissions: Sequence[Submission], *, batch: bool) -> None:
    """Refuse jobs whose webhook is a name that leads to an address outside the public internet.

    Names that are not found in `_LOOKUP_SECONDS` are accepted: each delivery checks the address that it connects to.

    Raises
    ------
    InvalidField
        If there are such jobs; in a batch it names each.
    """
    hosts = {urlsplit(one.webhook).hostname or "" for one in submissions if one.webhook}
    if not hosts or shared_of(request).parts.settings.webhook_private:
        return
    lookups = {host: asyncio.ensure_future(addresses_of(host, 443, _LOOKUPS)) for host in hosts}
    _, late = await asyncio.wait(lookups.values(), timeout=_LOOKUP_SECONDS)
    for lookup in late:
        lookup.cancel()
    found = {host: [] if one in late or one.exception() else one.result() for host, one in lookups.items()}
    private = {host for host, addresses in found.items() if not all(is_public(address) for address in addresses)}
    refused = [number for number, one in enumerate(submissions)
               if one.webhook and urlsplit(one.webhook).hostname in private]  # fmt: skip
    if refused and batch:
        raise refused_batch([refused_item(number, private_receiver()) for number in refused], len(submissions))
    if refused:
        raise private_receiver()


def from_own_page(request: Request) -> bool:
    """Return whether the request comes from our pages, or from a program; browsers mark requests of other sites."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    # an old browser, or any at a plain http address, sends only the page's origin
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def idempotency(request: Request, route: str, body: Any) -> Idempotency | None:
    """Return the idempotency of a request, if it has a key.

    Raises
    ------
    InvalidField
        If the key is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise invalid_field("Idempotency-Key", "is not 1 to 255 visible ASCII characters")
    return Idempotency(route, key, hashlib.sha256(json_bytes(_canonical(body))).hexdigest(), owner_of(request))


def _canonical(value: Any) -> Any:
    """Return a JSON value in which equal values look the same: keys sorted, ``1.0`` as ``1``."""
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def state_of(shared: Shared, job: Job) -> JobAnswer:
    """Return the state of a job as clients see it."""
    record = job.record
    bundle = public_bundle(job.folder, record.job_id) if record.source == "example" else None
    return JobAnswer.of(
        record,
        shared.parts.queue.position(record.job_id),
        waits_for=shared.parts.queue.waits_for(record.job_id),
        public_bundle=bundle.relative if bundle else None,
        failure=Failure.of(record, shared.scrubber),
        webhook=shared.parts.queue.notices.delivery_of(record, job.folder),
    )


async def form_values(request: Request) -> dict[str, list[str]]:
    """Return the values that are not empty of a form that one of our own pages has sent, by name.

    Raises
    ------
    Unauthorized
        If it comes from another site, which the browser reports, not the form.
    UnsupportedMediaType
        If it is not a form.
    InvalidField
        If it has too many fields.
    """
    if not from_own_page(request):
        raise Unauthorized("The form was sent from another site.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise UnsupportedMediaType("The form is sent as application/x-www-form-urlencoded.")
    body = (await request.body()).decode("utf-8", errors="replace")
    try:
        return parse_qs(body, max_num_fields=FORM_FIELDS)
    except ValueError:
        raise InvalidField(f"The form has more than {FORM_FIELDS} fields.", field="form") from None


in_thread = anyio.to_thread.run_sync
"""Run a function that reads the disk in a thread, optionally from a limiter."""


async def answer_of(request: Request, endpoint: Endpoint) -> Response:
    """Return the answer of an endpoint's handler."""
    if inspect.iscoroutinefunction(endpoint.handler):
        response: Response = await endpoint.handler(request)
        return response
    job = job_of(request)
    read = partial(cast("JobHandler", endpoint.handler), request, job)
    return await (kept_answer(request, job, read) if endpoint.kept and job.record.final else in_thread(read))
