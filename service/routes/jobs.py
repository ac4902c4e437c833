"""Submitting, watching, canceling and deleting jobs."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from scripts.lib import tables
from service import query
from service.bodies import job_body, namespace, submitted, waiting_headers
from service.bundles import public_bundle
from service.context import Context, Job, changeable_job, context_of, in_thread, job_of
from service.endpoint import Endpoint, Parameter
from service.errors import InvalidField
from service.job_events import log_lines
from service.job_queue import Idempotency
from service.json_body import read_json
from service.reproduce import reproduction
from service.responses import json_answer, json_bytes, tagged
from service.routes.parameters import DRY_RUN, IDEMPOTENCY_KEY, JOB_ERRORS
from service.schemas import parse_submission

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_LOG_PAGE = 10_000


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
        reason = "is not 1 to 255 visible ASCII characters"
        raise InvalidField(f"Idempotency-Key {reason}.", details={"field": "Idempotency-Key", "reason": reason})
    return Idempotency(route, key, hashlib.sha256(json_bytes(_canonical(body))).hexdigest())


def _canonical(value: Any) -> Any:
    """Return a JSON value in which equal values look the same: keys sorted, ``1.0`` as ``1``."""
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def body_of(context: Context, job: Job) -> dict[str, Any]:
    """Return the state of a job as clients see it."""
    bundle = public_bundle(job.folder, job.record.job_id) if job.record.source == "example" else None
    body = job_body(
        job.record,
        context.parts.queue.position(job.record.job_id),
        public_bundle=bundle.relative if bundle else None,
    )
    if body["error"]:
        body["error"]["message"] = context.scrubber.text(body["error"]["message"])
    return body


async def submit_job(request: Request) -> Response:
    """Take a job, or say what it would do."""
    context = context_of(request)
    body = await read_json(request)
    submission = parse_submission(body, context.limits)
    if query.flag(request, "dry_run"):
        return json_answer(await context.dry_runs.run(submission))
    key = idempotency(request, "/api/jobs", body)
    record = await context.parts.queue.submit(submission, idempotency=key)
    return json_answer(submitted(record), 202, {"Location": namespace(record), **waiting_headers(record)})


async def job_status(request: Request) -> Response:
    """Answer the state of a job, from memory."""
    job = job_of(request)
    return tagged(request, body_of(context_of(request), job), waiting_headers(job.record))


async def cancel_job(request: Request) -> Response:
    """Cancel a job."""
    context = context_of(request)
    record, changed = await context.parts.queue.cancel(changeable_job(request).job_id)
    job = Job(record, context.parts.store.folder(record.job_id), namespace(record))
    return json_answer(body_of(context, job), 202 if changed else 200)


async def delete_job(request: Request) -> Response:
    """Delete a job that has ended, with its files."""
    record = changeable_job(request)
    await context_of(request).parts.queue.delete(record.job_id)
    return json_answer({"ok": True, "job_id": record.job_id, "deleted": True})


async def job_log(request: Request) -> Response:
    """Answer lines of a job's log."""
    context = context_of(request)
    job = job_of(request)
    record = job.record
    since = query.integer(request, "since", 0)
    limit = query.integer(request, "limit", _LOG_PAGE, minimum=1, maximum=_LOG_PAGE)
    lines = await in_thread(lambda: log_lines(job.folder, final=record.final))
    asked = "limit" in request.query_params
    page = lines[since : since + limit] if asked else lines[since:]
    body = {
        "ok": True,
        "job_id": record.job_id,
        "status": record.status,
        "target": record.target_name,
        "current_step": record.current_step,
        "results_ready": record.results_ready,
        "log": [context.scrubber.text(line) for line in page],
        "next": min(since, len(lines)) + len(page),
        "error": body_of(context, job)["error"],
    }
    return tagged(request, body, waiting_headers(record))


async def job_summary(request: Request) -> Response:
    """Answer how many ligands a job has found."""
    context = context_of(request)
    job = job_of(request)
    rows = await in_thread(context.tables.rows, job.folder, tables.SASA_SUMMARY)
    entries = await in_thread(context.tables.rows, job.folder, tables.ENTRY_STATUS)
    body = {
        "job_id": job.record.job_id,
        "target": job.record.target_name,
        "total_warheads": len(rows),
        "unique_warheads": len({row["Warhead"] for row in rows}),
        "structures_downloaded": len({row["pdb_id"] for row in entries if row["sha256"]}),
        "warhead_id_col": "Warhead",
    }
    return tagged(request, body)


async def reproduce(request: Request) -> Response:
    """Answer what is needed to run the job by hand."""
    job = job_of(request, ready=True)
    body = await in_thread(reproduction, context_of(request).tables, job.folder)
    return tagged(request, {"ok": True, "job_id": job.record.job_id, **body})


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/jobs",
        submit_job,
        "Jobs",
        "Submit a job; with dry_run=true only say what it would do.",
        (DRY_RUN, IDEMPOTENCY_KEY),
        body="JobRequest",
        answers={202: "Submitted", 200: "DryRun"},
        errors=(
            "INVALID_JSON",
            "UNSUPPORTED_MEDIA_TYPE",
            "MISSING_FIELD",
            "INVALID_FIELD",
            "UNSUPPORTED_INPUT",
            "INVALID_PARAMETER",
            "IDEMPOTENCY_CONFLICT",
            "PAYLOAD_TOO_LARGE",
            "QUEUE_FULL",
            "UPSTREAM_UNAVAILABLE",
        ),
        changes=True,
    ),
    Endpoint(
        "GET", "/api/jobs/{job_id}", job_status, "Jobs", "State of a job.", answers={200: "Job"}, errors=JOB_ERRORS
    ),
    Endpoint(
        "DELETE",
        "/api/jobs/{job_id}",
        delete_job,
        "Jobs",
        "Delete a job that has ended.",
        answers={200: "Deleted"},
        errors=(*JOB_ERRORS, "JOB_STATE_CONFLICT"),
        changes=True,
    ),
    Endpoint(
        "POST",
        "/api/jobs/{job_id}/cancel",
        cancel_job,
        "Jobs",
        "Cancel a job that is queued or running.",
        answers={200: "Job", 202: "Job"},
        errors=(*JOB_ERRORS, "JOB_STATE_CONFLICT"),
        changes=True,
    ),
    Endpoint(
        "GET",
        "/api/job_log/{job_id}",
        job_log,
        "Jobs",
        "Lines of a job's log.",
        (
            Parameter("since", {"type": "integer", "minimum": 0}, "Leave out as many lines; next of the last answer."),
            Parameter("limit", {"type": "integer", "minimum": 1}, "At most as many lines."),
        ),
        answers={200: "JobLog"},
        errors=(*JOB_ERRORS, "INVALID_PARAMETER"),
    ),
    Endpoint(
        "GET",
        "/api/job_summary/{job_id}",
        job_summary,
        "Jobs",
        "How many ligands a job has found.",
        answers={200: "JobSummary"},
        errors=JOB_ERRORS,
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/reproduce",
        reproduce,
        "Jobs",
        "What is needed to run the job by hand and to compare.",
        answers={200: "Reproduction"},
        errors=(*JOB_ERRORS, "RESULTS_NOT_READY"),
    ),
)
