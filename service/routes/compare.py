"""Two jobs beside each other: the two halves of a degrader, as JSON and as a page."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from scripts.lib.exits.words import CHEMISTRY
from scripts.lib.reasons import EXIT_EVIDENCE
from service import query
from service.bodies import index_row
from service.compare import SCORE, TOP, Half, Wanted, half_of, pairs_of
from service.context import Job, context_of, in_thread, job_named
from service.endpoint import Endpoint, Parameter
from service.index_query import JobFilters
from service.pages.render import page
from service.query import Page
from service.responses import tagged
from service.routes.parameters import JOB_ERRORS, LIMIT, OFFSET

_DEFAULT, _MAXIMUM = 100, 1000
_ON_PAGE, _OFFERED = 50, 100
_MOST_TOP = 20


async def compare(request: Request) -> Response:
    """Answer pairs of exit sites of two jobs, best first."""
    jobs = [job_named(request, query.required(request, name), ready=True) for name in ("a", "b")]
    shown = Page.of(request, _DEFAULT, _MAXIMUM)
    body, link = await _body(request, jobs, shown)
    return tagged(request, body, link)


async def compare_page(request: Request) -> Response:
    """Show pairs of exit sites of two jobs, or a form that asks for them."""
    context = context_of(request)
    named = [query.text(request, name) or "" for name in ("a", "b")]
    filters = {name: query.text(request, name) or "" for name in ("pdb_id", "ligand", "b_pdb_id", "b_ligand")}
    _, rows = await context.parts.index.jobs(JobFilters(available=True), "created_desc", _OFFERED, 0)
    values: dict[str, Any] = {
        "a": named[0],
        "b": named[1],
        "filters": filters,
        "jobs": [index_row(row) for row in rows],
        "chemistry": CHEMISTRY,
        "doubts": EXIT_EVIDENCE,
    }
    if not all(named):
        return page("compare", **values, result=None)
    jobs = [job_named(request, name) for name in named]
    waiting = next((job for job in jobs if not job.record.final), None)
    if waiting is not None:
        message = f"The job is {waiting.record.status}."
        headers = {"Retry-After": "2"}
        return page("message", 202, headers, title=waiting.record.target_name, message=message, waiting=True)
    body, _ = await _body(request, jobs, Page.of(request, _ON_PAGE, _MAXIMUM))
    return page("compare", **values, result=body)


async def _body(request: Request, jobs: list[Job], shown: Page) -> tuple[dict[str, Any], Any]:
    """Return the pairs of a request with what is told of both jobs, and the Link header."""
    cache = context_of(request).tables
    top = query.integer(request, "top", TOP, minimum=1, maximum=_MOST_TOP)
    wanted = [
        Wanted(query.text(request, f"{prefix}pdb_id"), query.text(request, f"{prefix}ligand"), top)
        for prefix in ("", "b_")
    ]

    def compared() -> tuple[Half, Half, int, list[dict[str, Any]]]:
        first, second = (half_of(cache, job, which) for job, which in zip(jobs, wanted, strict=True))
        return first, second, *pairs_of(first, second, shown.offset, shown.limit)

    first, second, total, pairs = await in_thread(compared)
    links, link = shown.links(request, total)
    body = {
        "ok": True,
        "a": first.to_json(),
        "b": second.to_json(),
        "score": SCORE,
        "top": top,
        "count": len(pairs),
        **links,
        "pairs": pairs,
    }
    return body, link


def _text(name: str, says: str, *, required: bool = False) -> Parameter:
    return Parameter(name, {"type": "string"}, says, required=required)


_JOBS = ("a job or example: the target's side", "a job or example: the recruiter's side")
_FILTERS = (
    _text("pdb_id", "Only exits of this entry in a."),
    _text("ligand", "Only exits of this component in a."),
    _text("b_pdb_id", "The same for b."),
    _text("b_ligand", "The same for b."),
    Parameter("top", {"type": "integer", "minimum": 1}, f"Only the best sites of each ligand, {TOP} by default."),
    LIMIT,
    OFFSET,
)

ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/compare",
        compare,
        "Results and files",
        "Pairs of exits of two jobs, the two halves of a degrader.",
        (*(_text(name, f"Id of {says}.", required=True) for name, says in zip("ab", _JOBS, strict=True)), *_FILTERS),
        answers={200: "Compare"},
        errors=(*JOB_ERRORS, "RESULTS_NOT_READY", "MISSING_FIELD", "INVALID_PARAMETER"),
    ),
    Endpoint(
        "GET",
        "/compare",
        compare_page,
        "Pages",
        "Two jobs beside each other: pairs of exits.",
        (*(_text(name, f"Id of {says}.") for name, says in zip("ab", _JOBS, strict=True)), *_FILTERS),
        answers={200: "text/html; charset=utf-8", 202: "text/html; charset=utf-8"},
        errors=(*JOB_ERRORS, "INVALID_PARAMETER"),
    ),
)
