"""Depictions made fit for one page: no styles, no clashing ids, no script, few bytes.

The page's content security policy allows no style attributes, so they become presentation
attributes; coordinates keep one decimal, which is less than a tenth of a pixel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter
from xml.etree import ElementTree

from scripts.lib.drawing.marks import LEGEND_CLASS

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"

ELEMENTS = frozenset(
    (
        "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title",
        "desc", "defs", "linearGradient", "radialGradient", "stop", "use", "clipPath",
    )
)  # fmt: skip
"""Elements that stay; others go with all they hold."""

ATTRIBUTES = frozenset(
    (
        "d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height",
        "viewBox", "transform", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity",
        "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight",
        "text-anchor", "dominant-baseline", "offset", "stop-color", "stop-opacity", "gradientUnits", "id", "href",
        "clip-path",
    )
)  # fmt: skip
"""Attributes that stay, from style attributes too."""

_DEFAULTS = {
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-opacity": "1",
    "fill-opacity": "1",
    "opacity": "1",
    "stroke-width": "1",
}
_PLAIN_NUMBERS = frozenset(
    ("width", "height", "opacity", "stroke-width", "stroke-opacity", "fill-opacity", "font-size")
)
_NUMBERS = frozenset(("points", "transform", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry"))
_NUMBER = re.compile(r"-?\d*\.\d+|-?\d+\.?")
_OTHER_NUMBER = re.compile(r"\.(?:(?!\d(?!\d))|(?<!\d\.))")
_MINUS_ZERO = re.compile(r"-0(?![.\d])")
_COMMANDS = "MmLlHhVvCcSsQqTtAaZz"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_SPACES = re.compile(r"[\s,]+")
_WHOLE = re.compile(r"^(-?\d+)\.0+$")
_PLAIN = r"""[^<>&"'\x00-\x1f\ufffe\uffff]*"""
_WORDS = rf"{_PLAIN}(?:&(?:amp|lt|gt|quot|\#x27);{_PLAIN})*"
_CIRCLES = re.compile(
    rf"""
    <g\ class="(?:atoms|discs)"(\ fill-opacity="0\.[1-9]")?>
    ((?:<circle\ class="(?:atom|exposure)\ atom-\d+"(?:\ data-(?!core-index)[a-z-]+="{_WORDS}")*
    \ cx="-?\d+\.\d"\ cy="-?\d+\.\d"\ r="\d+\.\d"
    (?:\ fill-opacity="0"><title>(?!<){_WORDS}</title></circle>|\ fill="\#[0-9a-f]{{6}}"/>))+)
    </g>
    """,
    re.VERBOSE,
)
"""The circles of the atoms, those that name them (`scripts.lib.drawing.canvas.targets`) and those of their exposure."""

_NOT_SHOWN = re.compile(r' class="(?:atom|exposure) atom-\d+"(?: data-[a-z-]+="[^"]*")*')

_LAST_LEGEND = re.compile(
    rf'<g class="{LEGEND_CLASS}">(?:<g class="line">[^<]*(?:<(?!/?g[ >])[^<]*)*</g>)+</g>\s*(?=</svg>\s*\Z)'
)
"""The lines below a drawing with exits, which hold half of its elements."""

_PATH = re.compile(r"<path(?: class='[^'<>&]*')?((?: [a-z-]+=\"[^'\"<>&]*\")*) d='(M[^'<>&]*)'([^<>&]*)/>")
"""A path as RDKit draws it; a bond that leaves has more attributes before its outline."""

_PLACE = "taken-from-the-drawing-"
_PLACES = re.compile(rf'<g id="\x01{_PLACE}(\d+)"/>')
"""What stands for such circles and for all paths of RDKit's while the rest is read, and what becomes of that."""

_MOST_KEPT = 10_000
_PICTURES_AT_ONCE = 8
"""Pictures of one ligand come together, and some of them have the same outlines."""

_PREFIX, _BETWEEN = "\x01", "\x02"
"""Stand for what is put before an id, and between outlines: no XML file has these characters."""


def inline_svg(text: str, prefix: str, label: str, *, legend: float = 0.0) -> str:
    """Return a depiction as one clean, small ``<svg>`` element for a page that holds many.

    Parameters
    ----------
    prefix : str
        Put before every id, so that it stays unique in the page.
    label : str
        Text alternative.
    legend : float
        Height of the legend at the bottom, in the drawing's units; the legend, the frame and the
        words on the whole are cut off, as the page says them itself.

    Returns
    -------
    str
        The element; scripts, styles, event handlers and links to elsewhere are gone.

    Raises
    ------
    xml.etree.ElementTree.ParseError
        If the file is not well-formed.

    >>> inline_svg('<svg viewBox="0 0 9 9"><script>x()</script></svg>', "p1-", "nothing").partition(" role")[2]
    '="img" aria-label="nothing"></svg>'
    """
    taken: list[str] = []

    def place_of(markup: str) -> str:
        taken.append(markup)
        return f'<g id="{_PLACE}{len(taken) - 1}"/>'

    if legend:
        text = _LAST_LEGEND.sub("", text)  # not to read what `_cut_legend` would take out
    text = _CIRCLES.sub(lambda group: place_of(f"<g{group[1] or ''}>{_shortened_circles(group[2])}</g>"), text)
    first = _PATH.search(text)
    if first is not None:
        begin, end = first.start(), text.index(">", text.rindex(" d='M")) + 1
        paths = _PATH.findall(text, begin, end)
        if len(paths) == text.count("<", begin, end):  # nothing stands between them
            text = f"{text[:begin]}{place_of(_shortened_paths(paths))}{text[end:]}"
    root = ElementTree.fromstring(text)  # noqa: S314 - written by this job
    if "viewBox" not in root.attrib:
        width, height = (root.get(name, "0").removesuffix("px") for name in ("width", "height"))
        root.set("viewBox", f"0 0 {width} {height}")
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    if legend:
        _cut_legend(root, legend)
    _number_core(root)
    _shorten_outlines(root)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg"{_text(_attributes(root))} role="img"'
    drawing = _PLACES.sub(lambda place: taken[int(place[1])], _children(root))
    drawing = f"{drawing}</svg>".replace(_PREFIX, prefix)
    return f'{opening.replace(_PREFIX, prefix)} aria-label="{escape(label)}">{drawing}'


def _shortened_circles(circles: str) -> str:
    """Return the circles of atoms as the rest of the drawing is written, without reading them as XML."""
    shown = _NOT_SHOWN.sub("", circles).replace('.0"', '"').replace('="-0"', '="0"')
    return shown.replace("&quot;", '"').replace("&#x27;", "'")


def _shortened_paths(paths: Sequence[tuple[str, str, str]]) -> str:
    """Return paths, outlines amid other attributes, as the rest of the drawing is written: one of each look."""
    before, outlines, after = zip(*paths, strict=True)
    looks = zip(map(_look, before, after), _shortened_outlines(outlines), strict=True)
    alike = groupby(looks, key=itemgetter(0))
    return "".join([f'<path{look} d="{"".join([outline for _, outline in group])}"/>' for look, group in alike])


@lru_cache(maxsize=_MOST_KEPT)
def _look(before: str, after: str) -> str:
    return _text(_attributes(ElementTree.fromstring(f"<path{before}{after}/>")))  # noqa: S314 - written by this job


def _cut_legend(root: ElementTree.Element, legend: float) -> None:
    """Remove what stands around the drawing: words, frame and legend."""
    x, y, width, height = (float(value) for value in root.get("viewBox", "").split())
    root.set("viewBox", f"{x:g} {y:g} {width:g} {height - legend:g}")
    for child in list(root):
        tag = str(child.tag).removeprefix(_SVG)
        if tag in ("title", "desc", "text", "rect", "defs") or child.get("class") == LEGEND_CLASS:
            root.remove(child)


def _shorten_outlines(root: ElementTree.Element) -> None:
    """Write the outlines of all paths as `_shortened_outlines` does."""
    paths = [element for element in root.iter() if "d" in element.attrib]
    for path, outline in zip(paths, _shortened_outlines(tuple(path.attrib["d"] for path in paths)), strict=True):
        path.attrib["d"] = outline


@lru_cache(maxsize=_PICTURES_AT_ONCE)
def _shortened_outlines(outlines: tuple[str, ...]) -> list[str]:
    """Return outlines rounded, without the spaces that they do without, and escaped: all at once."""
    if not outlines:
        return []
    together = _BETWEEN.join(outlines)
    if _OTHER_NUMBER.search(together):
        together = _NUMBER.sub(_rounded, together)
    else:  # all as the pipeline draws them, with one decimal or none
        together = together.replace(".0", "")
        if "-0" in together:
            together = _MINUS_ZERO.sub("0", together)
    together = " ".join(together.replace(",", " ").split())
    for letter in _COMMANDS:
        if letter in together:
            together = together.replace(f" {letter}", letter).replace(f"{letter} ", letter)
    return [outline.strip() for outline in escape(together).split(_BETWEEN)]


def _number_core(root: ElementTree.Element) -> None:
    """Write the number of each atom of a core beside it, away from the middle of the drawing."""
    circles = [circle for circle in root.iter(f"{_SVG}circle") if "data-core-index" in circle.attrib]
    if not circles:
        return
    places = [(float(circle.get("cx", 0)), float(circle.get("cy", 0))) for circle in circles]
    middle_x, middle_y = (sum(axis) / len(places) for axis in zip(*places, strict=True))
    style = {"fill": "#57606a", "font-size": "11", "text-anchor": "middle"}
    group = ElementTree.SubElement(root, f"{_SVG}g", style)
    for circle, (x, y) in zip(circles, places, strict=True):
        away = math.hypot(x - middle_x, y - middle_y) or 1.0
        position = {"x": f"{x + 13 * (x - middle_x) / away:.1f}", "y": f"{y + 13 * (y - middle_y) / away + 3.5:.1f}"}
        text = ElementTree.SubElement(group, f"{_SVG}text", position)
        text.text = circle.get("data-core-index")


def _children(element: ElementTree.Element) -> str:
    """Return the markup of all children; neighbouring bare paths of one look become one path."""
    parts: list[str] = []
    look: dict[str, str] | None = None
    outline = ""
    for child in element:
        name = child.tag.removeprefix(_SVG)
        if name not in ELEMENTS:
            continue
        values = _attributes(child)
        bare_path = name == "path" and not len(child) and "d" in values and "transform" not in values
        line = values.pop("d") if bare_path else ""
        if look is not None and (not bare_path or values != look):
            parts.append(f'<path{_text(look)} d="{outline}"/>')
            look, outline = None, ""
        if bare_path:
            look, outline = values, outline + line
        else:
            parts.append(_markup(child, name, values))
    if look is not None:
        parts.append(f'<path{_text(look)} d="{outline}"/>')
    return "".join(parts)


def _markup(element: ElementTree.Element, name: str, values: dict[str, str]) -> str:
    if name in ("text", "tspan", "title", "desc"):
        inner = escape(element.text or "", quote=False)
        for child in element:
            child_name = child.tag.removeprefix(_SVG)
            if child_name in ELEMENTS:
                inner += _markup(child, child_name, _attributes(child))
            inner += escape(child.tail or "", quote=False)
    else:
        inner = _children(element)
    opening = f"{name}{_text(values)}"
    return f"<{opening}>{inner}</{name}>" if inner else f"<{opening}/>"


def _text(values: dict[str, str]) -> str:
    return "".join([f' {key}="{value}"' for key, value in values.items()])


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    """Return the attributes that stay, those of a style attribute among them, escaped, defaults left out."""
    values = element.attrib
    if "style" in values or f"{_XLINK}href" in values:
        values = {"href" if key == f"{_XLINK}href" else key: value for key, value in values.items()}
        for declaration in values.pop("style", "").split(";"):
            key, _, value = declaration.partition(":")
            values[key.strip()] = value.strip()
    cleaned = {}
    for key, value in values.items():
        if key == "d":
            cleaned[key] = value
        elif key in ATTRIBUTES:
            clean = _value(key, value)
            if clean is not None:
                cleaned[key] = clean
    if cleaned.get("fill") == "none":
        cleaned.pop("fill-rule", None)
    return cleaned


@lru_cache(maxsize=_MOST_KEPT)
def _value(key: str, value: str) -> str | None:
    """Return a value that many elements have as it stays, escaped, `_PREFIX` before ids; None where it is left out."""
    if key in _NUMBERS:
        clean = _SPACES.sub(" ", _NUMBER.sub(_rounded, value)).strip()
    elif key in _PLAIN_NUMBERS:
        clean = _WHOLE.sub(r"\1", value.removesuffix("px")) if "." in value else value.removesuffix("px")
    elif key == "id":
        clean = _PREFIX + value
    elif key == "href":
        if not value.startswith("#"):
            return None
        clean = f"#{_PREFIX}{value[1:]}"
    else:
        clean = _REFERENCE.sub(rf"url(#{_PREFIX}\1)", value)
    return None if _DEFAULTS.get(key) == clean else escape(clean)


def _rounded(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
