"""Pages for people: a form, lists, a job's progress and results. Plain HTML, no scripts."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scripts.lib import tables
from service import query
from service.bodies import index_row
from service.context import context_of, in_thread, job_of
from service.endpoint import Endpoint, Parameter
from service.errors import ExampleNotFound, ServiceError, Unauthorized, UnsupportedMediaType
from service.index_query import JobFilters
from service.job_events import log_lines
from service.pages.render import page
from service.query import Page
from service.results import results_body
from service.routes.examples import example_of
from service.routes.jobs import body_of
from service.schemas import parse_submission

_LOG_LINES = 200
_FIELDS = 20


async def submit_page(request: Request) -> Response:
    """Show the form."""
    return page("submit", limits=context_of(request).limits, error="", values={})


async def submit_form(request: Request) -> Response:
    """Take a job from the form and go to its page."""
    context = context_of(request)
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise Unauthorized("The form was sent from another site.")
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise UnsupportedMediaType("The form is sent as application/x-www-form-urlencoded.")
    body = (await request.body()).decode("utf-8", errors="replace")
    values = dict(parse_qsl(body) if body.count("&") < _FIELDS else ())
    try:
        submission = parse_submission(values, context.limits)
        record = await context.parts.queue.submit(submission, source="web")
    except ServiceError as error:
        return page("submit", error.status, limits=context.limits, error=error.message, values=values)
    return RedirectResponse(f"/monitor/{record.job_id}", 303)


async def browse(request: Request) -> Response:
    """Show jobs, newest first."""
    protein = query.text(request, "protein")
    shown = Page.of(request, 50, 200)
    index = context_of(request).parts.index
    total, rows = await index.jobs(JobFilters(protein=protein), "created_desc", shown.limit, shown.offset)
    links, _ = shown.links(request, total)
    return page("browse", jobs=[index_row(row) for row in rows], protein=protein or "", **links)


async def monitor(request: Request) -> Response:
    """Show how far a job is."""
    context = context_of(request)
    job = job_of(request)
    lines = await in_thread(lambda: log_lines(job.folder, final=job.record.final))
    log = "\n".join(context.scrubber.text(line) for line in lines[-_LOG_LINES:])
    return page("monitor", job=body_of(context, job), waiting=not job.record.final, log=log)


async def results_page(request: Request) -> Response:
    """Show the results of a job."""
    context = context_of(request)
    job = job_of(request)
    if not job.record.final:
        message = f"The job is {job.record.status}."
        headers = {"Retry-After": "2"}
        return page("message", 202, headers, title=job.record.target_name, message=message, waiting=True)
    body: dict[str, Any] = await in_thread(results_body, context.tables, job.record, job.folder, job.base)
    rows = await in_thread(context.tables.rows, job.folder, tables.RESULTS_TABLE)
    return page("results", results={**body, "target": job.record.target_name}, rows=rows[:200], base=job.base)


async def examples_page(request: Request) -> Response:
    """Show all examples."""
    context = context_of(request)
    return page("examples", examples=[example_of(context, one) for one in context.examples.values()])


async def example_page(request: Request) -> Response:
    """Show one example, there or not."""
    context = context_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id not in context.examples:
        raise ExampleNotFound("No example has this id.")
    return page("examples", examples=[example_of(context, context.examples[job_id])])


async def open_job(request: Request) -> Response:
    """Go to a job's results, or to its progress while it runs."""
    job = job_of(request)
    name = "results" if job.record.final else "monitor"
    return RedirectResponse(f"/{name}/{job.record.job_id}", 302)


async def api_docs(request: Request) -> Response:
    """Show the OpenAPI document."""
    return page("api_docs", api=request.app.state.openapi)


_GROUP = "Pages"
_HTML = {200: "text/html; charset=utf-8"}
_LOST = ("JOB_NOT_FOUND",)

ENDPOINTS = (
    Endpoint("GET", "/", submit_page, _GROUP, "Form to submit a job.", answers=_HTML),
    Endpoint(
        "POST",
        "/",
        submit_form,
        _GROUP,
        "What the form sends.",
        body="Form",
        answers={303: ""},
        errors=("MISSING_FIELD", "INVALID_FIELD", "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "QUEUE_FULL"),
        changes=True,
    ),
    Endpoint(
        "GET",
        "/browse",
        browse,
        _GROUP,
        "All jobs.",
        (Parameter("protein", {"type": "string"}, "Part of the target's name."),),
        "",
        _HTML,
        ("INVALID_PARAMETER",),
    ),
    Endpoint("GET", "/monitor/{job_id}", monitor, _GROUP, "Progress of a job.", answers=_HTML, errors=_LOST),
    Endpoint(
        "GET",
        "/results/{job_id}",
        results_page,
        _GROUP,
        "Results of a job.",
        answers={**_HTML, 202: "text/html; charset=utf-8"},
        errors=_LOST,
    ),
    Endpoint("GET", "/examples", examples_page, _GROUP, "All examples.", answers=_HTML),
    Endpoint(
        "GET", "/examples/{job_id}", example_page, _GROUP, "One example.", answers=_HTML, errors=("EXAMPLE_NOT_FOUND",)
    ),
    Endpoint("GET", "/api-docs", api_docs, _GROUP, "The API, readable.", answers=_HTML),
    Endpoint(
        "GET",
        "/open_job/{job_id}",
        open_job,
        _GROUP,
        "To results or progress of a job.",
        answers={302: ""},
        errors=_LOST,
    ),
)
