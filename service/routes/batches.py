"""Batches: jobs that run one after another."""

from typing import Any, Self

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import BatchNotFound, JobStateConflict
from service.http.answer import Answer, Count, Number, Success, Time, Url
from service.http.endpoint import Routes
from service.http.job_answers import job_urls, waiting_headers
from service.http.json_body import read_json
from service.http.parameters import IDEMPOTENCY_KEY
from service.http.responses import json_answer, tagged
from service.http.result_answers import ResultsAnswer
from service.jobs.record import CANCELED, COMPLETED, FAILED, FINAL, QUEUED, RUNNING, BatchItem, BatchRecord, State
from service.jobs.submission import parse_batch
from service.results.overview import results_answer
from service.routes.shared import (
    idempotency,
    in_thread,
    may_see,
    owner_of,
    require_allowed,
    require_owner,
    shared_of,
)


class BatchJob(Answer):
    """A job of a batch."""

    target_name: str
    search_query: str
    job_id: str
    status_url: Url
    monitor_url: Url
    results_url: Url
    browser_results_url: Url

    @classmethod
    def of(cls, item: BatchItem, **more: Any) -> Self:
        """Return a job from the record of a batch, with its addresses and `more` fields."""
        urls = job_urls(item.job_id)
        return cls(target_name=item.target_name, search_query=item.search_query, job_id=item.job_id, **urls, **more)


class BatchSubmittedAnswer(Success):
    """Accepted batch."""

    batch_id: str
    count: Count
    jobs: list[BatchJob]
    batch_status_url: Url
    batch_results_url: Url


class BatchMember(BatchJob):
    """Job of a batch with its state."""

    status: State
    has_results: bool


class BatchAnswer(Success):
    """State of a batch: final if all its jobs are."""

    batch_id: str
    status: State
    created_at: Time
    updated_at: Time
    count: Count
    delay_seconds: Number
    counts: dict[str, Count]
    jobs: list[BatchMember]


class BatchResult(Answer):
    """Results of a job of a batch; null before its end."""

    job_id: str
    target_name: str
    status: State
    has_results: bool
    results: ResultsAnswer | None


class BatchResultsAnswer(Success):
    """Results of the finished jobs of a batch."""

    batch_id: str
    count: Count
    jobs: list[BatchResult]


ROUTES = Routes("Batches")


@ROUTES.post(
    "/api/batches",
    {202: BatchSubmittedAnswer},
    (IDEMPOTENCY_KEY,),
    errors=("FORBIDDEN", "IDEMPOTENCY_CONFLICT"),
    body="NewBatch",
)
async def submit_batch(request: Request) -> Response:
    """Submit jobs that run one after another."""
    shared = shared_of(request)
    body = await read_json(request)
    jobs, pause = await in_thread(parse_batch, body, shared.parts.settings)
    await require_allowed(request, *jobs, batch=True)
    key = await in_thread(idempotency, request, "/api/batches", body)
    batch = await shared.parts.queue.submit_batch(jobs, pause, owner=owner_of(request), idempotency=key)
    base, items = address(f"/api/batches/{batch.batch_id}"), [BatchJob.of(item) for item in batch.items]
    answer = BatchSubmittedAnswer(
        batch_id=batch.batch_id,
        count=len(items),
        jobs=items,
        batch_status_url=base,
        batch_results_url=f"{base}/results",
    )
    return json_answer(answer, 202, {"Location": base, **waiting_headers(QUEUED)})


def _batch_of(request: Request) -> BatchRecord:
    batch_id = str(request.path_params["batch_id"])
    batch = shared_of(request).parts.store.batch(batch_id)
    if batch is None or not may_see(request, batch.owner):
        raise BatchNotFound(f"There is no batch {batch_id[:64]}.", batch_id=batch_id[:64])
    return batch


def _state(request: Request, batch: BatchRecord) -> BatchAnswer:
    """Return the state of a batch from those of its jobs."""
    jobs = shared_of(request).parts.store.batch_jobs(batch)
    states = [status for _, _, status in jobs]
    if not all(status in FINAL for status in states):
        status = QUEUED if all(status == QUEUED for status in states) else RUNNING
    elif COMPLETED in states:
        status = COMPLETED
    else:
        status = CANCELED if all(status == CANCELED for status in states) else FAILED
    return BatchAnswer(
        batch_id=batch.batch_id,
        status=status,
        created_at=batch.created_at,
        updated_at=max([batch.created_at, *(record.modified_at for _, record, _ in jobs if record is not None)]),
        count=len(jobs),
        delay_seconds=batch.delay_seconds,
        counts={status: states.count(status) for status in sorted(set(states))},
        jobs=[
            BatchMember.of(item, status=status, has_results=record is not None and record.has_results)
            for item, record, status in jobs
        ],
    )


@ROUTES.get("/api/batches/{batch_id}", BatchAnswer)
async def get_batch(request: Request) -> Response:
    """State of a batch."""
    answer = _state(request, _batch_of(request))
    return tagged(request, answer, waiting_headers(answer.status))


@ROUTES.get("/api/batches/{batch_id}/results", BatchResultsAnswer, listing=True)
async def get_batch_results(request: Request) -> Response:
    """Results of the jobs that have ended."""
    shared = shared_of(request)
    batch = _batch_of(request)
    jobs = []
    for item, record, status in shared.parts.store.batch_jobs(batch):
        results = None
        if record is not None and record.final:
            results = await in_thread(results_answer, shared.job(record))
        jobs.append(
            BatchResult(
                job_id=item.job_id,
                target_name=item.target_name,
                status=status,
                has_results=record is not None and record.has_results,
                results=results,
            )
        )
    answer = BatchResultsAnswer(batch_id=batch.batch_id, count=len(jobs), jobs=jobs)
    waiting = any(job.status not in FINAL for job in jobs)
    return tagged(request, answer, waiting_headers(RUNNING if waiting else COMPLETED))


@ROUTES.post("/api/batches/{batch_id}/cancel", {200: BatchAnswer, 202: BatchAnswer})
async def cancel_batch(request: Request) -> Response:
    """Cancel the unfinished jobs of a batch."""
    batch = _batch_of(request)
    for _, record, _ in shared_of(request).parts.store.batch_jobs(batch):
        if record is not None:
            require_owner(request, record.owner, "job", job_id=record.job_id)
    before = _state(request, batch).status
    if before in FINAL and before != CANCELED:
        raise JobStateConflict("The batch has ended.", status=before)
    batch = await shared_of(request).parts.queue.cancel_batch(batch.batch_id)
    return json_answer(_state(request, batch), 200 if before == CANCELED else 202)
