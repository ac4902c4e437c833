"""All jobs: listed, filtered, exported."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.http.endpoint import Routes
from service.http.job_answers import IndexedJobsAnswer, ListedJob
from service.http.parameters import Choice, Flag, Moment, Paging, Text
from service.http.responses import disposition, tagged
from service.index.query import SORTS, JobFilters
from service.jobs.record import STATES
from service.routes.shared import shared_of

_PROTEIN = Text("protein", "Part of the target's name, any case.", aliases=("target",))
_QUERY = Text("query", "Part of the query, any case.")
_AVAILABILITY = Flag("availability", "Whether there are results.", aliases=("available",))
_STATUS = Choice("status", "State.", known=STATES)
_LIGAND = Text("ligand", "A component code that the job contains.")
_PDB_ID = Text("pdb_id", "An entry that the job contains.")
_AFTER = Moment("created_after", "From this ISO date or time on, UTC.")
_BEFORE = Moment("created_before", "Before this ISO date or time, UTC.")
SORT = Choice("sort", "Order.", known=tuple(SORTS))
FILTERS = (_PROTEIN, _QUERY, _AVAILABILITY, _STATUS, _LIGAND, _PDB_ID, _AFTER, _BEFORE, SORT)
_PAGE = Paging(50, 5000)


def filters_of(request: Request) -> JobFilters:
    """Return the filters of a request."""
    return JobFilters(
        protein=_PROTEIN.of(request),
        query=_QUERY.of(request),
        available=_AVAILABILITY.of(request),
        status=_STATUS.given(request),
        ligand=_LIGAND.of(request),
        pdb_id=_PDB_ID.of(request),
        created_after=_AFTER.of(request),
        created_before=_BEFORE.of(request),
    )


async def list_jobs(request: Request) -> Response:
    """Answer jobs that match, a page of them."""
    page = _PAGE.of(request)
    total, rows = await shared_of(request).parts.index.jobs(
        filters_of(request), SORT.of(request), page.limit, page.offset
    )
    links, headers = page.links(request, total)
    jobs = [ListedJob.of(row) for row in rows]
    return tagged(request, IndexedJobsAnswer(count=total, returned=len(jobs), jobs=jobs, **links), headers)


async def export_jobs(request: Request) -> Response:
    """Answer all jobs that match as CSV."""
    filters, sort = filters_of(request), SORT.of(request)
    headers = {"Content-Disposition": disposition("jobs.csv"), "Cache-Control": "no-cache"}
    if request.method == "HEAD":
        return Response(headers=headers, media_type="text/csv")
    rows = shared_of(request).parts.index.export(filters, sort)
    return StreamingResponse(rows, 200, headers, "text/csv")


_ROUTES = Routes("Index and export")

ENDPOINTS = (
    _ROUTES.get(
        "/api/indexed-jobs",
        list_jobs,
        "All jobs, filtered, sorted, paged.",
        IndexedJobsAnswer,
        (*FILTERS, *_PAGE),
        listing=True,
    ),
    _ROUTES.get(
        "/api/jobs",
        list_jobs,
        "The same list.",
        IndexedJobsAnswer,
        (*FILTERS, *_PAGE),
        listing=True,
        name="find_jobs",
    ),
    _ROUTES.get(
        "/api/jobs/export",
        export_jobs,
        "The same as CSV, all rows.",
        "text/csv; charset=utf-8",
        FILTERS,
        kind="file",
        listing=True,
    ),
)
