"""The results page, and the parts of it that scripts fetch: the table, one ligand, a series, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from scripts.lib import layout, tables
from service import query
from service.bodies import error_of, progress
from service.context import Context, Job, context_of, in_thread, job_of, sasa_context
from service.endpoint import Endpoint, Parameter
from service.errors import FileNotFound
from service.job_tables import number
from service.pages.render import page
from service.pages.results.columns import COLUMNS, USUAL
from service.pages.results.consensus import directions
from service.pages.results.depiction import drawing_of, thumbnail
from service.pages.results.instance import Place, instance_view
from service.pages.results.instances import MAX_SHOWN, Row, TableView, choices, csv_of, instances, names_of, searched
from service.pages.results.left_out import left_out
from service.pages.results.series import all_series, series_view
from service.responses import disposition, text_answer
from service.results import pipeline_of
from service.routes.files import MAX_STEMS
from service.routes.parameters import CONTEXT, JOB_ERRORS

_MAX_SERIES = 60


async def results_page(request: Request) -> Response:
    """Show the results of a job, or that it is not done."""
    job = job_of(request)
    if not job.record.final:
        values = {"job": job.record, "progress": progress(job.record)}
        return page("results_waiting", 202, {"Retry-After": "5"}, **values)
    return page("results", **await in_thread(_page_values, request, context_of(request), job))


def _page_values(request: Request, context: Context, job: Job) -> dict[str, Any]:
    record, base = job.record, job.base
    view = TableView.of(request.query_params)
    everything = instances(context.tables, job.folder)
    names = names_of(context.tables, job.folder)
    found = view.rows(everything, names)
    row = _selected(request, everything) or next(iter([*found[:1], *everything[:1]]), None)
    place = Place(context.tables, job.folder, base)
    series = all_series(context.tables, job.folder)
    asked = request.query_params.get("series", "")
    open_series = next((item for item in series if item["series"] == asked), None)
    return {
        "job": record,
        "base": base,
        "here": f"/results/{record.job_id}",
        "error": error_of(record),
        "view": view,
        "chosen": row["stem"] if row is not None else None,
        "usual": USUAL,
        "max_stems": MAX_STEMS,
        "all_columns": COLUMNS,
        "choices": choices(everything),
        "names": names,
        **_table_values(everything, found),
        "instance": instance_view(place, row, sasa_context(request)) if row is not None else None,
        "series": [item for item in series if (number(item, "n_components") or 0) > 1][:_MAX_SERIES],
        "single_series": [item for item in series if (number(item, "n_components") or 0) <= 1],
        "open_series": series_view(job.folder, base, open_series, everything) if open_series else None,
        "consensus": directions(context.tables.rows(job.folder, tables.EXIT_CONSENSUS)),
        "left_out": left_out(context.tables, job.folder, base),
        "pipeline": pipeline_of(job.folder),
        "has_report": (job.folder / layout.REPORT).is_file(),
        "report_url": f"{base}/files/{layout.REPORT}",
        "query": request.url.query,
    }


def _table_values(everything: Sequence[Row], found: Sequence[Row]) -> dict[str, Any]:
    """Return what the table needs: all rows while they fit on a page, those that the view leaves out hidden."""
    complete = len(everything) <= MAX_SHOWN
    kept = {row["stem"] for row in found}
    hidden = [row for row in everything if row["stem"] not in kept] if complete else []
    return {
        "rows": [*found[:MAX_SHOWN], *hidden],
        "shown_count": len(found),
        "on_page": min(len(found), MAX_SHOWN),
        "total": len(everything),
        "complete": complete,
        "places": {row["stem"]: place for place, row in enumerate(everything)},
        "searched": searched,
    }


def _selected(request: Request, rows: Sequence[Row]) -> Row | None:
    stem = request.query_params.get("row", "")
    return next((row for row in rows if row["stem"] == stem), None)


async def table_part(request: Request) -> Response:
    """Show only the table, for other columns or more rows than fit on a page."""
    context = context_of(request)
    job = job_of(request, ready=True)

    def read() -> dict[str, Any]:
        view = TableView.of(request.query_params)
        everything = instances(context.tables, job.folder)
        found = view.rows(everything, names_of(context.tables, job.folder))
        values = _table_values(everything, found)
        return {"view": view, "base": job.base, "here": f"/results/{job.record.job_id}", "chosen": None, **values}

    return page("results/table_part", **await in_thread(read))


async def table_csv(request: Request) -> Response:
    """Answer the table as it is shown: its rows, its order, its columns."""
    context = context_of(request)
    job = job_of(request, ready=True)
    view = TableView.of(request.query_params)

    def read() -> list[Row]:
        return view.rows(instances(context.tables, job.folder), names_of(context.tables, job.folder))

    rows = await in_thread(read)
    headers = {"Content-Disposition": disposition(f"{job.record.job_id}_view.csv"), "Cache-Control": "no-cache"}
    return StreamingResponse(csv_of(view, rows), 200, headers, "text/csv")


async def instance_part(request: Request) -> Response:
    """Show one ligand: depiction, viewer, exits, atoms, contacts, properties, files."""
    context = context_of(request)
    job = job_of(request, ready=True)
    surroundings = sasa_context(request)

    def read() -> dict[str, Any]:
        row = _selected(request, instances(context.tables, job.folder))
        if row is None:
            raise FileNotFound("The job has no such ligand.")
        return instance_view(Place(context.tables, job.folder, job.base), row, surroundings)

    return page("results/instance_part", instance=await in_thread(read), here=f"/results/{job.record.job_id}")


async def series_part(request: Request) -> Response:
    """Show one series: its core, its ligands and the heat map of exposure."""
    context = context_of(request)
    job = job_of(request, ready=True)
    asked = query.required(request, "series")

    def read() -> dict[str, Any]:
        series = next((row for row in all_series(context.tables, job.folder) if row["series"] == asked), None)
        if series is None:
            raise FileNotFound("The job has no such series.")
        return series_view(job.folder, job.base, series, instances(context.tables, job.folder))

    return page("results/series_part", view=await in_thread(read), here=f"/results/{job.record.job_id}")


async def picture(request: Request) -> Response:
    """Answer a small depiction of one ligand with its exposure colours."""
    context = context_of(request)
    job = job_of(request, ready=True)
    stem = str(request.path_params["stem"])

    def read() -> str:
        row = next((row for row in instances(context.tables, job.folder) if row["stem"] == stem), None)
        if row is None:
            raise FileNotFound("The job has no such ligand.")
        return str(thumbnail(drawing_of(job.folder, row, None, "target")))

    headers = {"Content-Security-Policy": "default-src 'none'"}
    return text_answer(request, await in_thread(read), "image/svg+xml", headers)


_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_VIEW = (
    Parameter("q", _TEXT, "Words that a row must hold."),
    Parameter("ligand", _TEXT, "Component code."),
    Parameter("min", _NUMBER, "Least exposed area in Å²."),
    Parameter("max", _NUMBER, "Largest exposed area in Å²."),
    Parameter("flag", _TEXT, "Flag that a row must have; none for rows without; may be repeated."),
    Parameter("sort", _TEXT, "Key of a column, or - and a key."),
    Parameter("columns", _TEXT, "Keys of the columns, with commas."),
)
_ROW = Parameter("row", _TEXT, "Stem of the ligand shown.")
_SERIES = Parameter("series", _TEXT, "Name of a series.")
_GROUP = "Pages"
_HTML = {200: "text/html; charset=utf-8"}
_READY = (*JOB_ERRORS, "RESULTS_NOT_READY")

ENDPOINTS = (
    Endpoint(
        "GET",
        "/results/{job_id}",
        results_page,
        _GROUP,
        "Results of a job.",
        (*_VIEW, _ROW, CONTEXT, _SERIES),
        answers={**_HTML, 202: "text/html; charset=utf-8"},
        errors=(*JOB_ERRORS, "INVALID_PARAMETER"),
    ),
    Endpoint("GET", "/results/{job_id}/table", table_part, _GROUP, "Its table alone.", _VIEW, "", _HTML, _READY),
    Endpoint(
        "GET",
        "/results/{job_id}/table.csv",
        table_csv,
        _GROUP,
        "Its table as shown: rows, order, columns.",
        _VIEW,
        "",
        {200: "text/csv; charset=utf-8"},
        _READY,
    ),
    Endpoint(
        "GET",
        "/results/{job_id}/instance",
        instance_part,
        _GROUP,
        "One ligand of it.",
        (_ROW, CONTEXT),
        "",
        _HTML,
        (*_READY, "FILE_NOT_FOUND", "INVALID_PARAMETER"),
    ),
    Endpoint(
        "GET",
        "/results/{job_id}/series",
        series_part,
        _GROUP,
        "One series of it.",
        (_SERIES,),
        "",
        _HTML,
        (*_READY, "FILE_NOT_FOUND", "MISSING_FIELD", "INVALID_PARAMETER"),
    ),
    Endpoint(
        "GET",
        "/results/{job_id}/picture/{stem}",
        picture,
        _GROUP,
        "Small depiction of one ligand.",
        (),
        "",
        {200: "image/svg+xml"},
        (*_READY, "FILE_NOT_FOUND"),
    ),
)
