"""Depictions for pages and the report: without legends, data, ids or active content, in few bytes.

A job's folder may have been adopted from elsewhere. Files are never embedded unchanged: only known elements with known
attributes of a known form are written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tethermap.drawing.marks import LEGEND_CLASS, free_spots

LARGEST_FILE = 2_000_000
"""Bytes of a depiction that is read at all."""

SVG = "{http://www.w3.org/2000/svg}"

_NAMES = {
    f"{SVG}{name}": name
    for name in ("g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "tspan", "title")
}
"""Elements that a page shows; others are omitted with all that they contain."""

_NUMBER, _COLOUR = r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?", r"#[0-9a-fA-F]{3,8}|none|currentColor"
_OUTLINE = re.compile(r"[MLHVCSQTAZmlhvcsqtaz0-9eE ,.+\-\n\r\t]*")
_FORMS = {
    name: re.compile(form)
    for form, names in {
        _NUMBER: "x y x1 y1 x2 y2 cx cy r rx ry dx dy width height opacity fill-opacity stroke-opacity stroke-width"
        " font-size",
        _COLOUR: "fill stroke",
        _OUTLINE.pattern: "points",
        r"[a-z-]{1,20}": "text-anchor dominant-baseline stroke-linecap stroke-linejoin",
        r"(?:translate|rotate)\([-0-9., ]{1,60}\)": "transform",
        r"[0-9 ,.]{1,40}": "stroke-dasharray",
        r"[0-9a-z]{1,8}": "font-weight",
        r"[A-Za-z, -]{1,100}": "font-family",
        r"[a-z0-9 _-]*": "class",
    }.items()
    for name in names.split()
}
"""Attributes that a page shows, and the form of their values."""

_WORDS = frozenset(f"{SVG}{name}" for name in ("title", "desc", "text", "rect", "defs"))
"""Elements around a drawing: texts of the whole, and the card in the background."""

_CLASSED = frozenset((f"{SVG}g", f"{SVG}circle"))
"""Elements whose class a page's script looks for."""

_NO_DECIMAL = re.compile(r"\.0(?!\d)")
_MINUS_ZERO = re.compile(r"(?<![\w.])-0(?![\d.])")
_COMMANDS = "MLHVCSQTAZ"


def read_svg(text: str) -> tuple[Element, list[float]]:
    """Return the root of a depiction and its viewBox.

    Raises
    ------
    ValueError
        If it is not an SVG of a known form.
    """
    if len(text) > LARGEST_FILE or "<!" in text.replace("<!--", ""):
        raise ValueError("the depiction is too large or declares a document type")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no document type, so no entities; the size is limited
    except ElementTree.ParseError as error:
        raise ValueError(f"the depiction is no SVG: {error}") from error
    box = [float(value) for value in root.get("viewBox", "").split()]
    if len(box) != len("xywh"):
        raise ValueError("the depiction has no viewBox")
    return root, box


def drawn(root: Element, without: str = "", *, classes: bool = False) -> str:
    """Return the markup of a drawing without its legend, its frame and words on the whole.

    Parameters
    ----------
    without : str
        Class of a group that is omitted too.
    classes : bool
        Whether groups and circles keep their classes.
    """
    left_out = (LEGEND_CLASS, without)
    return _markup((one for one in root if one.tag not in _WORDS and one.get("class") not in left_out), classes)


def inline_svg(text: str, label: str, *, legend: float) -> str:
    """Return a depiction as one small ``<svg>`` element for a page that contains many.

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
    ValueError
        See `read_svg`.

    >>> svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>x()</script></svg>'
    >>> inline_svg(svg, "nothing", legend=4).partition("svg\\" ")[2]
    'viewBox="0 0 9 5" role="img" aria-label="nothing"></svg>'
    """
    root, (x, y, width, height) = read_svg(text)
    box = f"{x:g} {y:g} {width:g} {height - legend:g}"
    font = attributes({"font-family": root.get("font-family", "")})
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}"{font} role="img" aria-label="{escape(label)}">'
    return f"{opening}{drawn(root)}{_core_numbers(root)}</svg>"


def _core_numbers(root: Element) -> str:
    """Return a group with the number of each atom of a core, next to it where the drawing is free."""
    circles = [circle for circle in root.iter(f"{SVG}circle") if "data-core-index" in circle.attrib]
    if not circles:
        return ""
    places = [(float(circle.get("cx", 0)), float(circle.get("cy", 0))) for circle in circles]
    group = Element(f"{SVG}g", {"fill": "#57606a", "font-size": "11", "text-anchor": "middle"})
    for circle, (x, y) in zip(circles, free_spots(places, _NUMBER_AWAY), strict=True):
        position = {"x": f"{x:.1f}", "y": f"{y + 3.5:.1f}"}
        ElementTree.SubElement(group, f"{SVG}text", position).text = circle.get("data-core-index")
    return _markup([group], classes=False)


_NUMBER_AWAY = 16.0
"""Distance of a number from its atom, in pixels."""


def _markup(elements: Iterable[Element], classes: bool) -> str:
    """Return the markup of elements; adjacent paths of the same style become one path."""
    shown = [(_NAMES[one.tag], attributes(one.attrib, classes=classes and one.tag in _CLASSED), one)
             for one in elements if one.tag in _NAMES]  # fmt: skip
    parts: list[str] = []
    for (name, look), alike in groupby(shown, key=itemgetter(0, 1)):
        group = [one for _, _, one in alike]
        if name == "path":
            outlines = [outline for one in group if _OUTLINE.fullmatch(outline := one.get("d", ""))]
            parts += [f'<path{look} d="{_outline(" ".join(outlines))}"/>'] if outlines else []
            continue
        for element in group:
            if name in ("g", "circle", "polygon", "line", "rect"):
                inner = _markup(element, classes)
            else:
                inner = escape(element.text or "", quote=False)
                inner += "".join(_markup([one], classes) + escape(one.tail or "", quote=False) for one in element)
            parts.append(f"<{name}{look}>{inner}</{name}>" if inner else f"<{name}{look}/>")
    return "".join(parts)


def attributes(given: Mapping[str, str], *, classes: bool = False) -> str:
    """Return the attributes that a page shows, those of a known form."""
    return "".join([_attribute(key, value) for key, value in given.items() if classes or key != "class"])


@lru_cache(maxsize=10_000)
def _attribute(key: str, value: str) -> str:
    """Return an attribute shared by many elements, with numbers as short as possible; empty if it isn't shown."""
    form = _FORMS.get(key)
    if form is None or not form.fullmatch(value):
        return ""
    text = value.replace(",", " ") if key == "points" else value
    return f' {key}="{escape(_MINUS_ZERO.sub("0", _NO_DECIMAL.sub("", text)))}"'


@lru_cache(maxsize=64)  # pictures of one ligand are read in sequence, and some of them share outlines
def _outline(outline: str) -> str:
    """Return an outline without redundant spaces, zeros and signs.

    >>> _outline("M 1.0,2.5 L -0.0,3.05 Z")
    'M1 2.5L0 3.05Z'
    """
    text = " ".join(_MINUS_ZERO.sub("0", _NO_DECIMAL.sub("", outline)).replace(",", " ").split())
    for letter in _COMMANDS:
        if letter in text:
            text = text.replace(f" {letter}", letter).replace(f"{letter} ", letter)
    return text
