"""Batches: jobs that run one after another."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import BatchNotFound, JobStateConflict
from service.http.batch_answers import BatchAnswer, BatchResult, BatchResultsAnswer, BatchSubmittedAnswer
from service.http.common_parameters import IDEMPOTENCY_KEY
from service.http.endpoint import Routes
from service.http.job_answers import waiting_headers
from service.http.json_body import read_json
from service.http.responses import json_answer, tagged
from service.jobs.record import CANCELED, COMPLETED, FINAL, QUEUED, RUNNING, BatchRecord
from service.jobs.submission import parse_batch
from service.results.overview import results_answer
from service.routes.shared import (
    idempotency,
    in_thread,
    owner_of,
    require_own_uploads,
    require_owner,
    require_public_receivers,
    shared_of,
)


async def submit_batch(request: Request) -> Response:
    """Take all jobs of a batch, or none."""
    shared = shared_of(request)
    body = await read_json(request)
    submission = await in_thread(parse_batch, body, shared.limits)
    require_own_uploads(request, *submission.jobs)
    await require_public_receivers(request, *submission.jobs)
    key = idempotency(request, "/api/batches", body)
    batch = await shared.parts.queue.submit_batch(
        submission.jobs, submission.delay_seconds, owner=owner_of(request), idempotency=key
    )
    answer = BatchSubmittedAnswer.of(batch)
    return json_answer(answer, 202, {"Location": answer.batch_status_url, **waiting_headers(QUEUED)})


def _batch_of(request: Request) -> BatchRecord:
    batch_id = str(request.path_params["batch_id"])
    batch = shared_of(request).parts.store.batch(batch_id)
    if batch is None:
        raise BatchNotFound("No batch has this id.", details={"batch_id": batch_id[:64]})
    return batch


def _state(request: Request, batch: BatchRecord) -> BatchAnswer:
    """Return the state of a batch."""
    return BatchAnswer.of(batch, shared_of(request).parts.store.batch_jobs(batch))


async def get_batch(request: Request) -> Response:
    """Answer the state of a batch and of its jobs."""
    answer = _state(request, _batch_of(request))
    return tagged(request, answer, waiting_headers(answer.status))


async def get_batch_results(request: Request) -> Response:
    """Answer the results of those jobs of a batch that have ended."""
    shared = shared_of(request)
    batch = _batch_of(request)
    jobs = []
    for item, record, status in shared.parts.store.batch_jobs(batch):
        results = None
        if record is not None and record.final:
            folder = shared.parts.store.folder(record.job_id)
            results = await in_thread(
                results_answer, shared.tables, record, folder, address(f"/api/jobs/{record.job_id}")
            )
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


async def cancel_batch(request: Request) -> Response:
    """Cancel those jobs of a batch that have not ended."""
    batch = _batch_of(request)
    for _, record, _ in shared_of(request).parts.store.batch_jobs(batch):
        if record is not None:
            require_owner(request, record.owner, "job", job_id=record.job_id)
    before = _state(request, batch).status
    if before in FINAL and before != CANCELED:
        raise JobStateConflict("The batch has ended.", details={"status": before})
    batch = await shared_of(request).parts.queue.cancel_batch(batch.batch_id)
    return json_answer(_state(request, batch), 200 if before == CANCELED else 202)


_ROUTES = Routes("Batches")

ENDPOINTS = (
    _ROUTES.post(
        "/api/batches",
        submit_batch,
        "Submit jobs that run one after another.",
        {202: BatchSubmittedAnswer},
        (IDEMPOTENCY_KEY,),
        errors=("FORBIDDEN", "IDEMPOTENCY_CONFLICT", "QUEUE_FULL"),
        body="NewBatch",
        changes=True,
    ),
    _ROUTES.get("/api/batches/{batch_id}", get_batch, "State of a batch.", BatchAnswer),
    _ROUTES.get(
        "/api/batches/{batch_id}/results",
        get_batch_results,
        "Results of the jobs that have ended.",
        BatchResultsAnswer,
        listing=True,
    ),
    _ROUTES.post(
        "/api/batches/{batch_id}/cancel",
        cancel_batch,
        "Cancel what has not ended.",
        {200: BatchAnswer, 202: BatchAnswer},
        errors=("JOB_STATE_CONFLICT",),
        changes=True,
    ),
)
