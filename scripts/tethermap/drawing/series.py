"""Depictions of a series: its core, and its ligands aligned on the core."""

from collections.abc import Mapping, Sequence

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdDepictor
from rdkit.Geometry import Point2D

from tethermap.base.arrays import FloatArray
from tethermap.drawing.canvas import draw
from tethermap.drawing.card import LEGEND_HEIGHT, Drawing, card, legend, targets
from tethermap.molecule.template import fix_hydrogens

_CORE_COLOUR = "#bcd7f5"


def aligned_layout(mol: Chem.Mol, core: Sequence[int], places: FloatArray) -> FloatArray:
    """Return depiction coordinates of a molecule with its core at given places.

    Parameters
    ----------
    mol : Chem.Mol
        Heavy atoms.
    places : ndarray of float, shape (n_core, 2)
        Target positions.

    >>> aligned_layout(Chem.MolFromSmiles("CO"), [0, 1], np.array([[3.0, 1.0], [4.5, 1.0]])).tolist()
    [[3.0, 1.0], [4.5, 1.0]]
    """
    flat = Chem.Mol(mol)
    fixed = {atom: Point2D(x, y) for atom, (x, y) in zip(core, places.tolist(), strict=True)}
    rdDepictor.Compute2DCoords(flat, canonOrient=not fixed, coordMap=fixed)
    positions: FloatArray = flat.GetConformer().GetPositions()[:, :2]
    return positions.round(4)


def member_svg(
    mol: Chem.Mol, layout: FloatArray, core: Sequence[int], names: Mapping[int, str], lines: Sequence[str]
) -> str:
    """Return the depiction of a ligand of a series, its core marked.

    Parameters
    ----------
    layout : ndarray of float, shape (n_atoms, 2)
        Aligned coordinates.
    core : sequence of int
        Atoms of the core, in its order.
    names : mapping of int to str
        Known names of the atoms.
    lines : sequence of str
        Legend.
    """
    drawing = draw(mol, layout, coloured=True)
    data = [{"index": str(k), "atom-name": names.get(k, "")} for k in range(mol.GetNumAtoms())]
    for position, atom in enumerate(core):
        data[atom]["core-index"] = str(position)
    labels = [names.get(k, "") or mol.GetAtomWithIdx(k).GetSymbol() for k in range(mol.GetNumAtoms())]
    parts = [
        "" if len(core) == mol.GetNumAtoms() else _marks(mol, core, drawing),
        drawing.body,
        targets(drawing, labels, data),
        legend(lines, drawing),
    ]
    return card(lines[0], Chem.MolToSmiles(mol), drawing.box(LEGEND_HEIGHT), parts)


def core_svg(mol: Chem.Mol, layout: FloatArray, core: Sequence[int], lines: Sequence[str]) -> str:
    """Return the depiction of a core, cut out of a ligand that contains it.

    Parameters
    ----------
    layout : ndarray of float, shape (n_atoms, 2)
        Coordinates of the ligand.
    core : sequence of int
        Atoms of the core, in its order.
    lines : sequence of str
        Legend.
    """
    cut = Chem.RWMol(mol)
    Chem.Kekulize(cut, clearAromaticFlags=True)
    for atom in cut.GetAtoms():
        fix_hydrogens(atom, atom.GetTotalNumHs())
        atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
    for index in sorted(set(range(mol.GetNumAtoms())).difference(core), reverse=True):
        cut.RemoveAtom(index)
    cut.UpdatePropertyCache(strict=False)
    drawing = draw(cut.GetMol(), layout[sorted(core)], coloured=True, prepare=False)
    numbers = [core.index(atom) for atom in sorted(core)]
    data = [{"core-index": str(number)} for number in numbers]
    labels = [f"core atom {number}" for number in numbers]
    parts = [drawing.body, targets(drawing, labels, data), legend(lines, drawing)]
    return card(lines[0], "common core", drawing.box(LEGEND_HEIGHT), parts)


def _marks(mol: Chem.Mol, core: Sequence[int], drawing: Drawing) -> str:
    """Return a soft band in the background of the core's atoms and bonds."""
    members = set(core)
    width = f'stroke="{_CORE_COLOUR}" stroke-width="{0.34 * drawing.bond:.1f}" stroke-linecap="round"'
    lines = []
    for bond in mol.GetBonds():
        ends = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        if members.issuperset(ends):
            (x1, y1), (x2, y2) = np.asarray(drawing.places)[list(ends)].tolist()
            lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    return f'<g class="core" {width}>{"".join(lines)}</g>'
