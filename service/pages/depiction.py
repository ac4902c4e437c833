"""Depictions of instances for pages, coloured for a context."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from service.errors import FileNotFound, InvalidPath
from service.jobs.artifacts import resolve_artifact
from service.results.exposure import recoloured
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.base.tables import Row
from tethermap.drawing.reader import Depiction, load_depiction, read_depiction


def exposed_drawing(
    job: Path, row: Row, atoms: Sequence[Row] | None = None, context: str = HEADLINE_CONTEXT
) -> Depiction | None:
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
    drawing = shown_drawing(job, str(row.get("svg_exposed_path") or ""))
    return drawing if drawing is None or atoms is None else read_depiction(recoloured(drawing, atoms, context))


def exits_drawing(job: Path, row: Row, exits: Collection[str] = ()) -> Depiction | None:
    """Return the depiction of an instance with its exits, or None when it has none that can be shown.

    Parameters
    ----------
    job, row : Path, mapping
        The job folder, and the instance in Results_Display.
    exits : collection of str
        Anchors with highlighted arrows; the others are pale.
    """
    return shown_drawing(job, str(row.get("svg_exits_path") or ""), exits)


def shown_drawing(job: Path, path: str, exits: Collection[str] = ()) -> Depiction | None:
    """Return a depiction of a job for a page; None if there is none that can be shown.

    Parameters
    ----------
    path : str
        The file in the job folder.
    exits : collection of str
        As for `read_depiction`.
    """
    try:
        return load_depiction(resolve_artifact(job, path).path, exits)
    except (FileNotFound, InvalidPath, OSError, ValueError):
        return None


def drawings(texts: Mapping[str, str]) -> dict[str, Depiction]:
    """Return the depictions of SVG texts by their names."""
    return {name: read_depiction(text) for name, text in texts.items()}


def step(share: float) -> int:
    """Return a share as percent in steps of five, for style classes."""
    return 5 * round(20 * min(max(share, 0.0), 1.0))


def thumbnail(drawing: Depiction | None) -> str:
    """Return a depiction as a small separate file; an empty one if there is none."""
    box = " ".join(f"{value:.0f}" for value in (drawing.window if drawing else (0.0, 0.0, 60.0, 40.0)))
    body = drawing.body() if drawing else ""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" stroke-width="2">{body}</svg>'
