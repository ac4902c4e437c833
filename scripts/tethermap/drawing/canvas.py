"""A molecule drawn as SVG elements on a card, the base of all depictions.

Depictions have a white card as background, to be readable on light and on dark pages. There are
no style attributes and no scripts: the files pass a strict content security policy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem.Draw import rdMolDraw2D

from tethermap.base.arrays import FloatArray
from tethermap.drawing.marks import INK, MUTED, TARGET_RADIUS
from tethermap.molecule.flat import flat_molecule

BOND = 1.5
PIXELS_PER_UNIT = 26.0
"""Length of a bond in drawing units, and size of a unit in pixels."""

LARGEST = (760.0, 640.0)
SMALLEST = (320.0, 140.0)
"""Width and height of the drawing in pixels; beyond the largest it is scaled down."""

MARGIN = 38.0
TEXT_X = 16.0

_CARD = "#ffffff"
_BORDER = "#d0d7de"
_FONT = "system-ui, Segoe UI, Helvetica, Arial, sans-serif"

_PALETTE = {
    -1: (0.14, 0.16, 0.18),
    0: (0.35, 0.38, 0.42),
    1: (0.35, 0.38, 0.42),
    5: (0.60, 0.36, 0.20),
    7: (0.10, 0.32, 0.76),
    8: (0.78, 0.11, 0.13),
    9: (0.05, 0.45, 0.42),
    15: (0.72, 0.38, 0.02),
    16: (0.56, 0.44, 0.00),
    17: (0.08, 0.46, 0.16),
    35: (0.52, 0.20, 0.14),
    53: (0.42, 0.14, 0.56),
}
"""Colours of displayed elements; each has a contrast of at least 4 on white."""

_STYLE = re.compile(r" style='([^']*)'")
_DEFAULTS = {
    "fill-rule": "evenodd",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-opacity": "1",
    "fill-opacity": "1",
    "opacity": "1",
}


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


def draw(mol: Chem.Mol, layout: FloatArray, *, coloured: bool, prepare: bool = True) -> Drawing:
    """Draw a molecule of heavy atoms at given coordinates.

    Parameters
    ----------
    mol : Chem.Mol
        Without explicit hydrogens.
    layout : ndarray of float, shape (n_atoms, 2)
        Coordinates with bonds of 1.5 units.
    coloured : bool
        Whether elements have colours.
    prepare : bool
        Whether RDKit writes double bonds and wedges; not for molecules that do not pass its checks.
    """
    return drawn(flat_molecule(mol, layout), coloured, prepare)


@lru_cache(maxsize=128)
def drawn(molecule: bytes, coloured: bool, prepare: bool) -> Drawing:
    """Return the drawing of a flat molecule, one for all copies of a ligand.

    Parameters
    ----------
    molecule : bytes
        Result of `flat_molecule`.
    coloured, prepare : bool
        As for `draw`.
    """
    flat = Chem.Mol(molecule)  # type: ignore[call-overload]
    layout = flat.GetConformer().GetPositions()[:, :2]
    low, high = layout.min(axis=0), layout.max(axis=0)
    size = (high - low) * PIXELS_PER_UNIT + 2 * MARGIN
    shrink = min(1.0, *(LARGEST[axis] / float(size[axis]) for axis in (0, 1)))
    width, height = (round(max(float(size[axis]) * shrink, SMALLEST[axis])) for axis in (0, 1))
    drawer = rdMolDraw2D.MolDraw2DSVG(width, height)
    options: Any = drawer.drawOptions()
    options.clearBackground = False
    options.padding = 0.0
    options.fixedScale = PIXELS_PER_UNIT * shrink / width
    options.fixedFontSize = max(7, round(15 * shrink))
    options.bondLineWidth = 1.6
    options.scaleBondWidth = False
    options.prepareMolsBeforeDrawing = prepare
    options.setAtomPalette(_PALETTE if coloured else {-1: _PALETTE[-1]})
    try:
        drawer.DrawMolecule(flat)
    except (ValueError, RuntimeError):  # bonds that RDKit cannot write as single and double
        options.prepareMolsBeforeDrawing = False
        drawer.DrawMolecule(flat)
    places = np.array([(point.x, point.y) for point in map(drawer.GetDrawCoords, range(flat.GetNumAtoms()))])
    places.setflags(write=False)  # all copies share it
    drawer.FinishDrawing()
    text = drawer.GetDrawingText()
    header = "<!-- END OF HEADER -->"
    body = text[text.index(header) + len(header) : text.rindex("</svg>")].strip()
    bond = BOND * PIXELS_PER_UNIT * shrink
    return Drawing(_STYLE.sub(lambda style: _attributes(style[1]), body), places.reshape(-1, 2), width, height, bond)


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
    parts = []
    for number, line in enumerate(lines):
        if line:
            style = f'font-weight="600" fill="{INK}"' if number == 0 else f'fill="{MUTED}"'
            y = drawing.height + 14 + 17 * number
            parts.append(f'<text x="{TEXT_X:.0f}" y="{y:.0f}" font-size="12" {style}>{escape(line)}</text>')
    return "".join(parts)


def card(title: str, description: str, drawing: Drawing, parts: Sequence[str], below: float) -> str:
    """Return the whole file: elements in order on a white card.

    Parameters
    ----------
    title, description : str
        Read out by screen readers.
    parts : sequence of str
        SVG elements.
    below : float
        Height of the area below the drawing, in pixels.
    """
    width, height = drawing.width, drawing.height + below
    content = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
        f' height="{height:.0f}" font-family="{_FONT}" role="img">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect class="card" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10" fill="{_CARD}"'
        f' stroke="{_BORDER}"/>\n{content}\n</svg>\n'
    )


@lru_cache(maxsize=256)
def _attributes(style: str) -> str:
    """Return a style as presentation attributes, without defaults."""
    pairs = (item.partition(":") for item in style.split(";") if item)
    shown = ((name, value.removesuffix("px")) for name, _, value in pairs if _DEFAULTS.get(name) != value)
    return "".join(f' {name}="{value}"' for name, value in shown if (name, value) != ("stroke", "none"))
