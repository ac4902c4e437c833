"""Degraders: inputs for programs that model them, molecules made of two halves, halves of a given one."""

import json
import tempfile
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from service.errors import MissingField, NotFound, wrong_parameter
from service.extras.board import MOST_NOTE, MOST_PINS, Board, Pair, read_pins
from service.extras.pairs import half_of
from service.http.answer import Answer, Count, Paged, Place, Success, row_type
from service.http.endpoint import PAGE, Routes
from service.http.parameters import Choice, Flag, JobId, Page, Paging, Text, Texts, Whole
from service.http.responses import disposition, made_answer, tagged
from service.lru import Lru
from service.pages.depiction import drawings
from service.pages.render import page
from service.routes.shared import in_thread, job_filters, job_named, job_of, shared_of
from service.runs.on_demand import Kind
from tethermap.base import tables
from tethermap.extras.protac.programs import (
    FORMATS,
    LINKER_CLASSES,
    MOST_ATOMS,
    MOST_DEGRADERS,
    MOST_RINGS,
    smiles_size,
    tools,
)

Degrader = row_type("Degrader", tables.DEGRADERS)
"""One molecule."""


class BuildingBlock(Answer):
    """A compound to buy or make."""

    smiles: str
    name: str


class MadeHalf(Answer):
    """Half of a degrader: the remaining part, the removed atoms, the compound to buy."""

    stem: str
    anchor: str
    smiles: str
    handle: str
    to_make: list[BuildingBlock]
    what_to_do: str
    removes: list[str]
    contacts_lost: list[str]
    contacts_kept: Count | None


class ExitHandle(MadeHalf):
    """Chemistry of one ranked exit of a ligand; `handle` is empty if no common reaction makes the bond."""

    rank: Place
    site_rank: Place


class HandlesAnswer(Success):
    """Chemistry of a ligand's exits."""

    job_id: str
    count: Count
    total: Count
    handles: list[ExitHandle]


class DegradersAnswer(Paged, Success):
    """Degraders of two halves."""

    a: MadeHalf
    b: MadeHalf
    count: Count
    truncated: bool
    degraders: list[Degrader]  # type: ignore[valid-type]


class HalfExit(Answer):
    """Exit of a ligand that is a half of a degrader."""

    anchor_atom: str
    answer_rank: Count | None
    action: str
    observed: Count | None


class FoundHalf(Answer):
    """A ligand of a job that is a half of a degrader."""

    ligand: str
    atoms: Count
    anchor_in_degrader: Count
    atoms_in_degrader: list[Count]
    entries: list[str]
    stems: list[str]
    exits: list[HalfExit]


class HalvesAnswer(Success):
    """The halves of a degrader, for each job in the request."""

    halves: list[list[FoundHalf]]


@dataclass(frozen=True, slots=True)
class Smiles(Text):
    """A SMILES of at most `halves` times the size of half a degrader."""

    halves: int = 1

    def of(self, request: Request) -> str | None:
        """Return it; None when it is absent or blank.

        Raises
        ------
        InvalidParameter, MissingField
            As `Text.of`, and if it is too large.
        """
        smiles = Text.of(self, request)
        limits = (("atoms", self.halves * MOST_ATOMS), ("rings", self.halves * MOST_RINGS))
        for (what, most), size in zip(limits, smiles_size(smiles or ""), strict=True):
            if size > most:
                reason = f"{size} {what}"
                raise wrong_parameter(self.name, f"has more than {most} {what}", maximum=most, reason=reason)
        return smiles


_STEM = Text("stem", "`stem` of the ligand in Exit_Vectors.csv.", required=True)
_ANCHOR = Text("anchor", "`anchor_atom` of one of its ranked exits.", required=True)
_EXIT = Text("anchor", "Only the exit at this `anchor_atom`, which must have a rank (default: all).")
_TOOL = Choice("tool", "Only the files of this program (default: all).", known=tools())
_DEGRADER = Smiles("degrader", "SMILES of the degrader, if known.", halves=2)
_OPEN_BABEL = Flag(
    "open_babel", "Also convert each head with Open Babel, as PRosettaC does, and report the resulting anchor."
)
_OTHER_JOB = JobId("other", "Id of the job with the other half; requires `other_stem` and `other_anchor`.")
_OTHER_STEM = Text("other_stem", "`stem` of the other half's ligand.")
_OTHER_ANCHOR = Text("other_anchor", "`anchor_atom` of its exit.")

_JOBS = {
    letter: JobId(f"{letter}_job", f"Id of a job or example: the {half}'s side.", aliases=(letter,))
    for letter, half in (("a", "target"), ("b", "recruiter"))
}
_HALVES = {
    letter: (
        Text(f"{letter}_stem", f"`stem` of the ligand of job {letter} in Exit_Vectors.csv."),
        Text(f"{letter}_anchor", "`anchor_atom` of one of its ranked exits."),
        Smiles(f"{letter}_smiles", "The half as SMILES with [*] for the linker, instead of a job."),
    )
    for letter in _JOBS
}
_LINKERS = Choice("linker_class", "Only linkers of this class.", aliases=("linkers",), known=LINKER_CLASSES)
_FORMAT = Choice("format", "Format of the response.", known=FORMATS)
_PAGING = Paging(MOST_DEGRADERS, MOST_DEGRADERS)
_MOST_LINKER = Whole("max_linker_atoms", "Maximum number of atoms between the halves.", minimum=1, maximum=1000)
_SMILES = Smiles("smiles", "SMILES of the degrader.", required=True, halves=2)
_ASKED = (*_JOBS.values(), *_HALVES["a"], *_HALVES["b"], _LINKERS)

_NUMBERS: "Lru[str, tuple[array[int], bool]]" = Lru(32)
"""Numbers of the molecules of two halves, and whether more exist than are made: 32 kB for 8,000."""

_ON_PAGE = Paging(40, 40)
"""Molecules on one page, all drawn."""

_PIN = Texts("pin", "Pinned pair: ligand and atom of the target, ligand and atom of the recruiter.", maximum=MOST_PINS)
_NOTE = Texts("note", f"Note of each pin, in order, {MOST_NOTE} characters.", maximum=MOST_PINS, blanks=True)


ROUTES = Routes("Results and files", ready=True, errors=("NOT_FOUND", "JOB_NOT_FOUND", "INVALID_PARAMETER"))


@ROUTES.get(
    "/api/jobs/{job_id}/protac-inputs",
    "application/zip",
    (_STEM, _ANCHOR, _TOOL, _DEGRADER, _OPEN_BABEL, _OTHER_JOB, _OTHER_STEM, _OTHER_ANCHOR),
    name="download_degrader_inputs",
    listing=True,
)
async def degrader_inputs(request: Request) -> Response:
    """Inputs for programs that model degraders, for a ranked anchor or a pair of anchors, as ZIP."""
    job = job_of(request)
    stem, anchor = _STEM.needed(request), _ANCHOR.needed(request)
    asked: dict[str, object] = {"stem": stem, "anchor": anchor}
    if other_id := _OTHER_JOB.of(request):
        asked["other-job"] = job_named(request, other_id).folder
        asked |= {"other-stem": _OTHER_STEM.needed(request), "other-anchor": _OTHER_ANCHOR.needed(request)}
    asked |= {"degrader": _DEGRADER.of(request), "open-babel": _OPEN_BABEL.of(request), "tool": _TOOL.given(request)}
    with tempfile.TemporaryDirectory(prefix="tethermap-inputs-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "inputs.zip"
        options = [*_options({**asked, "output": file}), "--", str(job.folder)]
        await shared_of(request).scripts.run("inputs", "scripts.protac_inputs", options, ["degrader"])
        archive = await in_thread(file.read_bytes)
    headers = {"Content-Disposition": disposition(f"{job.record.job_id}_{stem}_{anchor}.zip")}
    return made_answer(request, archive, "application/zip", headers)


@ROUTES.get("/api/jobs/{job_id}/handles", HandlesAnswer, (_STEM, _EXIT, *_PAGING), listing=True)
async def exit_handles(request: Request) -> Response:
    """Each exit of a ligand: compounds to buy or make, atoms that the cut removes, contacts kept and lost."""
    job = job_of(request)
    asked = {"handles": True, "a-job": job.folder, "a-stem": _STEM.needed(request), "a-anchor": _EXIT.of(request)}
    rows = _PAGING.of(request)
    handles = json.loads(await _ran(request, "handles", asked))["handles"]
    shown, total = handles[rows.offset :][: rows.limit], len(handles)
    return tagged(request, HandlesAnswer(job_id=job.record.job_id, count=len(shown), total=total, handles=shown))


@ROUTES.get(
    "/api/degraders",
    {200: (DegradersAnswer, "text/csv; charset=utf-8", "chemical/x-mdl-sdfile")},
    (*_ASKED, _MOST_LINKER, _FORMAT, *_PAGING),
    group="Degraders",
    listing=True,
)
async def make_degraders(request: Request) -> Response:
    """Degraders from an exit of the target, an exit of the recruiter, and each linker of the list."""
    form = _FORMAT.of(request)
    shown = _PAGING.of(request)
    made, links = await _made(request, form, shown)
    if form == "json":
        return tagged(request, DegradersAnswer.model_validate(made), links)
    headers = {"Content-Disposition": disposition(f"degraders.{form}"), "Cache-Control": "no-cache", **links}
    headers["X-Tethermap-Truncated"] = json.dumps(made["truncated"])
    return Response(made["file"], 200, headers, "text/csv" if form == "csv" else "chemical/x-mdl-sdfile")


@ROUTES.get("/api/degraders/halves", HalvesAnswer, (_SMILES, *_JOBS.values()), group="Degraders", listing=True)
async def find_halves(request: Request) -> Response:
    """Ligands of one or two jobs that are halves of a degrader."""
    smiles = _SMILES.needed(request)
    jobs = [job_named(request, name) for text in _JOBS.values() if (name := text.of(request))]
    if not jobs:
        raise MissingField("Name a job: a_job, b_job or both.", field="a_job")
    asked = {"split": smiles, **{f"{letter}-job": job.folder for letter, job in zip(_JOBS, jobs, strict=False)}}
    return tagged(request, HalvesAnswer.model_validate_json(await _ran(request, "halves", asked)))


async def _ran(request: Request, kind: Kind, asked: Mapping[str, object], smiles: Sequence[str] = ("smiles",)) -> str:
    return await shared_of(request).scripts.run(kind, "scripts.degraders", _options(asked), smiles)


def _options(asked: Mapping[str, object]) -> list[str]:
    """Return the options of a script: flags that are true, and values that are not empty."""
    return [f"--{name}" if value is True else f"--{name}={value}" for name, value in asked.items() if value]


async def _made(request: Request, form: str, shown: Page, drawn: int = 0) -> tuple[dict[str, Any], Mapping[str, str]]:
    """Return a page of degraders, and its links; only the first page of two halves makes all molecules."""
    asked: dict[str, object] = {"most-atoms": _MOST_LINKER.of(request), "linkers": _LINKERS.given(request)}
    named, ended = list[str](), list[str | None]()
    for letter, (stem, anchor, smiles) in _HALVES.items():
        half = smiles.of(request)
        named.append(smiles.name if half else stem.name)
        if half:
            asked[f"{letter}-smiles"] = half
            continue
        job = job_named(request, _JOBS[letter].needed(request))
        ended.append(job.record.finished_at)
        asked |= {f"{letter}-job": job.folder, f"{letter}-stem": stem.needed(request)}
        asked[f"{letter}-anchor"] = anchor.needed(request)
    pair = f"{asked} {ended}"
    numbers, truncated = _NUMBERS.use(pair) or (array("I"), False)
    part = numbers[shown.offset :][: shown.limit].tolist()
    asked |= {"format": form, "most": shown.limit, "skip": shown.offset, "pictures": drawn, "counted": True}
    made = dict[str, Any](json.loads(await _ran(request, "degraders", {**asked, "numbers": part}, named)))
    found = array("I", made.pop("numbers"))
    if not part:
        numbers, truncated = found, made["truncated"]
        _NUMBERS.keep(pair, (numbers, truncated))
    links, headers = shown.links(request, len(numbers))
    return made | {"truncated": truncated, **links}, headers


@ROUTES.get("/degraders", {200: PAGE}, (*_ASKED, *_ON_PAGE, _PIN, _NOTE), group="Pages")
async def degraders_page(request: Request) -> Response:
    """Design board: exits of a target against those of a recruiter, pinned pairs, molecules of a pair."""
    read_pins(_PIN.of(request), _NOTE.of(request))  # invalid pins are an error without jobs too
    shown = _ON_PAGE.of(request)
    named = {letter: text.of(request) or "" for letter, text in _JOBS.items()}
    for name in filter(None, named.values()):
        job_named(request, name)  # an unknown job is an error without the other one too
    given = {item.name: item.of(request) or "" for halves in _HALVES.values() for item in halves}
    _, rows = await shared_of(request).parts.index.jobs(job_filters(request, available=True), "protein", 200, 0)
    values: dict[str, Any] = {"named": named, "given": given, "linkers": _LINKERS.given(request) or "", "jobs": rows}
    values |= {"board": None, "files": {}, "most_note": MOST_NOTE, "result": None, "pictures": {}}
    values |= {"linker_classes": LINKER_CLASSES, "most_in_files": MOST_DEGRADERS}
    if all(named.values()):
        board = await _board(request)
        values |= {"board": await in_thread(board.view), "files": board.files(board.chosen), "swapped": board.swapped()}
        values["sheet"] = await in_thread(board.sheet) if board.pins else ""
    if all(given[f"{letter}_smiles"] or (named[letter] and given[f"{letter}_anchor"]) for letter in _JOBS):
        try:
            made, _ = await _made(request, "json", shown, shown.limit)
            values |= {"pictures": drawings(made.pop("pictures")), "result": DegradersAnswer.model_validate(made)}
        except NotFound as error:
            values |= {"why_none": error.message, "status": 404}
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in ("limit", "offset")]
    return page("degraders", **values, query=urlencode(kept))


@ROUTES.get(
    "/degraders/sheet.svg",
    "image/svg+xml",
    (*_JOBS.values(), *_HALVES["a"][:2], *_HALVES["b"][:2], _LINKERS, _PIN, _NOTE),
    group="Pages",
)
async def board_sheet(request: Request) -> Response:
    """The pinned pairs as one drawing in the format of a slide."""
    board = await _board(request)
    headers = {"Content-Security-Policy": "default-src 'none'", "Content-Disposition": disposition("pairs.svg")}
    return made_answer(request, str(await in_thread(board.sheet)).encode(), "image/svg+xml", headers)


async def _board(request: Request) -> Board:
    """Return the board of a request, which names two finished jobs."""
    jobs = [job_named(request, text.needed(request)) for text in _JOBS.values()]
    chosen = Pair(*(item.of(request) or "" for halves in _HALVES.values() for item in halves[:2]))
    pins = read_pins(_PIN.of(request), _NOTE.of(request))
    halves = await in_thread(lambda: [half_of(job) for job in jobs])
    return Board(halves, chosen, pins, _LINKERS.given(request) or "")
