"""Exit directions over all structures of a protein: where a linker can leave whichever ligand is bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from service.results.tables import number
from tethermap.base.tables import Row

MAX_DIRECTIONS = 8
"""Directions of one group that are shown; all are in Exit_Consensus.csv."""

_NAMED = 6
"""Anchors that are named for one direction."""


def directions(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the directions of each group of more than one structure, those open in most of them first.

    Parameters
    ----------
    rows : sequence of mapping
        Rows of Exit_Consensus.csv.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if (number(row, "n_entries") or 0) > 1:
            groups.setdefault(str(row["group"]), []).append(row)
    shown = []
    for name, members in groups.items():
        members.sort(key=lambda row: (-(number(row, "n_entries_open") or 0), -(number(row, "best_score") or 0.0)))
        residues = Counter(_residue(row) for row in members[:MAX_DIRECTIONS])
        lines = [_line(row, alone=residues[_residue(row)] == 1) for row in members[:MAX_DIRECTIONS]]
        shown.append(
            {
                "name": name,
                "protein": str(members[0].get("protein") or ""),
                "entries": members[0]["n_entries"],
                "lines": lines,
                "total": len(members),
            }
        )
    return shown


def _residue(row: Row) -> str:
    return str(row.get("residue") or "")


def _line(row: Row, *, alone: bool) -> dict[str, Any]:
    """Return a direction in words: by the residue it passes, and by its number where others pass that too."""
    anchors = [anchor for anchor in str(row.get("anchors") or "").split(";") if anchor]
    more = len(anchors) - _NAMED
    share = (number(row, "n_entries_open") or 0) / (number(row, "n_entries") or 1)
    residue, number_of = _residue(row), str(row["direction"]).rpartition("-")[2]
    name = f"by {residue}" if alone else f"by {residue}, no. {number_of}"
    return {
        "row": row,
        "name": name if residue else str(row["direction"]),
        "step": 5 * round(20 * share),
        "anchors": ", ".join(anchor.replace(":", " ") for anchor in anchors[:_NAMED])
        + (f" and {more} more" if more > 0 else ""),
    }
