"""Depictions for pages: read from a job's folder and written anew, element by element.

A job's folder may have been adopted from elsewhere. Nothing of a file reaches a page as it is:
only known elements with known attributes of a known form are written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree

from markupsafe import Markup

LARGEST_FILE = 2_000_000
"""Bytes of a depiction that is read at all."""

_NUMBER = re.compile(r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?")
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|none|currentColor")
_PATH = re.compile(r"[MLHVCSQTAZmlhvcsqtaz0-9eE ,.+\-\n\r\t]*")
_CLASS = re.compile(r"[a-z0-9 _-]*")
_WORD = re.compile(r"[a-z]{1,20}")
_DASHES = re.compile(r"[0-9 ,.]{1,40}")
_FORMS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("cx", "cy", "r", "x1", "y1", "x2", "y2", "stroke-width", "stroke-miterlimit", "fill-opacity"), _NUMBER
    ),
    "stroke-opacity": _NUMBER,
    "fill": _COLOUR,
    "stroke": _COLOUR,
    "d": _PATH,
    "class": _CLASS,
    "fill-rule": _WORD,
    "stroke-linecap": _WORD,
    "stroke-linejoin": _WORD,
    "stroke-dasharray": _DASHES,
}
_SHAPES = ("path", "circle", "line", "ellipse")
_ATOM = re.compile(r"(?:^| )atom atom-([0-9]{1,4})(?: |$)")


class UnreadableDrawing(ValueError):  # noqa: N818 - a state of a file that the page tells
    """A depiction that can't be shown."""


@dataclass(frozen=True, slots=True)
class AtomMark:
    """Where an atom is in a drawing: its number, the place in pixels, the radius of its circle."""

    index: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class SafeDrawing:
    """A depiction without its card and its legend.

    Parameters
    ----------
    width, height : float
        Size of the drawing in pixels.
    body : Markup
        Its elements, safe to stand in a page.
    atoms : tuple of AtomMark
        Where its atoms are, in order.
    """

    width: float
    height: float
    body: Markup
    atoms: tuple[AtomMark, ...]


def safe_drawing(text: str) -> SafeDrawing:
    """Return a depiction as elements that can stand in a page.

    Parameters
    ----------
    text : str
        The SVG file.

    Raises
    ------
    UnreadableDrawing
        If it is no SVG of a known form.
    """
    if len(text) > LARGEST_FILE or "<!" in text.replace("<!--", ""):
        raise UnreadableDrawing("the depiction is too large or declares a document type")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no document type, so no entities; the size is limited
        _, _, width, height = (float(part) for part in root.get("viewBox", "").split())
    except (ElementTree.ParseError, ValueError):
        raise UnreadableDrawing("the depiction is no SVG") from None
    legends = [float(item.get("y", "nan")) for item in root if _name(item) == "text" and _is_number(item.get("y"))]
    if legends:
        height = max(1.0, min(legends) - _LEGEND_TEXT)
    atoms = tuple(sorted(_marks(root), key=lambda mark: mark.index))
    body = "".join(_written(item) for item in root)
    return SafeDrawing(width, height, Markup(body), atoms)  # noqa: S704 - written by the lines below, value by value


_LEGEND_TEXT = 14.0
"""How far below the drawing the first line of the legend stands, in pixels."""


def _name(item: ElementTree.Element) -> str:
    return str(item.tag).rpartition("}")[2]


def _is_number(value: str | None) -> bool:
    return value is not None and _NUMBER.fullmatch(value) is not None


def _marks(root: ElementTree.Element) -> Iterator[AtomMark]:
    for item in root.iter():
        found = _ATOM.search(item.get("class", "")) if _name(item) == "circle" else None
        if found and all(_is_number(item.get(name)) for name in ("cx", "cy", "r")):
            yield AtomMark(int(found[1]), *(float(item.get(name, "0")) for name in ("cx", "cy", "r")))


def _written(item: ElementTree.Element) -> str:
    """Return one element and what is in it; circles that only name atoms, texts and all else are left out."""
    name = _name(item)
    if name == "g":
        inner = "".join(_written(child) for child in item)
        return f"<g{_attributes(item.attrib)}>{inner}</g>" if inner else ""
    if name not in _SHAPES:
        return ""
    if name == "circle" and _ATOM.search(item.get("class", "")):
        return ""
    return f"<{name}{_attributes(item.attrib)}/>"


def _attributes(given: Mapping[str, str]) -> str:
    kept = ((name, value) for name, value in given.items() if name in _FORMS and _FORMS[name].fullmatch(value))
    return "".join(f' {name}="{escape(" ".join(value.split()))}"' for name, value in kept)
