"""Depictions for pages: those of a job's folder, rewritten, with the positions of their atoms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from markupsafe import Markup

from tethermap.drawing.inline import SVG, attributes, drawn, read_svg

_PALE = "0.3"
_ATOM = re.compile(r"(?:^| )atom atom-([0-9]{1,4})(?: |$)")


@dataclass(frozen=True, slots=True)
class AtomMark:
    """Position of an atom in a drawing: its number, the coordinates in pixels, the radius of its circle."""

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
        Its elements, safe to embed in a page.
    atoms : tuple of AtomMark
        Where its atoms are, in order.
    focus : tuple of float or None
        Position of the first highlighted exit.
    """

    width: float
    height: float
    body: Markup
    atoms: tuple[AtomMark, ...]
    focus: tuple[float, float] | None = None

    @property
    def window(self) -> tuple[float, float, float, float]:
        """Part for a small picture: all, or for a large ligand the part around the highlighted exit."""
        box = self.box
        if self.focus is None or len(self.atoms) <= _READABLE:
            return box
        sizes = [min(size, most) for size, most in zip(box[2:], _LARGEST_WINDOW, strict=True)]
        left, top = (
            min(max(middle - size / 2, low), low + whole - size)
            for middle, size, low, whole in zip(self.focus, sizes, box[:2], box[2:], strict=True)
        )
        return left, top, sizes[0], sizes[1]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The part with its atoms and the numbers of its exits: left, top, width, height."""
        points = [(mark.x, mark.y) for mark in self.atoms]
        points += [(float(x), float(y)) for x, y in _BADGE.findall(str(self.body))]
        if not points:
            return 0.0, 0.0, self.width, self.height
        low, high = [min(axis) for axis in zip(*points, strict=True)], [max(axis) for axis in zip(*points, strict=True)]
        left, top = (value - _MARGIN for value in low)
        return left, top, high[0] + _MARGIN - left, high[1] + _MARGIN - top


_BADGE = re.compile(r'<(?:circle c|text )x="([0-9.-]+)" c?y="([0-9.-]+)"')
_READABLE = 45
"""Atoms of a ligand that a small picture can show whole."""

_LARGEST_WINDOW = (460.0, 380.0)
"""Width and height of the part that a small picture shows of a larger ligand, in pixels."""

_MARGIN = 24.0
"""Around the middles of atoms and numbers, in pixels: half a label."""


def safe_drawing(text: str, exits: Collection[str] = ()) -> SafeDrawing:
    """Return a depiction as elements that can be embedded in a page.

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
    root, (_, _, width, height) = read_svg(text)
    legends = [float(item.get("y", "nan")) for item in root.findall(f"{SVG}text")]
    if legends:
        height = max(1.0, min(legends) - _LEGEND_TEXT)
    anchors = {item.get("data-anchor", "") for item in root.findall(f"{SVG}g")}
    meant = anchors & set(exits)
    for item in root.findall(f"{SVG}g") if any(exits) else ():
        if item.get("data-anchor", "") not in {"", *meant}:
            item.set("opacity", _PALE)
    body = drawn(root, "atoms", classes=True)
    if not meant:  # as where the linker of a degrader leaves
        for item in root.iter():
            if item.get("data-atom-name") in exits:
                place = attributes({name: item.get(name, "") for name in ("cx", "cy", "r")})
                body += f'<circle{place} fill="none" stroke="#0072b2" stroke-width="3"/>'
    atoms = tuple(sorted(_marks(root), key=lambda mark: mark.index))
    places = {item.get("data-atom-name"): item for item in root.iter(f"{SVG}circle")}
    first = next((places[name] for name in exits if name in places), None)
    focus = None if first is None else (float(first.get("cx", "0")), float(first.get("cy", "0")))
    return SafeDrawing(width, height, Markup(body), atoms, focus)  # noqa: S704 - written anew, value by value


_LEGEND_TEXT = 14.0
"""Distance of the first line of the legend from the drawing, in pixels."""


def _marks(root: Element) -> Iterator[AtomMark]:
    for item in root.iter(f"{SVG}circle"):
        if number := _ATOM.search(item.get("class", "")):
            yield AtomMark(int(number[1]), *(float(item.get(name, "nan")) for name in ("cx", "cy", "r")))
