"""Depictions made fit for one page: without legends, data, ids or anything active, in few bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from xml.etree import ElementTree

from tethermap.drawing.marks import LEGEND_CLASS

_SVG = "{http://www.w3.org/2000/svg}"

_NAMES = {
    f"{_SVG}{name}": name
    for name in ("g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "tspan", "title")
}
"""Elements that a page shows; others are left out with all that they hold."""

_ATTRIBUTES = frozenset(
    (
        "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height",
        "viewBox", "transform", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
        "stroke-linejoin", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor",
        "dominant-baseline",
    )
)  # fmt: skip
"""Attributes that a page shows, beside the outlines of paths."""

_WORDS = frozenset(f"{_SVG}{name}" for name in ("title", "desc", "text", "rect", "defs"))
"""Elements around a drawing: words on the whole, and the card behind it."""

_NO_DECIMAL = re.compile(r"\.0(?!\d)")
_MINUS_ZERO = re.compile(r"(?<![\w.])-0(?![\d.])")
_COMMANDS = "MLHVCSQTAZ"


def inline_svg(text: str, label: str, *, legend: float) -> str:
    """Return a depiction as one small ``<svg>`` element for a page that holds many.

    Parameters
    ----------
    text : str
        The file, as `tethermap.drawing` writes it.
    label : str
        Text alternative.
    legend : float
        Height of the legend at the bottom, in the drawing's units; legend, frame and title are cut off, as the page
        has its own.

    Returns
    -------
    str
        The element; scripts, styles, event handlers and links are gone.

    Raises
    ------
    xml.etree.ElementTree.ParseError
        If the file is not well-formed.
    ValueError
        If its viewBox is missing or damaged.

    >>> svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>x()</script></svg>'
    >>> inline_svg(svg, "nothing", legend=4).partition("svg\\" ")[2]
    'viewBox="0 0 9 5" role="img" aria-label="nothing"></svg>'
    """
    root = ElementTree.fromstring(text)  # noqa: S314 - written by this job
    x, y, width, height = (float(value) for value in root.get("viewBox", "").split())
    root.attrib.update(viewBox=f"{x:g} {y:g} {width:g} {height - legend:g}")
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    shown = [child for child in root if child.tag not in _WORDS and child.get("class") != LEGEND_CLASS]
    opening = f'<svg xmlns="http://www.w3.org/2000/svg"{_attributes(root)} role="img" aria-label="{escape(label)}">'
    return f"{opening}{_markup([*shown, *_core_numbers(root)])}</svg>"


def _core_numbers(root: ElementTree.Element) -> list[ElementTree.Element]:
    """Return a group with the number of each atom of a core, beside it and away from the middle of the drawing."""
    circles = [circle for circle in root.iter(f"{_SVG}circle") if "data-core-index" in circle.attrib]
    if not circles:
        return []
    places = [(float(circle.get("cx", 0)), float(circle.get("cy", 0))) for circle in circles]
    middle_x, middle_y = (sum(axis) / len(places) for axis in zip(*places, strict=True))
    group = ElementTree.Element(f"{_SVG}g", {"fill": "#57606a", "font-size": "11", "text-anchor": "middle"})
    for circle, (x, y) in zip(circles, places, strict=True):
        away = math.hypot(x - middle_x, y - middle_y) or 1.0
        position = {"x": f"{x + 13 * (x - middle_x) / away:.1f}", "y": f"{y + 13 * (y - middle_y) / away + 3.5:.1f}"}
        ElementTree.SubElement(group, f"{_SVG}text", position).text = circle.get("data-core-index")
    return [group]


def _markup(elements: Iterable[ElementTree.Element]) -> str:
    """Return the markup of elements; neighbouring paths that look alike become one path."""
    parts: list[str] = []
    outlines: list[str] = []
    look = ""
    for element in elements:
        name = _NAMES.get(element.tag)
        if name is None:
            continue
        attributes = _attributes(element)
        if outlines and (name != "path" or attributes != look):
            parts.append(f'<path{look} d="{_outline(" ".join(outlines))}"/>')
            outlines = []
        if name == "path":
            look = attributes
            outlines.append(element.get("d", ""))
            continue
        inner = _markup(element) if name in ("g", "circle", "polygon", "line", "rect") else _words(element)
        parts.append(f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes}/>")
    if outlines:
        parts.append(f'<path{look} d="{_outline(" ".join(outlines))}"/>')
    return "".join(parts)


def _words(element: ElementTree.Element) -> str:
    """Return the content of an element of text."""
    parts = [escape(element.text or "", quote=False)]
    for child in element:
        parts += [_markup([child]), escape(child.tail or "", quote=False)]
    return "".join(parts)


def _attributes(element: ElementTree.Element) -> str:
    return "".join([_attribute(key, value) for key, value in element.attrib.items() if key in _ATTRIBUTES])


@lru_cache(maxsize=10_000)
def _attribute(key: str, value: str) -> str:
    """Return an attribute that many elements have, its numbers as short as they can be."""
    text = value.replace(",", " ") if key == "points" else value
    return f' {key}="{escape(_MINUS_ZERO.sub("0", _NO_DECIMAL.sub("", text)))}"'


@lru_cache(maxsize=64)  # pictures of one ligand come together, and some of them have the same outlines
def _outline(outline: str) -> str:
    """Return an outline without spaces, zeros and signs that it does without.

    >>> _outline("M 1.0,2.5 L -0.0,3.05 Z")
    'M1 2.5L0 3.05Z'
    """
    text = " ".join(_MINUS_ZERO.sub("0", _NO_DECIMAL.sub("", outline)).replace(",", " ").split())
    for letter in _COMMANDS:
        if letter in text:
            text = text.replace(f" {letter}", letter).replace(f"{letter} ", letter)
    return escape(text)
