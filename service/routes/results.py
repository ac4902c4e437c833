"""Results as JSON: the overview, the rows of tables, exit vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.errors import InvalidParameter
from service.http.endpoint import Routes
from service.http.parameters import CHAIN, LIGAND, PDB_ID, RESIDUE_ID, Choice, Paging, Text, Whole
from service.http.responses import disposition, matches, rows_answer, tagged
from service.http.result_answers import ExitAnswersAnswer, ExitVectorsAnswer, ResultsAnswer, RowsAnswer
from service.results.kept import kept_answer
from service.results.overview import results_answer
from service.results.rows import view_of
from service.results.tables import INSTANCE_COLUMNS, OF_STEMS, JobTables, json_of, matching
from service.routes.shared import in_thread, job_of, shared_of
from tethermap.base.column_words import column_words
from tethermap.base.parquet import ROW, quoted
from tethermap.base.tables import SASA_SUMMARY, TABLES, Column, Table

_PAGE = Paging(1000, 10_000)
_TABLE = Choice("table", "Which table.", known=tuple(TABLES))
_FORMAT = Choice("format", "How to answer.", known=("json", "csv"))
_SORT = Text("sort", "A column, or - and a column.")
_INSTANCE = (PDB_ID.optional, CHAIN.optional, LIGAND.optional, RESIDUE_ID.optional)
_TOP = Whole("top", "Only the best of each ligand.", minimum=1)
_LIGAND = LIGAND.optional
_NAMES = ("Target", "protein", "group", "group_name")
_TARGET = Text("target", f"Any name of the target in a row, any case: {', '.join(_NAMES)}.")
_TOP_ANSWERS = Whole("top", "Only the best of each ligand and binding site.", minimum=1)


async def get_results(request: Request) -> Response:
    """Answer the overview of a job's results."""
    shared = shared_of(request)
    job = job_of(request, ready=True)

    def answer() -> Response:
        return tagged(request, results_answer(shared.tables, job.record, job.folder, job.base))

    return await in_thread(answer)


async def list_rows(request: Request) -> Response:
    """Answer rows of a table, filtered, sorted and paged, as JSON or CSV."""
    shared = shared_of(request)
    job = job_of(request, ready=True)
    name, form, page = _TABLE.of(request), _FORMAT.of(request), _PAGE.of(request)
    table: Table = TABLES[name]
    columns: Sequence[Column] = await in_thread(shared.tables.columns, job.folder, table)
    view = view_of(columns, request.query_params.multi_items(), _SORT.of(request))
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
        limit = page.limit if "limit" in request.query_params else None
        lines = view.csv(shared.tables, job.folder, table, columns, limit, page.offset)
        first = await in_thread(lambda: "".join(islice(lines, 2)))  # an error of the query is answered as one
        return StreamingResponse(chain([first], lines), 200, headers, "text/csv")

    def answer() -> Response:
        part = view.page(page.limit, page.offset)
        links, link = page.links(request, view.count(shared.tables, job.folder, table))
        texts = shared.tables.fetch(job.folder, table, json_of(columns), part, view.values)
        head = RowsAnswer(
            job_id=job.record.job_id,
            table=name,
            columns=[column.name for column in columns],
            count=len(texts),
            rows=[],
            **links,
        )
        return rows_answer(request, head, chain.from_iterable(texts), link)

    return await kept_answer(request, job, answer)


def _tag(path: Path, view: str) -> str:
    """Return the ETag of a view of a table."""
    try:
        status = path.stat()
    except OSError:
        return '"empty"'
    state = f"{status.st_mtime_ns} {status.st_size} {view}".encode("utf-8", "replace")
    return f'"{hashlib.blake2b(state, digest_size=12).hexdigest()}"'


async def list_exit_vectors(request: Request) -> Response:
    """Answer the places where a linker can leave, of all ligands or of some."""
    shared = shared_of(request)
    job = job_of(request, ready=True)
    asked, top = [parameter.of(request) for parameter in _INSTANCE], _TOP.of(request)

    def answer() -> Response:
        count, texts = _exits(shared.tables, job.folder, asked, top)
        head = ExitVectorsAnswer(job_id=job.record.job_id, count=count, exits=[])
        return rows_answer(request, head, texts)

    return await kept_answer(request, job, answer)


def _exits(reader: JobTables, folder: Path, asked: Sequence[str | None], top: int | None) -> tuple[int, list[str]]:
    """Return the number of exits of the instances that are meant, and the exits of each instance as JSON."""
    table = TABLES["exits"]
    tests, values = [], list[Any]()
    if any(name is not None for name in asked):
        known = reader.rows(folder, SASA_SUMMARY, names=INSTANCE_COLUMNS)
        tests, values = [OF_STEMS], [[str(row["stem"]) for row in matching(known, *asked)]]
    if top is not None:
        tests, values = [*tests, "rank <= ?"], [*values, top]
    names = [f"coalesce(first({name}), '')" for name in INSTANCE_COLUMNS]
    select = ", ".join([*names, "count(*)", f"string_agg({json_of(reader.columns(folder, table))}, ',')"])
    where = f"WHERE {' AND '.join(tests)}" if tests else ""
    found = reader.fetch(folder, table, select, f"{where} GROUP BY stem ORDER BY min({ROW})", values)
    instances = [dict(zip((*INSTANCE_COLUMNS, "count", "json"), row, strict=True)) for row in found]
    meant = matching(instances, *asked)
    return sum(int(str(row["count"])) for row in meant), [str(row["json"]) for row in meant]


async def list_answers(request: Request) -> Response:
    """Answer what all copies of a ligand say of its exits, of all ligands or of some."""
    shared = shared_of(request)
    job = job_of(request, ready=True)
    ligand, target, top = _LIGAND.of(request), _TARGET.of(request), _TOP_ANSWERS.of(request)

    def answer() -> Response:
        table = TABLES["answers"]
        columns = shared.tables.columns(job.folder, table)
        names = [quoted(one.name) for one in columns if one.name in _NAMES]
        rest, values = _wanted(ligand, target, top, names)
        texts = shared.tables.fetch(job.folder, table, json_of(columns), rest, values)
        if target is not None and not texts:
            found = shared.tables.fetch(
                job.folder, table, f"DISTINCT unnest([{', '.join(names)}]) AS name", "ORDER BY name"
            )
            known = [name for (name,) in found if name]
            if known and target.lower() not in [name.lower() for name in known]:
                raise InvalidParameter(
                    f"No answer is of target {target[:64]}.", details={"parameter": "target", "known": known}
                )
        head = ExitAnswersAnswer(job_id=job.record.job_id, count=len(texts), answers=[])
        return rows_answer(request, head, chain.from_iterable(texts))

    return await kept_answer(request, job, answer)


def _wanted(ligand: str | None, target: str | None, top: int | None, names: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the condition of the answers that are meant, and the values of its question marks."""
    tests, values = ["true"], list[Any]()
    if ligand is not None:
        tests, values = [*tests, "Warhead = ?"], [*values, ligand.upper()]
    if target is not None:
        tests = [*tests, f"lower(?) IN ({', '.join(f'lower({name})' for name in names)})"]
        values = [*values, target]
    if top is not None:
        tests, values = [*tests, "answer_rank <= ?"], [*values, top]
    return f"WHERE {' AND '.join(tests)}", values


_ROUTES = Routes("Results and files")

ENDPOINTS = (
    _ROUTES.get("/api/jobs/{job_id}/results", get_results, "Overview of the results.", ResultsAnswer, ready=True),
    _ROUTES.get(
        "/api/jobs/{job_id}/rows",
        list_rows,
        "Rows of a table: column=, column__gte=, column__lte=, column__contains=.",
        (RowsAnswer, "text/csv; charset=utf-8"),
        (_TABLE, _SORT, *_PAGE, _FORMAT),
        ready=True,
        says="Columns:\n\n" + "\n".join(f"- `{name}`: {words.meaning}" for name, words in column_words().items()),
    ),
    _ROUTES.get(
        "/api/jobs/{job_id}/exit-vectors",
        list_exit_vectors,
        "Places where a linker can leave.",
        ExitVectorsAnswer,
        (*_INSTANCE, _TOP),
        ready=True,
        listing=True,
    ),
    _ROUTES.get(
        "/api/jobs/{job_id}/answers",
        list_answers,
        "One answer per ligand and exit site, made of all its copies.",
        ExitAnswersAnswer,
        (_LIGAND, _TARGET, _TOP_ANSWERS),
        ready=True,
        listing=True,
    ),
)
