"""The page on which a job is watched: its state in words, its steps, its log; and its cancel button."""

import contextlib
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.errors import JobStateConflict
from service.http.endpoint import PAGE, Routes
from service.jobs.record import JobRecord
from service.pages.render import page
from service.pages.texts import TEXTS
from service.results.events import log_lines
from service.results.steps import read_steps
from service.routes.shared import changeable_job, form_values, in_thread, job_of, shared_of, state_of
from tethermap.run.display import STEPS

_LOG_LINES = 500
_T = TEXTS.monitor


ROUTES = Routes("Pages")


@ROUTES.get("/monitor/{job_id}", PAGE)
async def monitor_page(request: Request) -> Response:
    """Progress of a job."""
    shared = shared_of(request)
    job = job_of(request)
    final = job.record.final
    lines = await in_thread(lambda: log_lines(job.folder, final=final))
    state = state_of(shared, job)
    return page(
        "monitor",
        job=state,
        sentence=sentence_of(job.record, state.queue_position),
        steps=await in_thread(lambda: read_steps(job.folder, final=final)),
        waiting=not final,
        changeable=job.record.source != "example",
        log=[shared.scrubber.text(line) for line in lines[-_LOG_LINES:]],
        lines=len(lines),
        seconds=_seconds(job.record),
    )


@ROUTES.post("/monitor/{job_id}/retry", {303: ""}, body="Form", name="retry_form", note="Retry a job from its page.")
@ROUTES.post("/monitor/{job_id}", {303: ""}, body="Form", name="cancel_form")
async def press_button(request: Request) -> Response:
    """Cancel a job from its page."""
    await form_values(request)
    record, queue = changeable_job(request), shared_of(request).parts.queue
    with contextlib.suppress(JobStateConflict):  # its state has changed in the meantime, which its page shows
        await (queue.retry if request.scope["path"].endswith("/retry") else queue.cancel)(record.job_id)
    return RedirectResponse(address(f"/monitor/{record.job_id}"), 303)


def sentence_of(job: JobRecord, position: int | None) -> str:
    """Return the progress of a job in words.

    Parameters
    ----------
    job : JobRecord
        The job.
    position : int or None
        Its place in the queue, from 1.
    """
    text = _T.sentences
    step = STEPS.get(job.current_step or "", job.current_step) or _T.starting
    failed_while = STEPS.get(job.error.step, "") if job.error else ""
    match job.status:
        case "queued" if job.attempt > 1:
            told = text["interrupted"] if job.attempt > job.first_attempt else text["resumes"]
        case "queued":
            told = text["next"] if position in (None, 1) else text["waits"].plain(position=position)
        case "running":
            told = text["runs_again" if job.attempt > 1 else "runs"].plain(step=step)
        case "completed" if job.result_rows:
            instances = _T.n_instances.plain(n=job.result_rows)
            told = text["kept"].plain(instances=instances, n=job.entries.found or 0)
        case "completed":
            told = text["nothing_kept" if job.entries.found else "nothing_found"]
        case "failed":
            told = text["failed_while"].plain(step=failed_while) if failed_while else text["failed"]
        case _:
            told = text["canceled" if job.started_at is None else "canceled_while_running"]
    return str(told)


def _seconds(job: JobRecord) -> int | None:
    """Return how long a job has run, or ran, in seconds; None when it never did, or elsewhere."""
    if job.started_at is None or job.started_at == job.finished_at:
        return None
    end = datetime.fromisoformat(job.finished_at) if job.finished_at else datetime.now(UTC)
    return max(0, round((end - datetime.fromisoformat(job.started_at)).total_seconds()))
