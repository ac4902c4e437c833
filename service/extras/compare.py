"""Comparison of two jobs: the two halves of a degrader, as JSON and as a page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address, serves
from service.errors import JobNotFound
from service.extras.pairs import AnswerPair, CompareAnswer, Half, half_of, pairs_of
from service.http.endpoint import PAGE, Routes
from service.http.parameters import JobId, Page, Paging, Text
from service.http.responses import tagged
from service.pages.instances import names_of
from service.pages.places import NOT_SEEN_TOGETHER, answer_view, links_of
from service.pages.render import page
from service.pages.texts import TEXTS
from service.results.answers import names_of_exit
from service.results.job import Job
from service.results.tables import number
from service.routes.shared import in_thread, job_filters, job_named, shared_of
from tethermap.base import layout, tables
from tethermap.base.tables import Row
from tethermap.exits.words import ROOM, WAY, in_words

_PAGE, _ON_PAGE = Paging(100, 1000), Paging(25, 1000)
_A = JobId("a", "Id of the job or example with the target's half.", required=True)
_B = JobId("b", "Id of the job or example with the recruiter's half.", required=True)
_LIGANDS = tuple(Text(f"{side}_ligand", f"Only answers of this component in {side}.") for side in "ab")


ROUTES = Routes("Results and files")


@ROUTES.get(
    "/api/compare", CompareAnswer, (_A, _B, *_LIGANDS, *_PAGE), ready=True, errors=("JOB_NOT_FOUND",), listing=True
)
async def compare(request: Request) -> Response:
    """Pairs of answers of two jobs, the two halves of a degrader."""
    jobs = [job_named(request, side.needed(request)) for side in (_A, _B)]
    _, answer, link = await _compared(request, jobs, _PAGE.of(request))
    return tagged(request, answer, link)


@ROUTES.get(
    "/compare",
    {200: PAGE, 202: PAGE},
    (_A.optional, _B.optional, *_LIGANDS, *_ON_PAGE),
    group="Pages",
    errors=("JOB_NOT_FOUND",),
)
async def compare_page(request: Request) -> Response:
    """Comparison of two jobs: pairs of answers."""
    shared = shared_of(request)
    named = [side.optional.of(request) or "" for side in (_A, _B)]
    ligands = [ligand.of(request) or "" for ligand in _LIGANDS]
    shown = _ON_PAGE.of(request)
    _, rows = await shared.parts.index.jobs(job_filters(request, available=True), "protein", 200, 0)
    values: dict[str, Any] = {"error": "", "asked": named, "asked_ligands": ligands, "jobs": rows, "choices": [[], []]}
    if not all(named):
        return page("compare", **values, result=None)
    try:
        jobs = [job_named(request, name) for name in named]
    except JobNotFound as error:
        return page("compare", error.status, **{**values, "error": error.message}, result=None)
    waiting = next((job for job in jobs if not job.record.final), None)
    if waiting is not None:
        message = TEXTS.compare.waiting.plain(status=waiting.record.status)
        headers = {"Retry-After": "2"}
        return page("message", 202, headers, title=waiting.record.target_name, message=message, waiting=True)
    halves, answer, _ = await _compared(request, jobs, shown)
    values["choices"] = await in_thread(lambda: [_ligands_of(job) for job in jobs])
    values["names"] = await in_thread(lambda: [names_of(job.tables) for job in jobs])
    values["not_seen_together"] = NOT_SEEN_TOGETHER
    return page("compare", **values, result=answer, pairs=_shown(answer.pairs, halves))


def _shown(pairs: Sequence[AnswerPair], halves: Sequence[Half]) -> list[dict[str, Any]]:
    sides = zip(halves, ("a", "b"), strict=True)
    views = [[_half_view(half.job, getattr(pair, side)) for pair in pairs] for half, side in sides]
    return [{"pair": pair, "halves": both} for pair, *both in zip(pairs, *views, strict=True)]


async def _compared(
    request: Request, jobs: Sequence[Job], shown: Page
) -> tuple[Sequence[Half], CompareAnswer, Mapping[str, str]]:
    """Return the halves of a request, their pairs with data of both jobs, and the Link header."""
    wanted = [ligand.of(request) for ligand in _LIGANDS]

    def compared() -> tuple[list[Half], int, list[AnswerPair]]:
        halves = [half_of(job, ligand) for job, ligand in zip(jobs, wanted, strict=True)]
        first, second = halves
        return halves, *pairs_of(first, second, shown.offset, shown.limit)

    halves, total, pairs = await in_thread(compared)
    links, link = shown.links(request, total)
    a, b = (half.told() for half in halves)
    return halves, CompareAnswer(a=a, b=b, count=len(pairs), pairs=pairs, **links), link


def _half_view(job: Job, row: Row) -> dict[str, Any]:
    """Return an answer in words, with its picture and the address of its inputs for degrader modelling.

    Parameters
    ----------
    job : Job
        The job with this half.
    row : mapping
        The answer.
    """
    room, way = number(row, "E_median"), number(row, "F_median")
    stem, anchor = str(row["best_stem"]), str(row["anchor_atom"])
    has_inputs = serves("/api/jobs/{job_id}/protac-inputs") and (job.folder / layout.SHARDS).is_dir()
    return {
        **answer_view(row),
        **links_of(stem, names_of_exit(row), address(f"/results/{job.record.job_id}")),
        "room": in_words(room, ROOM) if room is not None else "",
        "way": in_words(way, WAY) if way is not None else "",
        "inputs": f"{job.base}/protac-inputs?stem={quote(stem)}&anchor={quote(anchor)}" if has_inputs else "",
    }


def _ligands_of(job: Job) -> list[tuple[str, int]]:
    """Return the ligands of a job with their copies."""
    rows = job.tables.rows(tables.RESULTS_TABLE, names=["Warhead"])
    return sorted(Counter(str(row["Warhead"]) for row in rows).items())
