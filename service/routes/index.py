"""All jobs: listed, filtered, exported, searched for ligands, as a page."""

import contextlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import anyio
from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import InvalidParameter, MissingField, NotFound
from service.http.endpoint import PAGE, Routes
from service.http.job_answers import FoundAnswer, FoundLigand, IndexedJobsAnswer, ListedJob, SearchAnswer
from service.http.parameters import LIGAND, PDB_ID, Choice, Flag, Moment, Page, Paging, Text
from service.http.responses import csv_answer, tagged
from service.index.query import SORTS, JobFilters
from service.jobs.record import STATES
from service.pages.form import is_smiles
from service.pages.render import page
from service.results.job import Job
from service.results.tables import same_entry, took_too_long
from service.routes.shared import ExampleUnavailable, in_thread, job_filters, job_named, shared_of
from tethermap.base.tables import EXIT_ANSWERS, RESULTS_TABLE, Row
from tethermap.sources.suggestions import index_of

_PROTEIN = Text("protein", "Part of the target's name, any case.", aliases=("target",))
_QUERY = Text("query", "Part of the query, any case.")
_AVAILABILITY = Flag(
    "availability",
    "Whether the job has results.",
    aliases=("available",),
    words={"available": True, "unavailable": False},
    schema={"anyOf": [{"type": "boolean"}, {"enum": ["available", "unavailable"]}]},
)
_STATUS = Choice("status", "State of the job.", known=STATES)
_LIGAND = Text("ligand", "A component code that the job contains.")
_PDB_ID = Text("pdb_id", "An entry that the job contains.")
_AFTER = Moment("created_after", "Only jobs submitted at or after this date or time (ISO 8601, UTC).")
_BEFORE = Moment("created_before", "Only jobs submitted before this date or time (ISO 8601, UTC).")
_SORT = Choice("sort", "Order of the jobs.", known=tuple(SORTS))
_FILTERS = (_PROTEIN, _QUERY, _AVAILABILITY, _STATUS, _LIGAND, _PDB_ID, _AFTER, _BEFORE, _SORT)
_NAMES = {name for one in _FILTERS for name in (one.name, *one.aliases)}
_ANY = "a component code, PDB id, UniProt accession, InChIKey, part of a name, or SMILES (then the closest ligands)."
_FIND = Text("find", f"Ligands of all jobs: {_ANY}")
_TEXT = Text("text", f"Any of these in one box: {_ANY}")
_MOST_FOUND = 50
_PAGE, _ON_PAGE = Paging(50, 5000), Paging(50, 200)

MOST_JOBS = 100
"""Jobs that one search reads, the newest of those that the index finds."""

SEARCH_SECONDS = 20.0
"""Time limit of one search, which the last query may exceed by its own limit."""

_SEARCHES = anyio.CapacityLimiter(4)
"""Simultaneous searches, in separate threads: one may read for seconds, and waiting ones block no other request."""

_INCHIKEY = Text("inchikey", "InChIKey of the neutral parent.")
_SMILES = Text("smiles", "SMILES, written exactly as in the results.")
_ACCESSION = Text("accession", "UniProt accession of a protein that the ligand touches.")
_NAME = Text("name", "Part of the ligand's name, any case.")
_SOUGHT = (LIGAND.optional, _INCHIKEY, _SMILES, _ACCESSION, PDB_ID.optional, _NAME)
_FOUND_PAGE = Paging(50, 500)

_TESTS = {
    "ligand": "(Warhead = upper(?) OR list_contains(string_split(components, '+'), upper(?)))",
    "inchikey": "InChIKey = upper(?)",
    "smiles": "? IN (SMILES, SMILES_pH74)",
    "accession": "list_contains(list_transform(pocket_uniprot, place -> split_part(place, ':', 1)), upper(?))",
    "pdb_id": "lower(pdb_id) IN (?, 'pdb_0000' || ?)",
    "name": "contains(lower(ligand_name), lower(?))",
}
_PATTERNS = {
    "inchikey": "[A-Z]{14}-[A-Z]{10}-[A-Z]",
    "accession": "[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2}",
    "pdb_id": "[0-9][A-Z0-9]{3}|pdb_[0-9A-Z]{8}",
    "ligand": "[A-Z0-9]{1,5}",
    "name": ".*",
}
Found = tuple[int, list[FoundLigand], int, int]
"""Number of ligands that match, some of them, and the numbers of jobs that were read and found."""

_COLUMNS = ("pdb_id", "Chain", "Warhead", "Residue_ID", "stem", "ligand_name", "InChIKey", "SMILES", "%Exposed",
            "resolution", "site")  # fmt: skip


def _filters_of(request: Request) -> JobFilters:
    """Return the filters of a request."""
    texts = {one.name: one.of(request) for one in (_PROTEIN, _QUERY, _LIGAND, _AFTER, _BEFORE)}
    pdb_id = same_entry(_PDB_ID.of(request) or "") or None
    flags = {"available": _AVAILABILITY.of(request), "status": _STATUS.given(request)}
    return job_filters(request, pdb_id=pdb_id, **flags, **texts)


ROUTES = Routes("Index and export")


@ROUTES.get(
    "/api/jobs",
    IndexedJobsAnswer,
    (*_FILTERS, *_PAGE),
    listing=True,
    name="find_jobs",
    note="All jobs, filtered, sorted, paged (second address).",
)
@ROUTES.get("/api/indexed-jobs", IndexedJobsAnswer, (*_FILTERS, *_PAGE), listing=True)
async def list_jobs(request: Request) -> Response:
    """All jobs, filtered, sorted, paged."""
    shown = _PAGE.of(request)
    total, rows = await shared_of(request).parts.index.jobs(
        _filters_of(request), _SORT.of(request), shown.limit, shown.offset
    )
    links, headers = shown.links(request, total)
    jobs = [ListedJob.of(row) for row in rows]
    return tagged(request, IndexedJobsAnswer(count=total, returned=len(jobs), jobs=jobs, **links), headers)


@ROUTES.get("/api/jobs/export", "text/csv; charset=utf-8", _FILTERS, listing=True)
async def export_jobs(request: Request) -> Response:
    """All jobs that match, as CSV."""
    filters, sort, index = _filters_of(request), _SORT.of(request), shared_of(request).parts.index
    return csv_answer(request, "jobs.csv", f"{index.version} {filters} {sort}", lambda: index.export(filters, sort))


@ROUTES.get("/browse", PAGE, (*_FILTERS, _FIND, *_ON_PAGE), group="Pages")
async def browse_page(request: Request) -> Response:
    """Page with all jobs, filtered, sorted, paged."""
    shown = _ON_PAGE.of(request)
    filters, sort = _filters_of(request), _SORT.of(request)
    index = shared_of(request).parts.index
    total, rows = await index.jobs(filters, sort, shown.limit, shown.offset)
    links, _ = shown.links(request, total)
    text = _FIND.of(request)
    ligands, components = await _found_with_components(request, text) if text else (None, [])
    asked = [(name, value) for name, value in request.query_params.multi_items() if value.strip()]
    view = [(name, value) for name, value in asked if name in _NAMES]  # the CSV refuses others
    kept = [(name, value) for name, value in asked if name not in ("sort", "offset")]
    created = "created_asc" if sort == "created_desc" else "created_desc"
    orders = {"created": created, "protein": "protein", "job_id": "job_id", "modified": "modified_desc"}
    return page(
        "browse",
        jobs=rows,
        asked=dict(asked),
        filters={name: value for name, value in asdict(filters).items() if name != "viewer" and value is not None},
        csv_url=address("/api/jobs/export") + (f"?{urlencode(view)}" if view else ""),
        sort=sort,
        sort_urls={name: address(f"/browse?{urlencode([*kept, ('sort', order)])}") for name, order in orders.items()},
        states=STATES,
        find=text,
        found=ligands,
        components=components,
        **links,
    )


@ROUTES.get("/api/search", SearchAnswer, (*_SOUGHT, _TEXT, *_FOUND_PAGE), listing=True)
async def search(request: Request) -> Response:
    """Ligands of all finished jobs, newest job first, each with the best answer."""
    wanted, text = {one.name: value for one in _SOUGHT if (value := one.of(request))}, _TEXT.of(request)
    if not wanted and not text:
        names = ", ".join(parameter.name for parameter in (*_SOUGHT, _TEXT))
        raise MissingField(f"Give one of {names}.", field=_SOUGHT[0].name)
    part = _FOUND_PAGE.of(request)
    found = _found_by(request, text, part) if text and not wanted else _found(request, wanted, part)
    total, ligands, read, jobs = await found
    links, headers = part.links(request, total)
    answer = SearchAnswer(count=len(ligands), jobs_read=read, jobs_found=jobs, ligands=ligands, **links)
    return tagged(request, answer, headers)


def meant_by(text: str) -> dict[str, str]:
    """Return the parameters that a text from the box of a page stands for.

    >>> meant_by("1hpv"), meant_by("P03367"), meant_by("CCO"), meant_by("CC(=O)O"), meant_by("gefitinib")
    ({'pdb_id': '1hpv'}, {'accession': 'P03367'}, {'ligand': 'CCO'}, {'smiles': 'CC(=O)O'}, {'name': 'gefitinib'})
    """
    if is_smiles(text):
        return {"smiles": text}
    return {next(name for name, pattern in _PATTERNS.items() if re.fullmatch(pattern, text, re.IGNORECASE)): text}


async def _found_by(request: Request, text: str, part: Page) -> Found:
    """Return the result of `_found` for a text from the box of a page; for a SMILES the closest ligands.

    Raises
    ------
    InvalidParameter
        If a SMILES is no molecule.
    """
    wanted = meant_by(text)
    if "smiles" in wanted:
        return (await _closest(request, text, part))[0]
    answer = await _found(request, wanted, part)
    if not answer[0] and "ligand" in wanted:  # a short name looks like a code
        answer = await _found(request, {"name": text}, part)
    return answer


async def _found_with_components(request: Request, text: str) -> tuple[Found, list[dict[str, Any]]]:
    """Return the ligands of jobs for a text, and the closest components of the dictionary if it is a ligand."""
    wanted, part = meant_by(text), Page(_MOST_FOUND, 0)
    closest: tuple[Found, list[dict[str, Any]]] = ((0, [], 0, 0), [])
    if wanted.keys() & {"smiles", "name", "ligand"}:
        with contextlib.suppress(InvalidParameter):  # no molecule
            closest = await _closest(request, text, part)
    if "smiles" in wanted:
        return closest
    ligands = await _found_by(request, text, part)
    return ligands if ligands[0] else closest[0], closest[1]


async def _closest(request: Request, text: str, part: Page) -> tuple[Found, list[dict[str, Any]]]:
    """Return the closest ligands of jobs and components of the dictionary to a SMILES or the name of a component."""
    known, jobs = await _jobs(request, job_filters(request, available=True))
    settings = shared_of(request).parts.settings
    index = index_of(settings.source_kind, settings.mirror, settings.cache_dir)
    arguments = [f"--{'smiles' if is_smiles(text) else 'name'}={text}", f"--most={_MOST_FOUND}"]
    arguments += [*([f"--index={index}"] if index else []), "--", *(str(job.folder) for job in jobs)]
    answer = json.loads(await shared_of(request).scripts.run("similar", "scripts.similar_ligands", arguments, ["text"]))
    hits = answer["ligands"]

    def read() -> list[FoundLigand]:
        ligands = []
        for hit in hits[part.offset : part.offset + part.limit]:
            job = jobs[hit["job"]]
            rows = job.tables.rows(RESULTS_TABLE, "WHERE Warhead = ? LIMIT 1", [hit["ligand"]], _COLUMNS)
            ligands += _described(job, rows, relation=hit["relation"], similarity=hit["similarity"])
        return ligands

    found = len(hits), await in_thread(read, limiter=_SEARCHES), len(jobs), known
    return found, answer["components"]


async def _jobs(request: Request, filters: JobFilters) -> tuple[int, list[Job]]:
    """Return the number of jobs that the index finds, and the newest of them that have ended."""
    known, rows = await shared_of(request).parts.index.jobs(filters, limit=MOST_JOBS)
    jobs: list[Job] = []
    for row in rows:
        with contextlib.suppress(NotFound, ExampleUnavailable):  # removed since
            job = job_named(request, str(row["job_id"]))
            jobs += [job] if job.record.final else []
    return known, jobs


async def _found(request: Request, wanted: Mapping[str, str], part: Page) -> Found:
    """Return the number of ligands that match, some of them, and the numbers of jobs that were read and found."""
    asked = {name: same_entry(text) if name == "pdb_id" else text for name, text in wanted.items()}
    filters = job_filters(request, available=True, ligand=asked.get("ligand"), pdb_id=asked.get("pdb_id"))
    known, jobs = await _jobs(request, filters)
    total, ligands = await in_thread(_ligands, jobs, asked, part, limiter=_SEARCHES)
    return total, ligands, len(jobs), known


def _ligands(jobs: Sequence[Job], asked: Mapping[str, str], part: Page) -> tuple[int, list[FoundLigand]]:
    where = " AND ".join(_TESTS[name] for name in asked)
    values = [text for name, text in asked.items() for _ in range(_TESTS[name].count("?"))]
    total, ligands = 0, list[FoundLigand]()
    end = time.monotonic() + SEARCH_SECONDS
    for job in jobs:
        if time.monotonic() > end:
            raise took_too_long()
        rows = job.tables.rows(RESULTS_TABLE, f"WHERE {where}", values, _COLUMNS)
        shown = rows[max(0, part.offset - total) :][: part.limit - len(ligands)]
        total += len(rows)
        if shown:
            ligands += _described(job, shown)
    return total, ligands


def _described(job: Job, rows: Sequence[Row], **more: Any) -> list[FoundLigand]:
    """Return ligands of a job with `more` fields, each with the best answer of its component if it counts in one."""
    of_rows, names = "WHERE answer_rank = 1 AND list_has_any(stems, ?)", ("stems", *FoundAnswer.model_fields)
    leading = job.tables.rows(EXIT_ANSWERS, of_rows, [[row["stem"] for row in rows]], names)
    answer_of = {stem: row for row in leading for stem in str(row["stems"]).split(";")}
    more |= {"job_id": job.record.job_id, "target_name": job.record.target_name}
    return [
        FoundLigand.model_validate(
            {**row, **more, "answer": answer_of.get(str(row["stem"])), "results_url": f"{job.page}?row={row['stem']}"}
        )
        for row in rows
    ]
