"""Results as JSON: the overview, the rows of tables, exit vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.http.endpoint import Routes
from service.http.parameters import CHAIN, LIGAND, PDB_ID, RESIDUE_ID, Choice, Paging, Text, Whole
from service.http.responses import disposition, matches, rows_answer, tagged
from service.http.result_answers import ExitAnswersAnswer, ExitVectorsAnswer, ResultsAnswer, RowsAnswer
from service.results.kept import kept_answer
from service.results.overview import results_answer
from service.results.rows import csv_lines, view_of
from service.results.tables import CellRow, RowWriter, TableCache, cell_rows, columns_of, matching, number
from service.routes.shared import in_thread, job_of, shared_of
from tethermap.base.column_words import column_words
from tethermap.base.tables import SASA_SUMMARY, TABLES, Column, Table

_PAGE = Paging(1000, 10_000)
_TABLE = Choice("table", "Which table.", known=tuple(TABLES))
_FORMAT = Choice("format", "How to answer.", known=("json", "csv"))
_SORT = Text("sort", "A column, or - and a column.")
_INSTANCE = (PDB_ID.optional, CHAIN.optional, LIGAND.optional, RESIDUE_ID.optional)
_TOP = Whole("top", "Only the best of each ligand.", minimum=1)
_LIGAND = LIGAND.optional
_TARGET = Text("target", "Protein as the column `protein` names it, or a group of chains.")
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
    columns: Sequence[Column] = await in_thread(columns_of, job.folder, table)
    view = view_of(columns, request.query_params.multi_items(), _SORT.of(request))
    asked = form == "json" or "limit" in request.query_params
    stop = page.offset + page.limit if asked else None
    part, total = await in_thread(view.page, shared.tables, job.folder, table, slice(page.offset, stop))
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
    links, link = page.links(request, total)
    answer = RowsAnswer(
        job_id=job.record.job_id,
        table=name,
        columns=[column.name for column in columns],
        count=len(part),
        rows=[],
        **links,
    )
    return await in_thread(rows_answer, request, answer, _texts(columns, part), link)


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
        exits = _exits(shared.tables, job.folder, asked, top)
        head = ExitVectorsAnswer(job_id=job.record.job_id, count=len(exits), exits=[])
        return rows_answer(request, head, _texts(columns_of(job.folder, TABLES["exits"]), exits))

    return await kept_answer(request, job, answer)


def _exits(cache: TableCache, folder: Path, asked: Sequence[str | None], top: int | None) -> list[CellRow]:
    """Return the exits of the instances that are meant, of which alone rows are read."""
    table = TABLES["exits"]
    stems = None
    if any(name is not None for name in asked):
        stems = [str(row["stem"]) for row in matching(cache.rows(folder, SASA_SUMMARY), *asked)]
    of_instance: dict[str, list[CellRow]] = {}
    for row in cell_rows(folder, table, stems=stems):
        if top is None or ((rank := number(row, "rank")) is not None and rank <= top):
            of_instance.setdefault(str(row.get("stem")), []).append(row)
    instances = matching([rows[0] for rows in of_instance.values()], *asked)
    return [row for instance in instances for row in of_instance[str(instance.get("stem"))]]


async def list_answers(request: Request) -> Response:
    """Answer what all copies of a ligand say of its exits, of all ligands or of some."""
    job = job_of(request, ready=True)
    ligand, target, top = _LIGAND.of(request), _TARGET.of(request), _TOP_ANSWERS.of(request)

    def answer() -> Response:
        rows = list(_answers(job.folder, ligand, target, top))
        head = ExitAnswersAnswer(job_id=job.record.job_id, count=len(rows), answers=[])
        return rows_answer(request, head, _texts(columns_of(job.folder, TABLES["answers"]), rows))

    return await kept_answer(request, job, answer)


def _answers(folder: Path, ligand: str | None, target: str | None, top: int | None) -> Iterator[CellRow]:
    """Yield the answers that are meant."""
    for row in cell_rows(folder, TABLES["answers"]):
        if ligand is not None and row["Warhead"] != ligand.upper():
            continue
        if target is not None and target.lower() not in {str(row[name]).lower() for name in ("protein", "group")}:
            continue
        if top is None or ((rank := number(row, "answer_rank")) is not None and rank <= top):
            yield row


def _texts(columns: Sequence[Column], rows: Iterable[CellRow]) -> Iterator[str]:
    """Yield rows of a table as JSON."""
    writer = RowWriter(columns)
    return (writer.text(row.cells) for row in rows)


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
