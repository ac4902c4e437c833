"""Results as JSON: the overview, the rows of tables, exit vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from scripts.lib.tables import Column, Table, Value
from service import query
from service.context import context_of, in_thread, job_of
from service.endpoint import Endpoint, Parameter
from service.job_tables import TABLES, columns_of, matching, number
from service.query import Page
from service.responses import disposition, matches, tagged
from service.results import results_body
from service.routes.parameters import CHAIN, JOB_ERRORS, LIGAND, LIMIT, OFFSET, PDB_ID, RESIDUE_ID, optional
from service.rows import csv_lines, view_of

_DEFAULT, _MAXIMUM = 1000, 10_000


async def results(request: Request) -> Response:
    """Answer the overview of a job's results."""
    context = context_of(request)
    job = job_of(request, ready=True)
    return tagged(request, await in_thread(results_body, context.tables, job.record, job.folder, job.base))


async def table_rows(request: Request) -> Response:
    """Answer rows of a table, filtered, sorted and paged, as JSON or CSV."""
    context = context_of(request)
    job = job_of(request, ready=True)
    name = query.choice(request, "table", tuple(TABLES), "results") or "results"
    form = query.choice(request, "format", ("json", "csv"), "json")
    table: Table = TABLES[name]
    page = Page.of(request, _DEFAULT, _MAXIMUM)
    columns: Sequence[Column] = await in_thread(columns_of, job.folder, table)
    view = view_of(columns, request.query_params.multi_items(), query.text(request, "sort"))
    rows: list[Mapping[str, Value]] = await in_thread(lambda: view.rows(context.tables.rows(job.folder, table)))
    asked = form == "json" or "limit" in request.query_params
    part = rows[page.offset : page.offset + page.limit] if asked else rows[page.offset :]
    if form == "csv":
        tag = await in_thread(_tag, job.folder / table.path, request.scope["query_string"].decode("latin-1"))
        headers = {
            "Content-Disposition": disposition(f"{job.record.job_id}_{name}.csv"),
            "Cache-Control": "no-cache",
            "ETag": tag,
        }
        if matches(request.headers.get("if-none-match"), tag):
            return Response(status_code=304, headers=headers)
        if request.method == "HEAD":
            return Response(headers=headers, media_type="text/csv")
        return StreamingResponse(csv_lines(columns, part), 200, headers, "text/csv")
    links, link = page.links(request, len(rows))
    body: dict[str, Any] = {
        "ok": True,
        "job_id": job.record.job_id,
        "table": name,
        "columns": [column.name for column in columns],
        "count": len(part),
        **links,
        "rows": part,
    }
    return tagged(request, body, link)


def _tag(path: Path, view: str) -> str:
    """Return the ETag of a view of a table."""
    try:
        status = path.stat()
    except OSError:
        return '"empty"'
    state = f"{status.st_mtime_ns} {status.st_size} {view}".encode("utf-8", "replace")
    return f'"{hashlib.blake2b(state, digest_size=12).hexdigest()}"'


async def exit_vectors(request: Request) -> Response:
    """Answer the places where a linker can leave, of all ligands or of some."""
    context = context_of(request)
    job = job_of(request, ready=True)
    asked = [query.text(request, name) for name in ("pdb_id", "chain", "ligand", "residue_id")]
    top = query.integer(request, "top", 0, minimum=1) if "top" in request.query_params else None
    rows = await in_thread(context.tables.rows, job.folder, TABLES["exits"])
    pdb_id, chain, ligand, residue = asked
    found = matching(rows, pdb_id or None, chain, ligand, residue)
    if top is not None:
        found = [row for row in found if (rank := number(row, "rank")) is not None and rank <= top]
    return tagged(request, {"ok": True, "job_id": job.record.job_id, "count": len(found), "exits": found})


_TOP = Parameter("top", {"type": "integer", "minimum": 1}, "Only the best of each ligand.")
_GROUP = "Results and files"

ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/results",
        results,
        _GROUP,
        "Overview of the results.",
        (),
        "",
        {200: "Results"},
        (*JOB_ERRORS, "RESULTS_NOT_READY"),
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/rows",
        table_rows,
        _GROUP,
        "Rows of a table: column=, column__gte=, column__lte=, column__contains=.",
        (
            Parameter("table", {"type": "string", "enum": list(TABLES)}, "Which table."),
            Parameter("sort", {"type": "string"}, "A column, or - and a column."),
            LIMIT,
            OFFSET,
            Parameter("format", {"type": "string", "enum": ["json", "csv"]}, "How to answer."),
        ),
        answers={200: ("Rows", "text/csv; charset=utf-8")},
        errors=(*JOB_ERRORS, "RESULTS_NOT_READY", "INVALID_PARAMETER"),
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/exit-vectors",
        exit_vectors,
        _GROUP,
        "Places where a linker can leave.",
        (optional(PDB_ID), optional(CHAIN), optional(LIGAND), optional(RESIDUE_ID), _TOP),
        answers={200: "ExitVectors"},
        errors=(*JOB_ERRORS, "RESULTS_NOT_READY", "INVALID_PARAMETER"),
    ),
)
