"""The page on which a job is watched: its state in words, its steps, its log; and its cancel button."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scripts.lib.progress_display import STEPS
from service.context import changeable_job, context_of, in_thread, job_of
from service.endpoint import Endpoint
from service.errors import JobStateConflict
from service.job_events import log_lines
from service.job_steps import read_steps
from service.pages.render import page
from service.routes.jobs import body_of
from service.routes.submit_page import form_pairs

_LOG_LINES = 500


async def monitor(request: Request) -> Response:
    """Show how far a job is."""
    context = context_of(request)
    job = job_of(request)
    final = job.record.final
    lines = await in_thread(lambda: log_lines(job.folder, final=final))
    body = body_of(context, job)
    return page(
        "monitor",
        job=body,
        sentence=sentence_of(body),
        steps=await in_thread(lambda: read_steps(job.folder, final=final)),
        waiting=not final,
        changeable=job.record.source != "example",
        tokens=bool(context.parts.settings.api_tokens),
        log=[context.scrubber.text(line) for line in lines[-_LOG_LINES:]],
        lines=len(lines),
        seconds=_seconds(body),
    )


async def cancel_form(request: Request) -> Response:
    """Cancel a job by the button of its page; go back to the page whatever has become of the job."""
    await form_pairs(request)
    record = changeable_job(request)
    with contextlib.suppress(JobStateConflict):  # it has ended in the meantime: its page says how
        await context_of(request).parts.queue.cancel(record.job_id)
    return RedirectResponse(f"/monitor/{record.job_id}", 303)


def sentence_of(job: Mapping[str, Any]) -> str:
    """Say in words how far a job is.

    Parameters
    ----------
    job : mapping
        As ``GET /api/jobs/<id>`` answers it.
    """
    step = STEPS.get(job["current_step"] or "", job["current_step"])
    if job["status"] == "queued":
        place = job["queue_position"]
        if job["attempt"] > 1:
            return "Interrupted; it waits to go on where it was."
        return "Next to run." if place in (None, 1) else f"Waiting: number {place} in the queue."
    if job["status"] == "running":
        again = " for the second time" if job["attempt"] > 1 else ""
        return f"Running{again}: {step}." if step else f"Running{again}: starting."
    if job["status"] == "completed":
        found, entries = job["results_row_count"], job["progress"]["entries"]["found"]
        if found:
            return f"Completed: {_count(found, 'ligand instance')} kept from {_count(entries or 0, 'entry')}."
        return "Completed: nothing was found." if not entries else "Completed: no ligand was kept."
    if job["status"] == "failed":
        where = STEPS.get((job["error"] or {}).get("step") or "", "")
        return f"Failed while {where}." if where else "Failed."
    return "Canceled." if job["started_at"] is None else "Canceled while it ran; what was finished is kept."


def _count(number: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _seconds(job: Mapping[str, Any]) -> int | None:
    """Return how long a job has run, or ran, in seconds; None when it never did."""
    if job["started_at"] is None:
        return None
    end = datetime.fromisoformat(job["finished_at"]) if job["finished_at"] else datetime.now(UTC)
    return max(0, round((end - datetime.fromisoformat(job["started_at"])).total_seconds()))


_GROUP = "Pages"

ENDPOINTS = (
    Endpoint(
        "GET",
        "/monitor/{job_id}",
        monitor,
        _GROUP,
        "Progress of a job.",
        answers={200: "text/html; charset=utf-8"},
        errors=("JOB_NOT_FOUND",),
    ),
    Endpoint(
        "POST",
        "/monitor/{job_id}",
        cancel_form,
        _GROUP,
        "What the cancel button of that page sends.",
        body="Form",
        answers={303: ""},
        errors=(
            "JOB_NOT_FOUND",
            "JOB_STATE_CONFLICT",
            "UNAUTHORIZED",
            "UNSUPPORTED_MEDIA_TYPE",
            "PAYLOAD_TOO_LARGE",
            "INVALID_FIELD",
        ),
        changes=True,
    ),
)
