"""A drawing on a card with a legend, as an SVG file.

Depictions have a white card as background, to be readable on light and on dark pages. There are
no style attributes and no scripts: the files pass a strict content security policy.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tethermap.base.arrays import FloatArray

TEXT_X = 16.0
FIRST_LINE = 14.0
"""Left edge of the legend, and distance of its first line from the drawing, in pixels."""

TARGET_RADIUS = 0.36
"""Radius of the circle that names an atom, in bond lengths."""

LEGEND_CLASS = "legend"
"""Class of a group below the drawing that pages omit if they give the same information as text."""

LEGEND_HEIGHT = 44.0
"""Height of the legend below the drawing, in pixels."""

INK = "#24292f"
MUTED = "#57606a"
"""Colours of text."""

FONT = "system-ui, Segoe UI, Helvetica, Arial, sans-serif"

_CARD = "#ffffff"
_BORDER = "#d0d7de"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A molecule as SVG elements.

    Parameters
    ----------
    places : ndarray of float, shape (n_atoms, 2)
        Positions of the atoms, in pixels.
    width, height : float
        Size in pixels.
    bond : float
        Length of a bond in pixels.
    """

    body: str
    places: FloatArray
    width: float
    height: float
    bond: float

    def box(self, below: float) -> tuple[float, float, float, float]:
        """Return the box of its card with an area of a height below it, in pixels."""
        return 0.0, 0.0, self.width, self.height + below


def text_width(text: str, size: float) -> float:
    """Return an upper limit of the width of a text in pixels, for bold text of any common sans-serif font.

    Parameters
    ----------
    size : float
        Size of the font in pixels.

    >>> text_width("il", 10) < text_width("C4", 10) < text_width("MW", 10)
    True
    """
    return size * sum(
        1.12 if one in "mwMW%@" else 0.42 if one in " iljftI.,:;'|()[]" else 0.84 if one.isupper() else 0.73
        for one in text
    )


def free_spots(points: Sequence[tuple[float, float]], distance: float) -> list[tuple[float, float]]:
    """Return a place for the number of each point: at a distance from it, as far as possible from all other points.

    Parameters
    ----------
    points : sequence of (float, float)
        Atoms in pixels.

    >>> [(round(x), round(y)) for x, y in free_spots([(0.0, 0.0), (40.0, 0.0)], 20.0)]
    [(-20, 0), (60, 0)]
    """
    turns = [(math.cos(k * math.pi / 12), math.sin(k * math.pi / 12)) for k in range(24)]
    spots: list[tuple[float, float]] = []
    for k, (x, y) in enumerate(points):
        others = [*points[:k], *points[k + 1 :], *spots]
        reach = min((math.dist((x, y), one) for one in others), default=0.0) + 2 * distance
        others = [one for one in others if math.dist((x, y), one) <= reach]  # no other one is nearest to any spot
        tried = [(x + distance * right, y + distance * down) for right, down in turns]
        spots.append(max(tried, key=lambda spot: round(min((math.dist(spot, one) for one in others), default=0.0), 3)))
    return spots


def targets(drawing: Drawing, labels: Sequence[str], data: Sequence[Mapping[str, str]]) -> str:
    """Return an invisible circle over each atom that names it.

    Parameters
    ----------
    labels : sequence of str
        Text shown for each atom.
    data : sequence of mapping of str to str
        Data attributes of each atom, without ``data-``.
    """
    circles = []
    radius = TARGET_RADIUS * drawing.bond
    for k, ((x, y), label, values) in enumerate(zip(drawing.places.tolist(), labels, data, strict=True)):
        attributes = "".join(f' data-{name}="{escape(value, quote=True)}"' for name, value in values.items())
        circles.append(
            f'<circle class="atom atom-{k}"{attributes} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
            f' fill-opacity="0"><title>{escape(label)}</title></circle>'
        )
    return f'<g class="atoms">{"".join(circles)}</g>'


def legend(lines: Sequence[str], drawing: Drawing) -> str:
    """Return lines of text below the drawing, the first one bold."""
    top = drawing.height + FIRST_LINE
    return "".join(legend_line(line, TEXT_X, top + 17 * k, first=k == 0) for k, line in enumerate(lines) if line)


def legend_line(line: str, x: float, y: float, *, first: bool) -> str:
    """Return a line of text, the first one bold."""
    style = f'font-weight="600" fill="{INK}"' if first else f'fill="{MUTED}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" {style}>{escape(line)}</text>'


def card(title: str, description: str, box: tuple[float, float, float, float], parts: Sequence[str]) -> str:
    """Return the whole file: elements in order on a white card.

    Parameters
    ----------
    title, description : str
        Read out by screen readers.
    box : tuple of float
        Left, top, width and height in pixels.
    parts : sequence of str
        SVG elements.
    """
    x, y, width, height = box
    content = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.0f} {y:.0f} {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" font-family="{FONT}" role="img">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect class="card" x="{x + 0.5:.1f}" y="{y + 0.5:.1f}" width="{width - 1:.0f}" height="{height - 1:.0f}"'
        f' rx="10" fill="{_CARD}" stroke="{_BORDER}"/>\n{content}\n</svg>\n'
    )
