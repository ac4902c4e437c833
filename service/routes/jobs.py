"""Submitting, watching, canceling and deleting jobs."""

import contextlib

import anyio
from starlette.requests import Request
from starlette.responses import Response

from service.errors import RateLimited
from service.http.endpoint import Routes
from service.http.job_answers import (
    DeletedAnswer,
    DryRunAnswer,
    Failure,
    JobAnswer,
    JobLogAnswer,
    JobRequestAnswer,
    JobSummaryAnswer,
    ReproductionAnswer,
    SubmittedAnswer,
    waiting_headers,
)
from service.http.json_body import read_json
from service.http.parameters import DRY_RUN, IDEMPOTENCY_KEY, Choice, Whole
from service.http.responses import json_answer, tagged
from service.jobs.record import JobRecord
from service.jobs.submission import parse_submission
from service.results.events import log_lines
from service.results.job import Job
from service.results.reproduce import reproduction
from service.routes.shared import (
    Shared,
    changeable_job,
    idempotency,
    in_thread,
    job_of,
    owner_of,
    require_allowed,
    shared_of,
    state_of,
)
from service.runs.dry_run import dry_run
from tethermap.base import tables

_LOG_PAGE = 10_000


ROUTES = Routes("Jobs")
_SINCE = Whole("since", "Number of lines to skip: `next` of the last response.")
_LINES = Whole("limit", "Maximum number of lines.", minimum=1, maximum=_LOG_PAGE)
_WAIT = Whole(
    "wait", "Seconds to wait for the next change or the end, see until; lowered to 60.", minimum=0, maximum=60
)
_UNTIL = Choice("until", "Event to wait for: the next change or the end of the job.", known=("change", "final"))


@ROUTES.post(
    "/api/jobs",
    {202: SubmittedAnswer, 200: DryRunAnswer},
    (DRY_RUN, IDEMPOTENCY_KEY),
    errors=("UNSUPPORTED_INPUT", "FORBIDDEN", "IDEMPOTENCY_CONFLICT", "UPSTREAM_UNAVAILABLE"),
    body="NewJob",
)
async def submit_job(request: Request) -> Response:
    """Submit a job; with dry_run=true only return its preview."""
    shared = shared_of(request)
    body = await read_json(request)
    submission = await in_thread(parse_submission, body, shared.parts.settings)
    await require_allowed(request, submission)
    if DRY_RUN.of(request):
        with shared.parts.queue.room(owner_of(request)):
            return json_answer(await dry_run(shared.scripts, shared.scrubber, submission))
    key = await in_thread(idempotency, request, "/api/jobs", body)
    record = await shared.parts.queue.submit(submission, owner=owner_of(request), idempotency=key)
    answer = SubmittedAnswer.of(record)
    return json_answer(answer, 202, {"Location": answer.status_url, **waiting_headers(record.status)})


@ROUTES.get("/api/jobs/{job_id}", JobAnswer, (_WAIT, _UNTIL))
async def get_job(request: Request) -> Response:
    """State of a job; with wait=20 after its next change, with until=final after its end."""
    job = job_of(request)
    seconds, until = _WAIT.of(request), _UNTIL.of(request)
    if seconds and not job.record.final:
        await _changed(request, job.record, seconds, until)
        job = job_of(request)
    return tagged(request, state_of(shared_of(request), job))


async def _changed(request: Request, record: JobRecord, seconds: int, until: str) -> None:
    """Wait at most `seconds` until a job has changed, or with ``final`` has ended, as one of the open streams."""
    shared = shared_of(request)
    if shared.streams.value == 0:
        raise RateLimited("Too many requests are waiting: repeat it without wait.", retry_after=10)
    seen = _seen(record)
    watched = shared.parts.queue.ledger.watch(record.job_id)
    with anyio.move_on_after(seconds):
        async with shared.streams, contextlib.aclosing(watched) as states:
            async for state in states:
                if state.final or (until == "change" and _seen(state) != seen):
                    return


def _seen(record: JobRecord) -> tuple[object, ...]:
    return record.status, record.attempt, record.current_step, record.percent, record.entries


@ROUTES.get("/api/jobs/{job_id}/request", JobRequestAnswer)
async def get_job_request(request: Request) -> Response:
    """The complete request of a job."""
    record = job_of(request).record
    return tagged(request, JobRequestAnswer(job_id=record.job_id, request=record.request))


@ROUTES.post("/api/jobs/{job_id}/cancel", {200: JobAnswer, 202: JobAnswer})
async def cancel_job(request: Request) -> Response:
    """Cancel a job that is queued or running."""
    shared = shared_of(request)
    record, changed = await shared.parts.queue.cancel(changeable_job(request).job_id)
    return _state(shared, record, 202 if changed else 200)


@ROUTES.post("/api/jobs/{job_id}/retry", {202: JobAnswer})
async def retry_job(request: Request) -> Response:
    """Queue a failed or canceled job again; finished steps are reused."""
    shared = shared_of(request)
    return _state(shared, await shared.parts.queue.retry(changeable_job(request).job_id), 202)


def _state(shared: Shared, record: JobRecord, status: int) -> Response:
    """Return the state of a changed job."""
    return json_answer(state_of(shared, shared.job(record)), status, waiting_headers(record.status))


@ROUTES.delete("/api/jobs/{job_id}", DeletedAnswer)
async def delete_job(request: Request) -> Response:
    """Delete a job that has ended."""
    shared = shared_of(request)
    record = changeable_job(request)
    await shared.parts.queue.delete(record.job_id)
    upload = str(record.request.get("structures") or "")
    if upload and upload not in shared.parts.queue.uploads_in_use():
        await in_thread(lambda: shared.uploads.remove_of(record.owner, upload))
    return json_answer(DeletedAnswer(job_id=record.job_id))


@ROUTES.get("/api/job_log/{job_id}", JobLogAnswer, (_SINCE, _LINES), listing=True)
def get_job_log(request: Request, job: Job) -> Response:
    """Lines of a job's log."""
    record, scrubber = job.record, shared_of(request).scrubber
    since, limit = _SINCE.of(request) or 0, _LINES.of(request)
    lines = log_lines(job.folder, final=record.final)
    page = lines[since:] if limit is None else lines[since : since + limit]
    answer = JobLogAnswer(
        job_id=record.job_id,
        status=record.status,
        target=record.target_name,
        current_step=record.current_step,
        results_ready=record.results_ready,
        log=[scrubber.text(line) for line in page],
        next=min(since, len(lines)) + len(page),
        error=Failure.of(record, scrubber),
    )
    return tagged(request, answer)


@ROUTES.get("/api/job_summary/{job_id}", JobSummaryAnswer)
def get_job_summary(request: Request, job: Job) -> Response:
    """Counts of a job's ligands."""
    kept = job.tables.fetch(tables.SASA_SUMMARY, "count(*), count(DISTINCT Warhead)") or [(0, 0)]
    structures = "count(DISTINCT pdb_id) FILTER (sha256 IS NOT NULL)"
    read = job.tables.fetch(tables.ENTRY_STATUS, structures) or [(0,)]
    answer = JobSummaryAnswer(
        job_id=job.record.job_id,
        target=job.record.target_name,
        total_warheads=kept[0][0],
        unique_warheads=kept[0][1],
        structures_downloaded=read[0][0],
    )
    return tagged(request, answer)


@ROUTES.get("/api/jobs/{job_id}/reproduce", ReproductionAnswer, ready=True, kept=True)
def get_reproduction(request: Request, job: Job) -> Response:
    """Data to run the job by hand and to compare."""
    answer = ReproductionAnswer.model_construct(job_id=job.record.job_id, **reproduction(job.tables))
    return tagged(request, answer)
