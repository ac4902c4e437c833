"""Depictions of instances for pages, coloured for a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from scripts.lib.tables import Value
from service.depiction import recoloured
from service.errors import FileNotFound
from service.exposure import relative
from service.job_tables import number
from service.pages.svg import LARGEST_FILE, SafeDrawing, UnreadableDrawing, safe_drawing
from service.structures import instance_file

Row = Mapping[str, Value]

_PADDING = 6


def drawing_of(job: Path, row: Row, atoms: Sequence[Row] | None, context: str) -> SafeDrawing | None:
    """Return the depiction of an instance, or None when it has none that can be shown.

    Parameters
    ----------
    job : Path
        The job folder.
    row : mapping
        The instance in Results_Display.
    atoms : sequence of mapping or None
        Rows of its heavy atoms, to colour it for `context`; None leaves it as it is in the file.
    context : str
        One of `service.exposure.CONTEXTS`.
    """
    try:
        artifact = instance_file(job, row, "svg_exposed_path")
        if artifact.size > LARGEST_FILE:
            return None
        text = artifact.path.read_text(encoding="utf-8")
        return safe_drawing(text if atoms is None else recoloured(text, atoms, context))
    except (FileNotFound, UnreadableDrawing, OSError, ValueError):
        return None


def thumbnail(drawing: SafeDrawing | None) -> Markup:
    """Return a depiction as a small file of its own; an empty one when there is none."""
    width, height, body = (drawing.width, drawing.height, drawing.body) if drawing else (60.0, 40.0, Markup())
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{} {} {} {}" stroke-width="2">{}</svg>'
    ).format(_PADDING * 2, _PADDING * 2, f"{width - 4 * _PADDING:.0f}", f"{height - 4 * _PADDING:.0f}", body)


def marks(drawing: SafeDrawing | None, atoms: Sequence[Row]) -> list[dict[str, Any]]:
    """Return where the atoms are in a drawing, with their names."""
    names = {row.get("sdf_index"): row for row in atoms}
    found = []
    for mark in drawing.atoms if drawing else ():
        row = names.get(mark.index)
        if row is not None:
            place = {"index": mark.index, "x": mark.x, "y": mark.y, "radius": mark.radius}
            found.append({**place, "name": row["exact_atom"], "element": row["element"]})
    return found


def percent(row: Row, context: str) -> str:
    """Return an atom's relative exposure in a context as whole percent; empty when it has none."""
    share = relative(row, f"SASA_{context}_A2")
    return "" if share is None else f"{100 * share:.0f}"


def area(row: Row, context: str) -> str:
    """Return an atom's area in a context in square angstroms; empty when it was not measured."""
    value = number(row, f"SASA_{context}_A2")
    return "" if value is None else f"{value:.1f}"
