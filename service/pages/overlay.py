"""Superposed ligands in the common frame of their group, with the directions of their exits."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from service.addresses import address
from service.errors import FileNotFound
from service.pages.instance import file_address, structure_of
from service.pages.texts import TEXTS
from service.results.job import Job
from service.results.tables import OF_STEMS, number
from tethermap.base import layout, tables
from tethermap.base.reasons import SUPERPOSITION_REASONS
from tethermap.base.tables import Row

MAX_LIGANDS = 24
"""Ligands in one view."""

MAX_DIRECTIONS = 8
"""Directions that are drawn, those open in most entries."""

COLOURS = ("#0072b2", "#d55e00", "#a0c060", "#60c0ff", "#8000ff", "#a00000", "#c0a0a0", "#804040")
"""Of the ligands, in turn; all differ for each common kind of colour vision. The first two: Okabe and Ito (2008)."""


def overlay_view(job: Job, stems: Sequence[str]) -> dict[str, Any]:
    """Return the data for the page of superposed ligands.

    Parameters
    ----------
    job : Job
        A job that has ended.
    stems : sequence of str
        The ligands; those of the first one's group are shown.

    Raises
    ------
    FileNotFound
        If all of them are missing in the job.
    """
    rows = job.tables.rows(tables.SUPERPOSITION, f"WHERE {OF_STEMS}", [list(stems)])
    placed = {str(row["stem"]): row for row in rows}
    chosen = [placed[stem] for stem in stems if stem in placed]
    if not chosen:
        raise FileNotFound(TEXTS.overlay.no_ligand)
    first = next((row for row in chosen if row["superposed"]), chosen[0])
    results = {row["stem"]: row for row in job.tables.rows(tables.RESULTS_TABLE)}
    shown = [row for row in chosen if row["superposed"] and row["group"] == first["group"]][:MAX_LIGANDS]
    others = [row for row in chosen if row not in shown]
    directions = job.tables.rows(tables.EXIT_CONSENSUS, 'WHERE "group" = ?', [first["group"]])
    directions.sort(key=lambda row: (-(number(row, "n_entries_open") or 0), -(number(row, "best_score") or 0.0)))
    lines = [_line(job, row, results.get(row["stem"], {}), number_) for number_, row in enumerate(shown)]
    reference = results.get(first["reference"])
    return {
        "title": str(first["protein"] or first["group"]),
        "lines": lines,
        "left_out": [(row["stem"], _why_not(row, first), _own_frame(job, row, first, chosen)) for row in others],
        "directions": directions[:MAX_DIRECTIONS],
        "reference": first["reference"],
        "data": {
            "reference": structure_of(job.base, reference) if reference is not None else None,
            "ligands": [{name: line[name] for name in ("url", "matrix", "shift", "colour", "label")} for line in lines],
            "directions": [
                {
                    "rank": rank,
                    "at": [number(row, axis) for axis in "xyz"],
                    "vector": [number(row, f"vector_{axis}") for axis in "xyz"],
                    "closed": not number(row, "n_entries_open"),
                }
                for rank, row in enumerate(directions[:MAX_DIRECTIONS], 1)
            ],
        },
    }


def _line(job: Job, row: Row, result: Row, place: int) -> dict[str, Any]:
    path = str(result.get("sdf_path") or layout.ligand_sdf(str(row["stem"])))
    return {
        "row": row,
        "stem": row["stem"],
        "label": f"{row['Warhead']} {row['pdb_id']} {row['Chain']}",
        "colour": COLOURS[place % len(COLOURS)],
        "url": file_address(job.base, path),
        "matrix": [[number(row, f"r{i}{j}") for j in (1, 2, 3)] for i in (1, 2, 3)],
        "shift": [number(row, f"t{i}") for i in (1, 2, 3)],
    }


def _why_not(row: Row, first: Row) -> str:
    if row["group"] != first["group"]:
        return str(TEXTS.overlay.other_group.plain(group=row["protein"] or row["group"] or "none"))
    if not row["superposed"]:
        return SUPERPOSITION_REASONS.get(str(row["reason"]), str(TEXTS.overlay.not_superposed))
    return str(TEXTS.overlay.at_most.plain(n=MAX_LIGANDS))


def _own_frame(job: Job, row: Row, first: Row, chosen: Sequence[Row]) -> str:
    """Return the address of the view of a ligand's own group; empty if it has none or is in the group shown."""
    if row["group"] == first["group"] or not row["superposed"]:
        return ""
    stems = [("stem", str(one["stem"])) for one in chosen if one["group"] == row["group"]]
    return address(f"/results/{job.record.job_id}/overlay?{urlencode(stems)}")
