"""A series of ligands on its common core: its depictions, and how exposed each core atom is in each instance."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

from service.errors import FileNotFound, InvalidPath
from service.jobs.artifacts import resolve_artifact
from service.pages.depiction import shown_drawing
from service.pages.instance import file_address
from service.results.exposure import atoms_by_instance, relative
from service.results.job import Job
from service.results.tables import OF_STEMS, JobTables, number
from tethermap.base import layout, tables
from tethermap.base.contexts import HEADLINE_FIRST, area_column
from tethermap.base.tables import Row, Value
from tethermap.drawing.card import free_spots
from tethermap.drawing.ramp import exposure_colour
from tethermap.drawing.reader import Depiction

MAX_ROWS = 60
"""Instances in one heat map: the most exposed come first."""

MAX_LIGANDS = 24
"""Ligands of a series that are drawn."""

_SHOWN = ("series", "n_components", "n_instances", "members", "timed_out", "n_core_atoms")
_MAP = ("core_index", "sdf_index", "atom_name", "series", "stem")


def all_series(reader: JobTables) -> list[Row]:
    """Return the series of a job, the largest first."""
    rows = reader.rows(tables.SERIES, names=_SHOWN)
    return sorted(rows, key=lambda row: (-(number(row, "n_components") or 0), -(number(row, "n_instances") or 0)))


def series_view(job: Job, series: Row, instances: Sequence[Row]) -> dict[str, Any]:
    """Return the heat map of a series: core atoms across, instances down.

    Parameters
    ----------
    job : Job
        The job.
    series : mapping
        Its row in Series.csv.
    instances : sequence of mapping
        All instances of the job.
    """
    name = str(series["series"])
    members = [row for row in instances if row.get("series") == name]
    members.sort(key=lambda row: -(number(row, "SASA_in_complex_A2") or 0.0))
    shown = sorted(members[:MAX_ROWS], key=lambda row: str(row["Warhead"]))
    stems = {str(row["stem"]) for row in shown}
    core = _core_atoms(job.tables, name, stems)
    atoms = atoms_by_instance(job.tables, stems)
    column = area_column(HEADLINE_FIRST[0])
    exposed = {stem: {row["sdf_index"]: relative(row, column) for row in rows} for stem, rows in atoms.items()}
    places = sorted({place for own in core.values() for place in own})
    rows = [_line(row, places, core.get(str(row["stem"]), {}), exposed[str(row["stem"])]) for row in shown]
    shares = [[share for row in rows if (share := row["cells"][k]["share"]) is not None] for k in range(len(places))]
    means = [fmean(known) if known else None for known in shares]
    drawing = shown_drawing(job.folder, f"{layout.SERIES_FOLDER}/{name}.svg")
    return {
        "name": name,
        "places": places,
        "means": means,
        "rows": rows,
        "total": len(members),
        "drawing": drawing,
        "discs": _discs(drawing, dict(zip(places, means, strict=True))),
        "pictures": _pictures(job.folder, job.base, name, {str(row["Warhead"]) for row in members}),
        "context": HEADLINE_FIRST[0],
    }


def _core_atoms(reader: JobTables, series: str, stems: Collection[str]) -> dict[str, dict[int, Row]]:
    """Return, for each instance, its atom at each place of the core."""
    atoms_of: dict[str, dict[int, Row]] = {}
    where = f"WHERE series = ? AND core_index IS NOT NULL AND {OF_STEMS}"
    for row in reader.rows(tables.LIGAND_MCS_MAP, where, [series, list(stems)], _MAP):
        atoms_of.setdefault(str(row["stem"]), {})[int(str(row["core_index"]))] = row
    return atoms_of


def _line(
    row: Row, places: Sequence[int], core: Mapping[int, Row], exposed: Mapping[Value, float | None]
) -> dict[str, Any]:
    atoms = [core.get(place, {"sdf_index": None, "atom_name": ""}) for place in places]
    cells = [{"share": exposed.get(atom["sdf_index"]), "name": str(atom["atom_name"])} for atom in atoms]
    best = str(row.get("answer_atom") or "")
    in_core = best in {str(atom["atom_name"]) for atom in core.values()}
    return {"row": row, "stem": row["stem"], "cells": cells, "best": best, "in_core": in_core}


def _discs(drawing: Depiction | None, means: Mapping[int, float | None]) -> list[dict[str, Any]]:
    """Return a disc for each core atom in the colour of its mean exposure, and the position of its number."""
    marks = [mark for mark in (drawing.atoms if drawing else ()) if mark.index in means]
    spots = free_spots([(mark.x, mark.y) for mark in marks], max((mark.radius for mark in marks), default=0.0) + 9)
    return [
        {"mark": mark, "fill": exposure_colour(means[mark.index]), "number": (f"{x:.1f}", f"{y + 4:.1f}")}
        for mark, (x, y) in zip(marks, spots, strict=True)
    ]


def _pictures(folder: Path, base: str, series: str, codes: Collection[str]) -> list[dict[str, Any]]:
    """Return the depictions of the ligands of a series, aligned on its core."""
    pictures = []
    for code in sorted(codes)[:MAX_LIGANDS]:
        path = f"{layout.SERIES_FOLDER}/{series}_{code}.svg"
        with suppress(FileNotFound, InvalidPath):
            resolve_artifact(folder, path)
            pictures.append({"ligand": code, "url": file_address(base, path)})
    return pictures
