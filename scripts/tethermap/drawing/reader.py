"""Read depictions back: places of their atoms, and elements for pages and the report without active content.

A job's folder may have been adopted from elsewhere. Files are never embedded unchanged: only known elements with known
attributes of a known form are written again.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from tethermap.drawing.card import FIRST_LINE, FONT, LEGEND_CLASS, MUTED, TARGET_RADIUS, Drawing, free_spots

LARGEST_FILE = 2_000_000
"""Bytes of a depiction that is read at all."""

_MOST_LEVELS = 8
"""Maximum depth of elements; our files have 4."""

_SVG = "{http://www.w3.org/2000/svg}"
_CIRCLE, _TEXT = f"{_SVG}circle", f"{_SVG}text"

_NAMES = {
    f"{_SVG}{name}": name
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

_WORDS = frozenset(f"{_SVG}{name}" for name in ("title", "desc", "text", "rect", "defs"))
"""Elements around a drawing: texts of the whole, and the card in the background."""

_CLASSED = frozenset((f"{_SVG}g", _CIRCLE))
"""Elements whose class a page's script looks for."""

_NO_DECIMAL = re.compile(r"\.0(?!\d)")
_MINUS_ZERO = re.compile(r"(?<![\w.])-0(?![\d.])")
_COMMANDS = "MLHVCSQTAZ"


@dataclass(frozen=True, slots=True)
class AtomMark:
    """An atom in a depiction: its index (in a core that of the core), name and element, place and size in pixels."""

    index: int
    name: str
    element: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Depiction:
    """A depiction without its card and its legend.

    Parameters
    ----------
    title, description : str
        Texts for screen readers.
    width, height : float
        Size of the drawing in pixels.
    box : tuple of float
        The part with its atoms and the numbers of its exits: left, top, width, height.
    atoms : sequence of AtomMark
        Position of each atom.
    focus : AtomMark or None
        Atom of the first highlighted exit.
    elements : sequence of Element
        Elements of the file, unchecked; `body` writes those that are safe.
    """

    title: str
    description: str
    width: float
    height: float
    box: tuple[float, float, float, float]
    atoms: Sequence[AtomMark]
    focus: AtomMark | None
    elements: Sequence[Element]

    def body(self, *, without: Collection[str] = ("atoms",), classes: bool = True) -> str:
        """Return elements that are safe in a page.

        Parameters
        ----------
        without : collection of str
            Classes of groups that are omitted.
        classes : bool
            Whether groups and circles keep their classes.
        """
        return _markup((one for one in self.elements if one.get("class") not in without), classes)

    def drawing(self, *without: str) -> Drawing:
        """Return the drawing without the circles over its atoms and without groups of the given classes."""
        places = np.array([(atom.x, atom.y) for atom in self.atoms]).reshape(-1, 2)
        bond = self.atoms[0].radius / TARGET_RADIUS if self.atoms else 0.0
        return Drawing(self.body(without=("atoms", *without)), places, self.width, self.height, bond)

    @property
    def window(self) -> tuple[float, float, float, float]:
        """Part for a small picture: all, or for a large ligand the part around the highlighted exit."""
        if self.focus is None or len(self.atoms) <= _READABLE:
            return self.box
        x, y, whole_width, whole_height = self.box
        width, height = min(whole_width, _LARGEST_WINDOW[0]), min(whole_height, _LARGEST_WINDOW[1])
        left = min(max(self.focus.x - width / 2, x), x + whole_width - width)
        top = min(max(self.focus.y - height / 2, y), y + whole_height - height)
        return left, top, width, height


_READABLE = 45
"""Atoms of a ligand that a small picture can show whole."""

_LARGEST_WINDOW = (460.0, 380.0)
"""Width and height of the part that a small picture shows of a larger ligand, in pixels."""

_MARGIN = 24.0
"""Around the middles of atoms and numbers, in pixels: half a label."""

_PALE = "0.3"


def load_depiction(path: str | PathLike[str], exits: Collection[str] = ()) -> Depiction:
    """Return the depiction of a file; see `read_depiction`."""
    if Path(path).stat().st_size > LARGEST_FILE:
        raise ValueError("the depiction is too large")
    return read_depiction(Path(path).read_text(encoding="utf-8"), exits)


def read_depiction(text: str, exits: Collection[str] = ()) -> Depiction:
    """Return the depiction of an SVG file that `tethermap.drawing.card` wrote.

    Parameters
    ----------
    text : str
        The SVG file.
    exits : collection of str
        Anchors with highlighted arrows; other arrows are pale. An atom without an arrow gets a ring.

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
    view = [float(value) for value in root.get("viewBox", "").split()]
    if len(view) != len("xywh"):
        raise ValueError("the depiction has no viewBox")
    level = list(root)
    for _ in range(_MOST_LEVELS):
        level = [inner for one in level for inner in one]
    if level:
        raise ValueError("elements of the depiction are nested too deeply")
    _, _, width, height = view
    if lines := [float(line.get("y", "nan")) for line in root.findall(_TEXT)]:
        height = max(1.0, min(lines) - FIRST_LINE)
    elements = [one for one in root if one.tag not in _WORDS and one.get("class") != LEGEND_CLASS]
    atoms = [_atom(circle) for circle in root.iterfind(f"{_SVG}g[@class='atoms']/{_CIRCLE}")]
    arrows = [one for one in elements if one.get("data-anchor")]
    others = [one for one in arrows if one.get("data-anchor") not in exits]
    for arrow in others if any(exits) else ():
        arrow.set("opacity", _PALE)
    chosen = [atom for name in exits for atom in atoms if name == atom.name]
    if len(others) == len(arrows):  # as where the linker of a degrader leaves
        ring = {"fill": "none", "stroke": "#0072b2", "stroke-width": "3"}
        elements += [Element(_CIRCLE, {"cx": f"{a.x}", "cy": f"{a.y}", "r": f"{a.radius}", **ring}) for a in chosen]
    return Depiction(
        title=root.findtext(f"{_SVG}title", ""),
        description=root.findtext(f"{_SVG}desc", ""),
        width=width,
        height=height,
        box=_box(elements) or (0.0, 0.0, width, height),
        atoms=atoms,
        focus=chosen[0] if chosen else None,
        elements=elements,
    )


def _atom(circle: Element) -> AtomMark:
    """Return an atom from the circle that `tethermap.drawing.card.targets` wrote."""
    index = circle.get("data-index", "") or circle.get("data-core-index", "")
    x, y, radius = (float(circle.get(name, "")) for name in ("cx", "cy", "r"))
    return AtomMark(int(index), circle.get("data-atom-name", ""), circle.get("data-element", ""), x, y, radius)


def _box(elements: Iterable[Element]) -> tuple[float, float, float, float] | None:
    """Return the part around the middles of circles and the starts of texts; None if there are none."""
    points = [
        [float(one.get(name, "nan")) for name in (("x", "y") if one.tag == _TEXT else ("cx", "cy"))]
        for whole in elements
        for one in whole.iter()
        if one.tag in (_CIRCLE, _TEXT)
    ]
    if not points:
        return None
    (left, top), (right, bottom) = ([pick(axis) for axis in zip(*points, strict=True)] for pick in (min, max))
    left, top = left - _MARGIN, top - _MARGIN
    return left, top, right + _MARGIN - left, bottom + _MARGIN - top


def inline_svg(depiction: Depiction, label: str, *, name: str = "", numbered: bool = False) -> str:
    """Return a depiction as one small ``<svg>`` element for a page that contains many.

    Parameters
    ----------
    label : str
        Text alternative.
    name : str
        Id of the element, if not empty.
    numbered : bool
        Whether each atom has its number next to it, from 1, where the drawing is free.
    """
    tag = f'svg id="{escape(name)}"' if name else "svg"
    spots = free_spots([(atom.x, atom.y) for atom in depiction.atoms], _NUMBER_AWAY) if numbered else ()
    numbers = "".join(
        f"<text{attributes({'x': f'{x:.1f}', 'y': f'{y + 3.5:.1f}'})}>{atom.index + 1}</text>"
        for atom, (x, y) in zip(depiction.atoms, spots, strict=False)
    )
    group = f'<g fill="{MUTED}" font-size="11" text-anchor="middle">{numbers}</g>' if numbers else ""
    return (
        f'<{tag} xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {depiction.width:g} {depiction.height:g}"'
        f' font-family="{FONT}" role="img" aria-label="{escape(label)}">'
        f"{depiction.body(without=(), classes=False)}{group}</svg>"
    )


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
