"""Pages for people: the list of jobs, examples, the API, and where an id leads."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scripts.lib import tables
from service.bodies import index_row
from service.context import Context, context_of, in_thread, job_of
from service.endpoint import Endpoint
from service.errors import ExampleNotFound
from service.examples import Example
from service.jobs import STATES
from service.pages.render import page
from service.query import Page
from service.routes.examples import example_of
from service.routes.index import FILTERS, filters_of, sort_of
from service.routes.parameters import LIMIT, OFFSET

_ROWS, _MOST_ROWS = 50, 200


async def browse(request: Request) -> Response:
    """Show jobs: filtered, sorted, a page of them."""
    shown = Page.of(request, _ROWS, _MOST_ROWS)
    filters, sort = filters_of(request), sort_of(request)
    index = context_of(request).parts.index
    total, rows = await index.jobs(filters, sort, shown.limit, shown.offset)
    links, _ = shown.links(request, total)
    asked = [(name, value) for name, value in request.query_params.multi_items() if value.strip()]
    view = [(name, value) for name, value in asked if name not in ("limit", "offset")]
    return page(
        "browse",
        jobs=[index_row(row) for row in rows],
        asked=dict(asked),
        filtered=any(name != "sort" for name, _ in view),
        csv_url="/api/jobs/export" + (f"?{urlencode(view)}" if view else ""),
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
    return {column: f"/browse?{urlencode([*kept, ('sort', name)])}" for column, name in names.items()}


async def examples_page(request: Request) -> Response:
    """Show all examples."""
    context = context_of(request)
    found = [await _shown(context, one) for one in context.examples.values()]
    return page("examples", examples=found)


async def example_page(request: Request) -> Response:
    """Show one example, there or not."""
    context = context_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id not in context.examples:
        raise ExampleNotFound("No example has this id.")
    return page("example", example=await _shown(context, context.examples[job_id]))


async def _shown(context: Context, example: Example) -> dict[str, Any]:
    """Return the record of an example and the picture of its first ligand."""
    body = example_of(context, example)
    folder = context.parts.store.example_folder(example.job_id)
    if not body["has_results"] or folder is None:
        return {**body, "picture": None}
    row = (await in_thread(context.tables.rows, folder, tables.RESULTS_TABLE))[0]
    names = (row["pdb_id"], row["Chain"], row["Warhead"])
    picture = f"/api/svg/{example.job_id}/{'/'.join(quote(str(name), safe='') for name in names)}"
    return {**body, "picture": f"{picture}?resid={quote(str(row['Residue_ID']), safe='')}", "first": row}


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
    Endpoint(
        "GET",
        "/browse",
        browse,
        _GROUP,
        "All jobs, filtered, sorted, paged.",
        (*FILTERS, LIMIT, OFFSET),
        "",
        _HTML,
        ("INVALID_PARAMETER",),
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
