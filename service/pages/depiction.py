"""Depictions of instances for pages, coloured for a context."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from markupsafe import Markup

from service.errors import FileNotFound, InvalidPath
from service.jobs.artifacts import Artifact
from service.pages.svg import AtomMark, SafeDrawing, safe_drawing
from service.results.exposure import recoloured, relative
from service.results.structures import instance_file
from service.results.tables import number
from tethermap.base.contexts import HEADLINE_CONTEXT, area_column
from tethermap.base.tables import Row
from tethermap.drawing.inline import LARGEST_FILE


def drawing_of(
    job: Path, row: Row, atoms: Sequence[Row] | None = None, context: str = HEADLINE_CONTEXT
) -> SafeDrawing | None:
    """Return the depiction of an instance, or None when it has none that can be shown.

    Parameters
    ----------
    job : Path
        The job folder.
    row : mapping
        The instance in Results_Display.
    atoms : sequence of mapping or None
        Rows of its heavy atoms, to colour it for `context`; None keeps the colours of the file.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    return shown_drawing(
        lambda: instance_file(job, row, "svg_exposed_path"),
        lambda text: text if atoms is None else recoloured(text, atoms, context),
    )


def exits_drawing(job: Path, row: Row, exits: Collection[str] = ()) -> SafeDrawing | None:
    """Return the depiction of an instance with its exits, or None when it has none that can be shown.

    Parameters
    ----------
    job, row : Path, mapping
        The job folder, and the instance in Results_Display.
    exits : collection of str
        Anchors with highlighted arrows; the others are pale.
    """
    return shown_drawing(lambda: instance_file(job, row, "svg_exits_path"), exits=exits)


def shown_drawing(
    find: Callable[[], Artifact], change: Callable[[str], str] = str, exits: Collection[str] = ()
) -> SafeDrawing | None:
    """Return a depiction of a job for a page; None if there is none that can be shown.

    Parameters
    ----------
    find : callable
        Returns the file.
    change : callable
        Changes its text first.
    exits : collection of str
        As for `safe_drawing`.
    """
    try:
        artifact = find()
        if artifact.size > LARGEST_FILE:
            return None
        return safe_drawing(change(artifact.path.read_text(encoding="utf-8")), exits)
    except (FileNotFound, InvalidPath, OSError, ValueError):
        return None


def thumbnail(drawing: SafeDrawing | None) -> Markup:
    """Return a depiction as a small separate file; an empty one if there is none."""
    body = drawing.body if drawing else Markup()
    box = " ".join(f"{value:.0f}" for value in (drawing.window if drawing else (0.0, 0.0, 60.0, 40.0)))
    return Markup('<svg xmlns="http://www.w3.org/2000/svg" viewBox="{}" stroke-width="2">{}</svg>').format(box, body)


def marks(drawing: SafeDrawing | None, atoms: Sequence[Row]) -> list[tuple[AtomMark, str]]:
    """Return where the atoms are in a drawing, with their names."""
    names = {row.get("sdf_index"): row["exact_atom"] for row in atoms}
    drawn = drawing.atoms if drawing else ()
    return [(mark, str(names[mark.index])) for mark in drawn if mark.index in names]


def percent(row: Row, context: str) -> str:
    """Return an atom's relative exposure in a context as whole percent; empty when it has none."""
    share = relative(row, area_column(context))
    return "" if share is None else f"{100 * share:.0f}"


def area(row: Row, context: str) -> str:
    """Return an atom's area in a context in square angstroms; empty when it was not measured."""
    value = number(row, area_column(context))
    return "" if value is None else f"{value:.1f}"
