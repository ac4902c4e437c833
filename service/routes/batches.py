"""Batches: jobs that run one after another."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.bodies import RETRY_SECONDS, batch_job, batch_status, batch_submitted
from service.context import context_of, in_thread
from service.endpoint import Endpoint
from service.errors import BatchNotFound, JobStateConflict
from service.jobs import CANCELED, FINAL, BatchRecord
from service.json_body import read_json
from service.responses import json_answer, tagged
from service.results import results_body
from service.routes.jobs import idempotency
from service.routes.parameters import IDEMPOTENCY_KEY
from service.schemas import parse_batch

_RETRY = {"Retry-After": str(RETRY_SECONDS)}


async def submit_batch(request: Request) -> Response:
    """Take all jobs of a batch, or none."""
    context = context_of(request)
    body = await read_json(request)
    submission = parse_batch(body, context.limits)
    key = idempotency(request, "/api/batches", body)
    batch = await context.parts.queue.submit_batch(submission.jobs, submission.delay_seconds, idempotency=key)
    answer = batch_submitted(batch)
    return json_answer(answer, 202, {"Location": answer["batch_status_url"], **_RETRY})


def _batch_of(request: Request) -> BatchRecord:
    batch_id = str(request.path_params["batch_id"])
    batch = context_of(request).parts.store.batch(batch_id)
    if batch is None:
        raise BatchNotFound("No batch has this id.", details={"batch_id": batch_id[:64]})
    return batch


def _body(request: Request, batch: BatchRecord) -> dict[str, Any]:
    """Return the state of a batch."""
    jobs = context_of(request).parts.store.batch_jobs(batch)
    statuses = [str(status) for _, _, status in jobs]
    times = [record.modified_at for _, record, _ in jobs if record is not None]
    return {
        "ok": True,
        "batch_id": batch.batch_id,
        "status": batch_status(statuses),
        "created_at": batch.created_at,
        "updated_at": max([batch.created_at, *times]),
        "count": len(jobs),
        "delay_seconds": batch.delay_seconds,
        "counts": {status: statuses.count(status) for status in sorted(set(statuses))},
        "jobs": [
            {**batch_job(item), "status": status, "has_results": record is not None and record.has_results}
            for item, record, status in jobs
        ],
    }


async def batch_state(request: Request) -> Response:
    """Answer the state of a batch and of its jobs."""
    body = _body(request, _batch_of(request))
    return tagged(request, body, {} if body["status"] in FINAL else _RETRY)


async def batch_results(request: Request) -> Response:
    """Answer the results of those jobs of a batch that have ended."""
    context = context_of(request)
    batch = _batch_of(request)
    jobs = []
    for item, record, status in context.parts.store.batch_jobs(batch):
        results = None
        if record is not None and record.final:
            folder = context.parts.store.folder(record.job_id)
            base = f"/api/jobs/{record.job_id}"
            results = await in_thread(results_body, context.tables, record, folder, base)
        jobs.append(
            {
                "job_id": item.job_id,
                "target_name": item.target_name,
                "status": status,
                "has_results": record is not None and record.has_results,
                "results": results,
            }
        )
    answer = {"ok": True, "batch_id": batch.batch_id, "count": len(jobs), "jobs": jobs}
    waiting = any(job["status"] not in FINAL for job in jobs)
    return tagged(request, answer, _RETRY if waiting else {})


async def cancel_batch(request: Request) -> Response:
    """Cancel those jobs of a batch that have not ended."""
    batch = _batch_of(request)
    before = str(_body(request, batch)["status"])
    if before in FINAL and before != CANCELED:
        raise JobStateConflict("The batch has ended.", details={"status": before})
    batch = await context_of(request).parts.queue.cancel_batch(batch.batch_id)
    return json_answer(_body(request, batch), 200 if before == CANCELED else 202)


ERRORS = ("BATCH_NOT_FOUND",)

ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/batches",
        submit_batch,
        "Batches",
        "Submit jobs that run one after another.",
        (IDEMPOTENCY_KEY,),
        body="BatchRequest",
        answers={202: "BatchSubmitted"},
        errors=(
            "INVALID_JSON",
            "UNSUPPORTED_MEDIA_TYPE",
            "MISSING_FIELD",
            "INVALID_FIELD",
            "IDEMPOTENCY_CONFLICT",
            "PAYLOAD_TOO_LARGE",
            "QUEUE_FULL",
        ),
        changes=True,
    ),
    Endpoint(
        "GET",
        "/api/batches/{batch_id}",
        batch_state,
        "Batches",
        "State of a batch.",
        answers={200: "Batch"},
        errors=ERRORS,
    ),
    Endpoint(
        "GET",
        "/api/batches/{batch_id}/results",
        batch_results,
        "Batches",
        "Results of the jobs that have ended.",
        answers={200: "BatchResults"},
        errors=ERRORS,
    ),
    Endpoint(
        "POST",
        "/api/batches/{batch_id}/cancel",
        cancel_batch,
        "Batches",
        "Cancel what has not ended.",
        answers={200: "Batch", 202: "Batch"},
        errors=(*ERRORS, "JOB_STATE_CONFLICT"),
        changes=True,
    ),
)
