"""Depictions for pages: read from a job's folder and written anew, element by element.

A job's folder may have been adopted from elsewhere. Nothing of a file reaches a page as it is:
only known elements with known attributes of a known form are written again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree

from markupsafe import Markup

from tethermap.drawing.marks import LEGEND_CLASS

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
        (
            *("cx", "cy", "r", "x", "y", "x1", "y1", "x2", "y2", "stroke-width", "stroke-miterlimit"),
            *("opacity", "fill-opacity", "stroke-opacity", "font-size", "font-weight"),
        ),
        _NUMBER,
    ),
    "fill": _COLOUR,
    "stroke": _COLOUR,
    "d": _PATH,
    "points": _PATH,
    "transform": re.compile(r"translate\(-?[0-9.]{1,10} -?[0-9.]{1,10}\)"),
    "text-anchor": _WORD,
    "class": _CLASS,
    "fill-rule": _WORD,
    "stroke-linecap": _WORD,
    "stroke-linejoin": _WORD,
    "stroke-dasharray": _DASHES,
}
_SHAPES = ("path", "circle", "line", "ellipse", "polygon")
_PALE = "0.3"
_RANK = re.compile(r"[0-9]{1,3}")
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

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The part that holds its atoms and the numbers of its exits: left, top, width, height."""
        points = [(mark.x, mark.y) for mark in self.atoms]
        points += [(float(x), float(y)) for x, y in _BADGE.findall(str(self.body))]
        if not points:
            return 0.0, 0.0, self.width, self.height
        low, high = [min(axis) for axis in zip(*points, strict=True)], [max(axis) for axis in zip(*points, strict=True)]
        left, top = (value - _MARGIN for value in low)
        return left, top, high[0] + _MARGIN - left, high[1] + _MARGIN - top


_BADGE = re.compile(r'<circle cx="([0-9.-]+)" cy="([0-9.-]+)"')
_MARGIN = 24.0
"""Around the middles of atoms and numbers, in pixels: half a label."""


def safe_drawing(text: str, exits: Collection[str] = ()) -> SafeDrawing:
    """Return a depiction as elements that can stand in a page.

    Parameters
    ----------
    text : str
        The SVG file.
    exits : collection of str
        Anchors whose arrows are meant; those of others are pale. An atom without an arrow gets a ring.

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
    anchors = {item.get("data-anchor", "") for item in root if _name(item) == "g"}
    meant = anchors & set(exits)
    for item in root if any(exits) else ():
        if item.get("data-anchor", "") in anchors - meant - {""}:
            item.set("opacity", _PALE)
    body = "".join(_written(item) for item in root)
    if not meant:
        body += "".join(_ring(item) for item in root.iter() if item.get("data-atom-name") in exits)
    return SafeDrawing(width, height, Markup(body), atoms)  # noqa: S704 - written by the lines below, value by value


_LEGEND_TEXT = 14.0
"""How far below the drawing the first line of the legend stands, in pixels."""


def _ring(item: ElementTree.Element) -> str:
    """Return a ring around an atom that has no arrow, as where the linker of a degrader leaves."""
    place = _attributes({name: item.get(name, "") for name in ("cx", "cy", "r")})
    return f'<circle{place} fill="none" stroke="#0072b2" stroke-width="3"/>'


def _name(item: ElementTree.Element) -> str:
    return str(item.tag).rpartition("}")[2]


def _is_number(value: str | None) -> bool:
    return value is not None and _NUMBER.fullmatch(value) is not None


def _marks(root: ElementTree.Element) -> Iterator[AtomMark]:
    for item in root.iter():
        number = _ATOM.search(item.get("class", "")) if _name(item) == "circle" else None
        if number and all(_is_number(item.get(name)) for name in ("cx", "cy", "r")):
            yield AtomMark(int(number[1]), *(float(item.get(name, "0")) for name in ("cx", "cy", "r")))


def _written(item: ElementTree.Element) -> str:
    """Return one element and what is in it; circles that only name atoms, texts and all else are left out.

    Of texts the numbers of exits stay.
    """
    name = _name(item)
    if name == "g" and item.get("class") != LEGEND_CLASS:
        inner = "".join(_written(child) for child in item)
        return f"<g{_attributes(item.attrib)}>{inner}</g>" if inner else ""
    if name == "text" and item.get("text-anchor") and _RANK.fullmatch(item.text or ""):
        return f"<text{_attributes(item.attrib)}>{item.text}</text>"
    if name not in _SHAPES:
        return ""
    if name == "circle" and _ATOM.search(item.get("class", "")):
        return ""
    return f"<{name}{_attributes(item.attrib)}/>"


def _attributes(given: Mapping[str, str]) -> str:
    kept = ((name, value) for name, value in given.items() if name in _FORMS and _FORMS[name].fullmatch(value))
    return "".join(f' {name}="{escape(" ".join(value.split()))}"' for name, value in kept)
