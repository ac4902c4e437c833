"""Pages for people: the list of jobs, examples, the API, and where an id leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.errors import ExampleNotFound
from service.http.endpoint import PAGE, Routes
from service.http.parameters import Paging
from service.jobs.record import STATES
from service.pages.places import GRADES, NOT_SEEN_TOGETHER
from service.pages.render import page
from service.results.examples import Example
from service.routes.examples import example_of
from service.routes.index import FILTERS, SORT, filters_of
from service.routes.shared import Shared, in_thread, job_of, shared_of
from tethermap.base import tables
from tethermap.base.reasons import EXIT_EVIDENCE
from tethermap.exits.words import CHEMISTRY, FULL_ROOM, OPEN_FROM, PRIOR, ROOM, WAY
from tethermap.fit.limits import limit

_PAGE = Paging(50, 200)


async def browse_page(request: Request) -> Response:
    """Show jobs: filtered, sorted, a page of them."""
    shown = _PAGE.of(request)
    filters, sort = filters_of(request), SORT.of(request)
    index = shared_of(request).parts.index
    total, rows = await index.jobs(filters, sort, shown.limit, shown.offset)
    links, _ = shown.links(request, total)
    asked = [(name, value) for name, value in request.query_params.multi_items() if value.strip()]
    view = [(name, value) for name, value in asked if name not in ("limit", "offset")]
    return page(
        "browse",
        jobs=rows,
        asked=dict(asked),
        filtered=any(name != "sort" for name, _ in view),
        csv_url=address("/api/jobs/export") + (f"?{urlencode(view)}" if view else ""),
        sort=sort,
        sort_urls=_sort_urls(view, sort),
        states=STATES,
        **links,
    )


def _sort_urls(view: list[tuple[str, str]], sort: str) -> dict[str, str]:
    """Return where the head of each column leads that the list can be sorted by."""
    kept = [(name, value) for name, value in view if name != "sort"]
    created = "created_asc" if sort == "created_desc" else "created_desc"
    names = {"created": created, "protein": "protein", "job_id": "job_id", "modified": "modified_desc"}
    return {column: address(f"/browse?{urlencode([*kept, ('sort', name)])}") for column, name in names.items()}


async def examples_page(request: Request) -> Response:
    """Show all examples."""
    shared = shared_of(request)
    shown = [await _shown(shared, one) for one in shared.examples.values()]
    return page("examples", examples=shown)


async def example_page(request: Request) -> Response:
    """Show one example, there or not."""
    shared = shared_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id not in shared.examples:
        raise ExampleNotFound("No example has this id.")
    return page("example", example=await _shown(shared, shared.examples[job_id]))


async def _shown(shared: Shared, example: Example) -> dict[str, Any]:
    """Return the record of an example and the picture of its first ligand."""
    body = example_of(shared, example)
    folder = shared.parts.store.example_folder(example.job_id)
    if not body["has_results"] or folder is None:
        return {**body, "picture": None}
    row = (await in_thread(shared.tables.rows, folder, tables.RESULTS_TABLE))[0]
    names = (row["pdb_id"], row["Chain"], row["Warhead"])
    picture = address(f"/api/svg/{example.job_id}/{'/'.join(quote(str(name), safe='') for name in names)}")
    return {**body, "picture": f"{picture}?resid={quote(str(row['Residue_ID']), safe='')}", "first": row}


async def open_job(request: Request) -> Response:
    """Go to a job's results, or to its progress while it runs."""
    job = job_of(request)
    name = "results" if job.record.final else "monitor"
    return RedirectResponse(address(f"/{name}/{job.record.job_id}"), 302)


async def api_docs_page(request: Request) -> Response:
    """Show the OpenAPI document."""
    return page("api_docs", api=request.app.state.openapi)


async def help_page(_: Request) -> Response:
    """Explain the words of the answers."""
    return page(
        "help",
        chemistry=CHEMISTRY,
        not_seen_together=NOT_SEEN_TOGETHER,
        doubts=EXIT_EVIDENCE,
        grades=GRADES,
        words=_words,
        room=ROOM,
        way=WAY,
        prior=PRIOR,
        open_from=f"{100 * OPEN_FROM:.0f} %",
        full_room=f"{100 * FULL_ROOM:.0f} %",
        rscc=limit("rscc_poor"),
        rsr=limit("rsr_poor"),
    )


def _words(scale: Sequence[tuple[float, str]]) -> str:
    """Return a scale as text: ``from 35 % wide open, from 20 % open, …``; the prior's is one of plain numbers."""
    *upper, last = scale
    bounds = [f"{bound:g}" if scale is PRIOR else f"{100 * bound:.0f} %" for bound, _ in upper]
    named = [f"from {bound} {word}" for bound, (_, word) in zip(bounds, upper, strict=True)]
    return ", ".join([*named, f"else {last[1]}"])


_ROUTES = Routes("Pages", "page")

ENDPOINTS = (
    _ROUTES.get("/browse", browse_page, "All jobs, filtered, sorted, paged.", PAGE, (*FILTERS, *_PAGE)),
    _ROUTES.get("/examples", examples_page, "All examples.", PAGE),
    _ROUTES.get("/examples/{job_id}", example_page, "One example.", PAGE),
    _ROUTES.get("/help", help_page, "What the words of the answers mean.", PAGE),
    _ROUTES.get("/api-docs", api_docs_page, "The API, readable.", PAGE),
    _ROUTES.get("/open_job/{job_id}", open_job, "To results or progress of a job.", {302: ""}),
)
