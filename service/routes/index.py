"""All jobs: listed, filtered, exported, as a page."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.addresses import address
from service.http.endpoint import PAGE, Routes
from service.http.job_answers import IndexedJobsAnswer, ListedJob
from service.http.parameters import Choice, Flag, Moment, Paging, Text
from service.http.responses import disposition, tagged
from service.index.query import SORTS, JobFilters
from service.jobs.record import STATES
from service.pages.render import page
from service.routes.search import found, meant_by
from service.routes.shared import shared_of

_PROTEIN = Text("protein", "Part of the target's name, any case.", aliases=("target",))
_QUERY = Text("query", "Part of the query, any case.")
_AVAILABILITY = Flag("availability", "Whether there are results.", aliases=("available",))
_STATUS = Choice("status", "State.", known=STATES)
_LIGAND = Text("ligand", "A component code that the job contains.")
_PDB_ID = Text("pdb_id", "An entry that the job contains.")
_AFTER = Moment("created_after", "From this ISO date or time on, UTC.")
_BEFORE = Moment("created_before", "Before this ISO date or time, UTC.")
_SORT = Choice("sort", "Order.", known=tuple(SORTS))
_FILTERS = (_PROTEIN, _QUERY, _AVAILABILITY, _STATUS, _LIGAND, _PDB_ID, _AFTER, _BEFORE, _SORT)
_FIND = Text("find", "Ligands of all jobs: a component code, PDB id, UniProt accession, InChIKey or SMILES.")
_MOST_FOUND = 50
_PAGE, _ON_PAGE = Paging(50, 5000), Paging(50, 200)


def _filters_of(request: Request) -> JobFilters:
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
    shown = _PAGE.of(request)
    total, rows = await shared_of(request).parts.index.jobs(
        _filters_of(request), _SORT.of(request), shown.limit, shown.offset
    )
    links, headers = shown.links(request, total)
    jobs = [ListedJob.of(row) for row in rows]
    return tagged(request, IndexedJobsAnswer(count=total, returned=len(jobs), jobs=jobs, **links), headers)


async def export_jobs(request: Request) -> Response:
    """Answer all jobs that match as CSV."""
    filters, sort = _filters_of(request), _SORT.of(request)
    headers = {"Content-Disposition": disposition("jobs.csv"), "Cache-Control": "no-cache"}
    if request.method == "HEAD":
        return Response(headers=headers, media_type="text/csv")
    rows = shared_of(request).parts.index.export(filters, sort)
    return StreamingResponse(rows, 200, headers, "text/csv")


async def browse_page(request: Request) -> Response:
    """Show jobs: filtered, sorted, a page of them."""
    shown = _ON_PAGE.of(request)
    filters, sort = _filters_of(request), _SORT.of(request)
    index = shared_of(request).parts.index
    total, rows = await index.jobs(filters, sort, shown.limit, shown.offset)
    links, _ = shown.links(request, total)
    text = _FIND.of(request)
    ligands = (await found(request, meant_by(text), _MOST_FOUND, 0)) if text else None
    asked = [(name, value) for name, value in request.query_params.multi_items() if value.strip()]
    view = [(name, value) for name, value in asked if name not in ("limit", "offset", "find")]
    return page(
        "browse",
        jobs=rows,
        asked=dict(asked),
        filtered=any(name != "sort" for name, _ in view),
        csv_url=address("/api/jobs/export") + (f"?{urlencode(view)}" if view else ""),
        sort=sort,
        sort_urls=_sort_urls(view, sort),
        states=STATES,
        find=text,
        found=ligands,
        **links,
    )


def _sort_urls(view: list[tuple[str, str]], sort: str) -> dict[str, str]:
    """Return where the head of each column leads that the list can be sorted by."""
    kept = [(name, value) for name, value in view if name != "sort"]
    created = "created_asc" if sort == "created_desc" else "created_desc"
    names = {"created": created, "protein": "protein", "job_id": "job_id", "modified": "modified_desc"}
    return {column: address(f"/browse?{urlencode([*kept, ('sort', name)])}") for column, name in names.items()}


_ROUTES = Routes("Index and export")

ENDPOINTS = (
    _ROUTES.get(
        "/api/indexed-jobs",
        list_jobs,
        "All jobs, filtered, sorted, paged.",
        IndexedJobsAnswer,
        (*_FILTERS, *_PAGE),
        listing=True,
    ),
    _ROUTES.get(
        "/api/jobs", list_jobs, "The same list.", IndexedJobsAnswer, (*_FILTERS, *_PAGE), listing=True, name="find_jobs"
    ),
    _ROUTES.get(
        "/api/jobs/export",
        export_jobs,
        "The same as CSV, all rows.",
        "text/csv; charset=utf-8",
        _FILTERS,
        kind="file",
        listing=True,
    ),
    Routes("Pages", "page").get(
        "/browse", browse_page, "All jobs, filtered, sorted, paged.", PAGE, (*_FILTERS, _FIND, *_ON_PAGE)
    ),
)
