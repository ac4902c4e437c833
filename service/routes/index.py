"""All jobs: listed, filtered, exported."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service import query
from service.bodies import index_row
from service.context import context_of
from service.endpoint import Endpoint, Parameter
from service.index_query import SORTS, JobFilters
from service.jobs import STATES
from service.query import Page
from service.responses import disposition, tagged
from service.routes.parameters import LIMIT, OFFSET

_DEFAULT, _MAXIMUM = 50, 5000


def filters_of(request: Request) -> JobFilters:
    """Return the filters of a request."""
    available = query.flag(request, "availability")
    return JobFilters(
        protein=query.text(request, "protein", "target"),
        query=query.text(request, "query"),
        available=available if available is not None else query.flag(request, "available"),
        status=query.choice(request, "status", STATES),
        ligand=query.text(request, "ligand"),
        pdb_id=query.text(request, "pdb_id"),
        created_after=query.moment(request, "created_after"),
        created_before=query.moment(request, "created_before"),
    )


def sort_of(request: Request) -> str:
    """Return the order that a request asks for."""
    return query.choice(request, "sort", tuple(SORTS), "created_desc") or "created_desc"


async def indexed_jobs(request: Request) -> Response:
    """Answer jobs that match, a page of them."""
    page = Page.of(request, _DEFAULT, _MAXIMUM)
    total, rows = await context_of(request).parts.index.jobs(
        filters_of(request), sort_of(request), page.limit, page.offset
    )
    links, headers = page.links(request, total)
    body = {"ok": True, "count": total, "returned": len(rows), **links, "jobs": [index_row(row) for row in rows]}
    return tagged(request, body, headers)


async def export_jobs(request: Request) -> Response:
    """Answer all jobs that match as CSV."""
    filters, sort = filters_of(request), sort_of(request)
    headers = {"Content-Disposition": disposition("jobs.csv"), "Cache-Control": "no-cache"}
    if request.method == "HEAD":
        return Response(headers=headers, media_type="text/csv")
    rows = context_of(request).parts.index.export(filters, sort)
    return StreamingResponse(rows, 200, headers, "text/csv")


_TEXT = {"type": "string"}
FILTERS = (
    Parameter("protein", _TEXT, "Part of the target's name, any case."),
    Parameter("target", _TEXT, "The same."),
    Parameter("query", _TEXT, "Part of the query, any case."),
    Parameter("availability", {"type": "boolean"}, "Whether there are results."),
    Parameter("available", {"type": "boolean"}, "The same."),
    Parameter("status", {"type": "string", "enum": list(STATES)}, "State."),
    Parameter("ligand", _TEXT, "A component code that the job contains."),
    Parameter("pdb_id", _TEXT, "An entry that the job contains."),
    Parameter("created_after", _TEXT, "From this ISO date or time on, UTC."),
    Parameter("created_before", _TEXT, "Before this ISO date or time, UTC."),
    Parameter("sort", {"type": "string", "enum": list(SORTS)}, "Order."),
)

ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/indexed-jobs",
        indexed_jobs,
        "Index and export",
        "All jobs, filtered, sorted, paged.",
        (*FILTERS, LIMIT, OFFSET),
        "",
        {200: "IndexedJobs"},
        ("INVALID_PARAMETER",),
    ),
    Endpoint(
        "GET",
        "/api/jobs/export",
        export_jobs,
        "Index and export",
        "The same as CSV, all rows.",
        FILTERS,
        "",
        {200: "text/csv; charset=utf-8"},
        ("INVALID_PARAMETER",),
    ),
)
