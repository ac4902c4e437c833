"""A molecule drawn by RDKit as SVG elements, the base of all depictions."""

import re
from functools import lru_cache
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem.Draw import rdMolDraw2D

from tethermap.base.arrays import FloatArray
from tethermap.drawing.card import Drawing
from tethermap.molecule.flat import flat_molecule

BOND = 1.5
PIXELS_PER_UNIT = 26.0
"""Length of a bond in drawing units, and size of a unit in pixels."""

LARGEST = (760.0, 640.0)
SMALLEST = (320.0, 140.0)
"""Width and height of the drawing in pixels; beyond the largest it is scaled down."""

MARGIN = 38.0

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


@lru_cache(maxsize=256)
def _attributes(style: str) -> str:
    """Return a style as presentation attributes, without defaults."""
    pairs = (item.partition(":") for item in style.split(";") if item)
    shown = ((name, value.removesuffix("px")) for name, _, value in pairs if _DEFAULTS.get(name) != value)
    return "".join(f' {name}="{value}"' for name, value in shown if (name, value) != ("stroke", "none"))
