"""Marks of exposure in a depiction: discs, names of atoms, the total, and how to write and replace them.

The pipeline draws a ligand in its headline context; `in_context` shows the same drawing in another one, so
that no molecule has to be drawn for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape
from typing import NamedTuple

from tethermap.base.contexts import CONTEXT_WORDS
from tethermap.drawing.ramp import exposure_colour

SMALLEST_DISC, LARGEST_DISC = 0.26, 0.48
"""Radius of a disc in bond lengths for an atom that is buried, and for one that is open."""

TARGET_RADIUS = 0.36
"""Radius of the circle that names an atom, in bond lengths."""

LEGEND_CLASS = "legend"
"""Class of a group below the drawing that pages omit if they give the same information as text."""

LEGEND_HEIGHT, EXPOSURE_LEGEND_HEIGHT = 44.0, 62.0
"""Height of the legend below the drawing, in pixels."""

INK = "#24292f"
MUTED = "#57606a"
"""Colours of text."""

_DISC = re.compile(r'<circle class="exposure atom-(\d+)" cx="([^"]*)" cy="([^"]*)" r="[^"]*" fill="[^"]*"/>')
_ATOM = re.compile(
    r'(<circle class="atom atom-(\d+)"[^>]{0,300}?) data-sasa="[^"]*" data-relative-sasa="[^"]*"'
    r'([^>]{0,300}? r="([0-9.]+)"[^>]{0,300})>'
    r"<title>([^<]*): [^<:]*</title>"
)
_TOTAL = re.compile(r">[^<>]* in the complex \([^<)]*\)<")


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


class AtomExposure(NamedTuple):
    """Of one atom: its SASA in the complex in square angstroms, and its share of the free one; None if unknown."""

    area: float | None
    relative: float | None


def disc(index: int, x: str, y: str, bond: float, relative: float | None) -> str:
    """Return the disc of an atom; `bond` is the length of a bond in pixels, `relative` the atom's relative SASA."""
    share = 0.0 if relative is None or math.isnan(relative) else min(max(relative, 0.0), 1.0)
    radius = bond * (SMALLEST_DISC + (LARGEST_DISC - SMALLEST_DISC) * share)
    return (
        f'<circle class="exposure atom-{index}" cx="{x}" cy="{y}" r="{radius:.1f}" fill="{exposure_colour(relative)}"/>'
    )


def data_of(exposure: AtomExposure) -> dict[str, str]:
    """Return the data attributes of an atom, without ``data-``."""
    area = "" if exposure.area is None else f"{exposure.area:.3f}"
    return {"sasa": area, "relative-sasa": "" if exposure.relative is None else f"{exposure.relative:.4f}"}


def label(name: str, exposure: AtomExposure) -> str:
    """Return the text that an atom shows.

    >>> label("C4", AtomExposure(12.34, 0.5))
    'C4: 12.3 Å², 50 % of free'
    """
    area = "not measured" if exposure.area is None else f"{exposure.area:.1f} Å²"
    return f"{name}: {area}" + ("" if exposure.relative is None else f", {100 * exposure.relative:.0f} % of free")


def total(area: float | None, context: str) -> str:
    """Return the line of the legend on the whole ligand."""
    exposed = "exposure not measured" if area is None else f"{area:.1f} Å² exposed"
    return f"{exposed} in the complex ({CONTEXT_WORDS[context].name})"


def in_context(svg: str, atoms: Mapping[int, AtomExposure], context: str) -> str:
    """Return a depiction with the discs, names, data and total of another context.

    Parameters
    ----------
    svg : str
        The original depiction.
    atoms : mapping of int to AtomExposure
        Every heavy atom by its index in the SDF.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    first = _ATOM.search(svg)
    bond = float(first[4]) / TARGET_RADIUS if first else 0.0
    unknown = AtomExposure(None, None)

    def new_disc(match: re.Match[str]) -> str:
        return disc(int(match[1]), match[2], match[3], bond, atoms.get(int(match[1]), unknown).relative)

    def new_atom(match: re.Match[str]) -> str:
        exposure = atoms.get(int(match[2]), unknown)
        data = "".join(f' data-{name}="{value}"' for name, value in data_of(exposure).items())
        return f"{match[1]}{data}{match[3]}><title>{escape(label(unescape(match[5]), exposure))}</title>"

    areas = [exposure.area for exposure in atoms.values() if exposure.area is not None]
    whole = total(sum(areas) if areas else None, context)
    return _TOTAL.sub(lambda _: f">{whole}<", _ATOM.sub(new_atom, _DISC.sub(new_disc, svg)))
