"""The results page, and the parts of it that scripts fetch: the table, one ligand, a series, a picture."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.errors import FileNotFound
from service.http.endpoint import PAGE, Routes
from service.http.job_answers import JobProgress
from service.http.parameters import CONTEXT, MAX_STEMS, STEM, Choice, Parameter, Text
from service.http.responses import disposition, file_answer, made_answer
from service.jobs.artifacts import ANY_FILE, resolve_artifact
from service.pages.columns import COLUMNS, USUAL
from service.pages.depiction import exits_drawing, exposed_drawing, thumbnail
from service.pages.fit import FITS
from service.pages.form import OWN_STRUCTURES
from service.pages.instance import instance_view
from service.pages.instances import TableView, choices, instance, instances, names_of
from service.pages.overlay import overlay_view
from service.pages.places import SHOWN_PLACES, best_places, unmatched_notice
from service.pages.render import page
from service.pages.series import all_series, series_view
from service.pages.table import table_values
from service.results.answers import Answers
from service.results.job import Job
from service.results.overview import pipeline_of
from service.results.rows import csv_text
from service.results.tables import number
from service.routes.shared import Shared, job_of, shared_of
from tethermap.base import layout, tables
from tethermap.base.tables import Row
from tethermap.report.directions import MAX_GROUPS, group_views
from tethermap.report.left_out import left_out
from tethermap.report.policy import FROM_SERVICE
from tethermap.run.display import STEPS
from tethermap.run.told import told_at_end

_WITH_INSTANCE = 100
"""Instances of a job whose page contains the first one at once; in larger jobs the script of the page fetches it."""
_MAX_SERIES, _MAX_SINGLE = 60, 20
"""Maximum numbers of series with several ligands, and of ligands without relatives, that the page lists."""
_OF_METHOD = ("algorithm", "slices", "probe_radius_A", "radii")
_OF_ENTRIES = ("kept", "reason", "pdb_id", "value", "target_match")
_LIGANDS_LEFT_OUT = "coalesce(reason, ''), coalesce(ligand, ''), coalesce(kind, ''), count(*)"
_OF_GROUPS = ("group", "reference", "pdb_id", "protein")
_OF_DIRECTIONS = (
    *("group", "direction", "n_entries", "n_entries_present", "n_entries_open", "F_median", "F_best", "best_stem"),
    *("best_anchor", "evidence", "anchors", "site_class", "residue"),
)
"""Columns for the lists of skipped items and of groups."""


ROUTES = Routes("Pages", ready=True)
_VIEW = (  # read by `TableView`, which ignores invalid values so that the page is shown
    Parameter("q", "Words that a row must contain."),
    Parameter("ligand", "Component code of the ligand."),
    Parameter("min", "Minimum exposed area of the ligand in Å²."),
    Parameter("max", "Maximum exposed area of the ligand in Å²."),
    Parameter("flag", "Only rows with this flag (`none`: rows without flags); may be repeated."),
    Parameter("fit", f"Required fit of the ligand to the experiment: {', '.join(FITS)}."),
    Parameter("sort", "Column to sort by, with a leading - for descending order."),
    Parameter("columns", "Columns of the table, separated by commas."),
)
_ROW = Parameter("row", "Stem of the ligand shown.")
_STYLE = Choice("style", "Content of the depiction.", known=("exposure", "exits"))
_EXITS = Text("exits", "Anchors with highlighted arrows, separated by commas.")
_SERIES = Text("series", "Name of a series.")
_LOST = ("FILE_NOT_FOUND",)


@ROUTES.get("/results/{job_id}", {200: PAGE, 202: PAGE}, (*_VIEW, _ROW, CONTEXT, _SERIES), ready=False, kept=True)
def results_page(request: Request, job: Job) -> Response:
    """Results of a job."""
    if not job.record.final:
        progress = JobProgress.model_validate(job.record)
        return page("results_waiting", 202, {"Retry-After": "5"}, job=job.record, progress=progress, step_words=STEPS)
    return page("results", **_page_values(request, shared_of(request), job))


def _page_values(request: Request, shared: Shared, job: Job) -> dict[str, Any]:
    record, rows = job.record, job.tables.rows
    view = TableView.of(request.query_params)
    answers = Answers.of(job.tables)
    everything = instances(job.tables, view.names, answers)
    names = names_of(job.tables)
    kept = view.rows(everything, names)
    titles = {str(row["stem"]): names.get(str(row["components"] or row["Warhead"]), "") for row in everything}
    best = best_places(answers, titles, job.page)
    first = {next((place["stem"] for place in best if place["advised"]), best[0]["stem"])} if best else set()
    asked, opened = (request.query_params.get(name, "") for name in ("row", "series"))
    selected = next((row for row in everything if row["stem"] == asked), None)
    row = selected or next((row for row in kept if row["stem"] in first), None)
    row = row or next(iter([*kept[:1], *everything[:1]]), None)
    chosen = str(row["stem"]) if row is not None else None
    series = all_series(job.tables)
    entries = rows(tables.ENTRY_STATUS, names=_OF_ENTRIES)
    dropped = job.tables.fetch(tables.LIGAND_STATUS, _LIGANDS_LEFT_OUT, "WHERE kept IS NOT TRUE GROUP BY ALL")
    placed = rows(tables.SUPERPOSITION, names=_OF_GROUPS)
    entries_of = Counter(group for group, _ in dict.fromkeys((row["group"], row["pdb_id"]) for row in placed))
    several = [group for group, count in entries_of.items() if group and count > 1][:MAX_GROUPS]
    directions = rows(tables.EXIT_CONSENSUS, 'WHERE "group" IN (SELECT unnest(?))', [several], _OF_DIRECTIONS)
    open_series = next((item for item in series if item["series"] == opened), None)
    singles = [item for item in series if (number(item, "n_components") or 0) <= 1]
    return {
        "job": record,
        "base": job.base,
        "places_at_once": SHOWN_PLACES,
        "best": best,
        "unmatched": "" if _has_no_target(record.target_name, names) else unmatched_notice(entries),
        "told": [shared.scrubber.text(line) for line in told_at_end(job.folder)],
        "error": record.error,
        "step_words": STEPS,
        "usual": USUAL,
        "max_stems": MAX_STEMS,
        "all_columns": COLUMNS,
        "choices": choices(everything),
        "fits": FITS,
        "names": names,
        **table_values(everything, kept, view, job.page, chosen),
        "row": row,
        "instance": _shown(request, job, chosen) if selected or len(everything) <= _WITH_INSTANCE else None,
        "method": next(iter(rows(tables.SASA_SUMMARY, "LIMIT 1", names=_OF_METHOD)), None),
        "series": [item for item in series if (number(item, "n_components") or 0) > 1][:_MAX_SERIES],
        "single_series": [item for n, item in enumerate(singles) if n < _MAX_SINGLE or item is open_series],
        "n_single": len(singles),
        "open_series": series_view(job, open_series, everything) if open_series else None,
        "consensus": group_views(placed, directions),
        "left_out": left_out(entries, dropped),
        "pipeline": pipeline_of(job.folder),
        "has_report": (job.folder / layout.REPORT).is_file(),
    }


def _has_no_target(target: str, names: Mapping[str, str]) -> bool:
    """Return whether a job is about own structures or a ligand of this code or name: then all proteins count."""
    sought = target.lower()
    return target == OWN_STRUCTURES or any(sought in (code.lower(), name.lower()) for code, name in names.items())


def _shown(request: Request, job: Job, stem: str | None) -> dict[str, Any] | None:
    """Return the page's data of one instance; None if the job has none."""
    row = instance(job.tables, stem) if stem is not None else None
    return instance_view(job, row, CONTEXT.of(request)) if row is not None else None


def _of_view(job: Job, view: TableView) -> tuple[list[Row], list[Row]]:
    """Return all instances of a job, and those of a view in its order."""
    everything = instances(job.tables, view.names, Answers.of(job.tables))
    return everything, view.rows(everything, names_of(job.tables))


@ROUTES.get("/results/{job_id}/table", PAGE, _VIEW, kept=True)
def table_part(request: Request, job: Job) -> Response:
    """Part of the results page: the table."""
    view = TableView.of(request.query_params)
    return page("results/table_part", **table_values(*_of_view(job, view), view, job.page))


@ROUTES.get("/results/{job_id}/table.csv", "text/csv; charset=utf-8", _VIEW, kept=True)
def table_csv(request: Request, job: Job) -> Response:
    """Table of the results page as CSV."""
    view = TableView.of(request.query_params)
    _, rows = _of_view(job, view)
    headers = {"Content-Disposition": disposition(f"{job.record.job_id}_view.csv"), "Cache-Control": "no-cache"}
    return Response(csv_text([shown.column for shown in view.shown], rows), 200, headers, "text/csv")


@ROUTES.get("/results/{job_id}/instance", {200: PAGE, 302: ""}, (_ROW, CONTEXT), errors=_LOST, kept=True)
def instance_part(request: Request, job: Job) -> Response:
    """Part of the results page: one ligand; without its stem a redirect to the page."""
    CONTEXT.of(request)
    stem = request.query_params.get("row")
    if not stem:
        return RedirectResponse(f"{job.page}#instance", 302)
    shown = _shown(request, job, stem)
    if shown is None:
        raise FileNotFound(f"The job has no ligand {stem[:64]}.")
    return page("results/instance_part", instance=shown, here=job.page)


@ROUTES.get("/results/{job_id}/report", {302: ""}, errors=_LOST)
def report_page(_: Request, job: Job) -> Response:
    """Report of a job."""
    resolve_artifact(job.folder, layout.REPORT)
    return RedirectResponse(f"{job.page}/report/{layout.REPORT.rpartition('/')[2]}", 302)


@ROUTES.get("/results/{job_id}/report/{path:path}", {200: ANY_FILE, 206: ANY_FILE}, errors=(*_LOST, "INVALID_PATH"))
def report_file(request: Request, job: Job) -> Response:
    """Pages of the report, and the files that they link to."""
    artifact = resolve_artifact(job.folder, f"{layout.RESULTS}/{request.path_params['path']}")
    shown = artifact.kind == "html"
    return file_answer(request, artifact, inline=shown, policy=FROM_SERVICE if shown else "")


@ROUTES.get("/results/{job_id}/overlay", PAGE, (STEM,), errors=_LOST)
def overlay_page(request: Request, job: Job) -> Response:
    """Ligands of a job in one frame: the selected ones, or the best copy of each answer."""
    stems = list(dict.fromkeys(request.query_params.getlist("stem")))
    best = stems or [str(row["best_stem"]) for row in Answers.of(job.tables).places]
    return page("overlay", view=overlay_view(job, best[:MAX_STEMS]), base=job.base, here=job.page)


@ROUTES.get("/results/{job_id}/partners/{stem}", "application/json", errors=("NOT_FOUND",))
async def partners(request: Request) -> Response:
    """Atoms of partner chains and symmetry mates around one ligand."""
    arguments = [f"--stem={request.path_params['stem']}", "--", str(job_of(request).folder)]
    text = await shared_of(request).scripts.run("partners", "scripts.partner_atoms", arguments)
    return Response(text, media_type="application/json", headers={"Cache-Control": "private, max-age=600"})


@ROUTES.get("/results/{job_id}/series", {200: PAGE, 302: ""}, (_SERIES,), errors=_LOST)
def series_part(request: Request, job: Job) -> Response:
    """Part of the results page: one series; without its name a redirect to all of them."""
    asked = _SERIES.of(request)
    if not asked:
        return RedirectResponse(f"{job.page}#series", 302)
    series = next((row for row in all_series(job.tables) if row["series"] == asked), None)
    if series is None:
        raise FileNotFound(f"The job has no series {asked[:64]}.")
    everything = instances(job.tables, TableView().names, Answers.of(job.tables))
    return page("results/series_part", view=series_view(job, series, everything), here=job.page)


@ROUTES.get("/results/{job_id}/picture/{stem}", "image/svg+xml", (_STYLE, _EXITS), errors=_LOST)
def picture(request: Request, job: Job) -> Response:
    """Small depiction of one ligand."""
    stem, style = str(request.path_params["stem"]), _STYLE.of(request)
    exits = (_EXITS.of(request) or "").split(",")
    rows = job.tables.rows(tables.RESULTS_TABLE, "WHERE stem = ?", [stem])
    if not rows:
        raise FileNotFound(f"The job has no ligand {stem[:64]}.")
    drawing = exits_drawing(job.folder, rows[0], exits) if style == "exits" else exposed_drawing(job.folder, rows[0])
    headers = {"Content-Security-Policy": "default-src 'none'"}
    return made_answer(request, thumbnail(drawing).encode(), "image/svg+xml", headers)
