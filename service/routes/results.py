"""Results as JSON: the overview, the rows of tables, exit vectors."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.errors import InvalidParameter
from service.http.endpoint import Routes
from service.http.parameters import CHAIN, LIGAND, PDB_ID, RESIDUE_ID, Choice, Paging, Parameter, Text, Whole
from service.http.responses import csv_answer, rows_answer, tagged
from service.http.result_answers import ExitAnswersAnswer, ExitVectorsAnswer, ResultsAnswer, RowsAnswer
from service.jobs.artifacts import list_artifacts
from service.results.job import Job
from service.results.kept import changed, kept_answer
from service.results.overview import results_answer
from service.results.rows import RowsWanted, view_of
from service.results.tables import INSTANCE_COLUMNS, OF_STEMS, json_of, matching
from service.routes.shared import in_thread, job_of
from tethermap.base.column_words import column_words
from tethermap.base.parquet import quoted
from tethermap.base.tables import ENTRIES, SASA_SUMMARY, TABLES, Column, Table

_PAGE = Paging(1000, 10_000)
_TABLE = Choice("table", "Name of the table.", known=tuple(TABLES))
_FORMAT = Choice("format", "Format of the response.", known=("json", "csv"))
_SORT = Text("sort", "Column to sort by, with a leading - for descending order.")
_INSTANCE = (PDB_ID.optional, CHAIN.optional, LIGAND.optional, RESIDUE_ID.optional)
_TOP = Whole("top", "Maximum number of exits per ligand.", minimum=1)
_NAMES = ("Target", "protein", "group", "group_name")
_ACCESSION = "split_part(site_uniprot, ':', 1)"
_NAMED = (*(quoted(name) for name in _NAMES), _ACCESSION)
_OF_GENE = "WHERE uniprot NOT LIKE '%;%' AND list_contains(string_split(lower(genes), '; '), lower(?))"
"""Condition for entries of one protein that a gene encodes."""
_TARGET = Text(
    "target", f"Name of the target in one of the columns {', '.join(_NAMES)}, or a UniProt accession or gene."
)
_TOP_ANSWERS = Whole("top", "Maximum number of answers per ligand and binding site.", minimum=1)
_COLUMNS = Text("columns", "Names of the columns, separated by commas (all by default).")
_LIMIT = Whole("limit", "Maximum number of rows (no limit by default).", minimum=1, maximum=10_000)
_OFFSET = Whole("offset", "Number of rows to skip.")
_OF_EXITS = (*_INSTANCE, _TOP, _COLUMNS, _LIMIT, _OFFSET)
_OF_ANSWERS = (LIGAND.optional, _TARGET, _TOP_ANSWERS, _COLUMNS, _LIMIT, _OFFSET)


ROUTES = Routes("Results and files", ready=True)


@ROUTES.get("/api/jobs/{job_id}/results", ResultsAnswer)
async def get_results(request: Request) -> Response:
    """Overview of the results."""
    job = job_of(request)
    listing = await in_thread(list_artifacts, job.folder)
    return await kept_answer(request, job, lambda: tagged(request, results_answer(job)), listing.number)


@ROUTES.get(
    "/api/jobs/{job_id}/rows",
    (RowsAnswer, "text/csv; charset=utf-8"),
    (_TABLE, _SORT, *_PAGE, _FORMAT, _COLUMNS),
    kept=True,
    says="Columns:\n\n" + "\n".join(f"- `{name}`: {words.meaning}" for name, words in column_words().items()),
)
def list_rows(request: Request, job: Job) -> Response:
    """Rows of a table, filtered by `column`, `column__gte`, `column__lte` or `column__contains`."""
    name, form, page = _TABLE.of(request), _FORMAT.of(request), _PAGE.of(request)
    table: Table = TABLES[name]
    known = job.tables.columns(table)
    view = view_of(known, request.query_params.multi_items(), _SORT.of(request))
    columns = _chosen(_COLUMNS.of(request), known)
    if form == "csv":
        state = f"{changed(job.folder / table.path)} {request.scope['query_string'].decode('latin-1')}"

        def rows() -> Iterator[str]:
            limit = page.limit if "limit" in request.query_params else None
            lines = view.csv(job.tables, table, columns, limit, page.offset)
            return chain(["".join(islice(lines, 2))], lines)  # an error of the query is answered as one

        return csv_answer(request, f"{job.record.job_id}_{name}.csv", state, rows)
    links, link = page.links(request, view.count(job.tables, table))
    texts = job.tables.fetch(table, json_of(columns), view.page(page.limit, page.offset), view.values)
    names = [column.name for column in columns]
    head = RowsAnswer(job_id=job.record.job_id, table=name, columns=names, count=len(texts), rows=[], **links)
    return rows_answer(head, chain.from_iterable(texts), link)


def _chosen(text: str | None, columns: Sequence[Column]) -> Sequence[Column]:
    """Return the columns that a request names, in its order."""
    if text is None:
        return columns
    known = {column.name: column for column in columns}
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    unknown = [name for name in names if name not in known]
    if unknown:
        message = f"There is no column {unknown[0][:64]!r}; details.known has all."
        raise InvalidParameter(message, parameter="columns", known=list(known))
    return [known[name] for name in names]


@ROUTES.get("/api/jobs/{job_id}/exit-vectors", ExitVectorsAnswer, _OF_EXITS, kept=True)
def list_exit_vectors(request: Request, job: Job) -> Response:
    """Exits: places where a linker can leave. Columns are filters, as for rows."""
    asked, top = [parameter.of(request) for parameter in _INSTANCE], _TOP.of(request)
    columns, view = _asked(request, job, "exits", _OF_EXITS)
    known = job.tables.rows(SASA_SUMMARY, names=INSTANCE_COLUMNS)
    stems = [str(row["stem"]) for row in matching(known, *asked)]
    if any(name is not None for name in asked):
        view = view.having(OF_STEMS, stems)
    if top is not None:
        view = view.having("rank <= ?", top)
    texts: dict[str, list[bytes]] = {stem: [] for stem in stems}
    for stem, text in job.tables.fetch(TABLES["exits"], f"stem, {json_of(columns)}", view.where, view.values):
        texts.setdefault(stem, []).append(text)
    return _part(request, job, ExitVectorsAnswer, "exits", list(chain.from_iterable(texts.values())))


def _asked(
    request: Request, job: Job, table: str, parameters: Sequence[Parameter]
) -> tuple[Sequence[Column], RowsWanted]:
    """Return the columns and the view of a table that a request selects, besides the parameters of its route."""
    known = job.tables.columns(TABLES[table])
    view = view_of(known, request.query_params.multi_items(), reserved=[one.name for one in parameters])
    return _chosen(_COLUMNS.of(request), known), view


def _part(request: Request, job: Job, model: Any, field: str, texts: Sequence[bytes]) -> Response:
    """Return the requested part of rows that are already JSON, in the last field of an answer."""
    offset, limit = _OFFSET.of(request) or 0, _LIMIT.of(request)
    page = texts[offset:] if limit is None else texts[offset : offset + limit]
    answer = model(job_id=job.record.job_id, count=len(page), total=len(texts), **{field: []})
    return rows_answer(answer, page)


@ROUTES.get("/api/jobs/{job_id}/answers", ExitAnswersAnswer, _OF_ANSWERS, kept=True)
def list_answers(request: Request, job: Job) -> Response:
    """One answer per ligand and exit site, from all its copies. Columns are filters, as for rows."""
    fetch, table = job.tables.fetch, TABLES["answers"]
    ligand, target, top = LIGAND.optional.of(request), _TARGET.of(request), _TOP_ANSWERS.of(request)
    columns, view = _asked(request, job, "answers", _OF_ANSWERS)
    genes = fetch(ENTRIES, "DISTINCT uniprot", _OF_GENE, [target]) if target else []
    accessions = [accession for (accession,) in genes]
    if ligand is not None:
        view = view.having("Warhead = ?", ligand.upper())
    if target is not None:
        named = f"lower(?) IN ({', '.join(f'lower({name})' for name in _NAMED)})"
        view = view.having(f"({named} OR {_ACCESSION} IN (SELECT unnest(?)))", target, accessions)
    if top is not None:
        view = view.having("answer_rank <= ?", top)
    texts = fetch(table, json_of(columns), view.where, view.values)
    if target is not None and not texts and not accessions:
        found = fetch(table, f"DISTINCT unnest([{', '.join(_NAMED)}]) AS name", "ORDER BY name")
        known = [name for (name,) in found if name]
        if known and target.lower() not in [name.lower() for name in known]:
            raise InvalidParameter(f"No answer is of target {target[:64]}.", parameter="target", known=known)
    return _part(request, job, ExitAnswersAnswer, "answers", list(chain.from_iterable(texts)))
