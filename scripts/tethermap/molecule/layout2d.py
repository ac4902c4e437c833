"""Depiction coordinates: one layout for all instances of a component."""

import math
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from rdkit import Chem, rdBase
from rdkit.Chem import rdCoordGen, rdDepictor

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import is_metal
from tethermap.components.component import Component
from tethermap.molecule.dictionary import dictionary_molecule
from tethermap.molecule.flat import laid_out

LARGEST_FOR_COORDGEN = 120
"""Maximum number of heavy atoms for CoordGen; larger molecules need a tenth of a second and more."""


@lru_cache(maxsize=512)
def component_layout(component: Component) -> FloatArray:
    """Return the layout of a component's heavy atoms in dictionary order, shape (n_heavy, 2)."""
    mol = dictionary_molecule(component, neutral=True)
    return np.zeros((0, 2)) if mol is None else molecule_layout(mol)


def molecule_layout(mol: Chem.Mol) -> FloatArray:
    """Return depiction coordinates of a molecule of heavy atoms, shape (n_heavy, 2).

    CoordGen draws chains extended and macrocycles open; RDKit's own layout is used for metal complexes, for molecules
    too large for CoordGen, and if it has fewer faults. If RDKit draws a metal complex with faults, the complex is laid
    out without its metals, and each metal is added at the median of its neighbours. Bonds are about 1.5 units long, the
    longest extent is along x.
    """
    metals = [atom.GetIdx() for atom in mol.GetAtoms() if is_metal(atom.GetSymbol())]
    bonds = np.array([(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()], dtype=int)
    bonds = bonds.reshape(-1, 2)
    organic = bonds[~np.isin(bonds, metals).any(axis=1)]
    ways = [(_rdkit, bonds)]
    if metals:
        ways.append((partial(_around_metals, metals=metals), organic))
    elif mol.GetNumAtoms() <= LARGEST_FOR_COORDGEN:
        ways = [(_coordgen, bonds), *ways]
    best, fewest = np.zeros((mol.GetNumAtoms(), 2)), math.inf
    for way, judged in ways:
        layout = way(mol)
        if (count := faults(layout, judged)) < fewest:
            best, fewest = layout, count
        if not fewest:
            break
    flat = laid_out(mol, best)
    if flat.GetNumBonds():
        rdDepictor.NormalizeDepiction(flat)
        rdDepictor.StraightenDepiction(flat, minimizeRotation=True)
    return _positions(flat).round(4)


def faults(layout: FloatArray, bonds: npt.NDArray[np.int64]) -> int:
    """Return the number of faults of a layout: atoms that overlap, bonds of unusual length, bonds that cross.

    Parameters
    ----------
    layout : ndarray of float, shape (n_atoms, 2)
        Coordinates with bonds of 1.5 units.
    bonds : ndarray of int, shape (n_bonds, 2)
        Atoms of each bond.

    >>> faults(np.array([[0.0, 0.0], [1.5, 0.0], [0.1, 0.1]]), np.array([[0, 1], [1, 2]]))
    1
    """
    if not len(bonds):
        return 0
    apart = np.linalg.norm(layout[:, None] - layout, axis=2) + np.tri(len(layout)) * _CLOSE
    apart[bonds.min(axis=1), bonds.max(axis=1)] = _CLOSE
    begin, end = layout[bonds[:, 0]], layout[bonds[:, 1]]
    length = np.linalg.norm(end - begin, axis=1)
    from_line = _turn(begin[:, None], end[:, None], begin), _turn(begin[:, None], end[:, None], end)
    splits = from_line[0] * from_line[1] < 0
    crossing = (splits & splits.T).sum() // 2  # both ways; an atom of both bonds is on no side
    return int((apart < _CLOSE).sum() + ((length < _SHORTEST) | (length > _LONGEST)).sum() + crossing)


_CLOSE, _SHORTEST, _LONGEST = 0.75, 0.9, 2.4
"""Least distance of atoms that are not bonded, and the usual lengths of bonds, in units of which a bond has 1.5."""


def _turn(begin: FloatArray, end: FloatArray, point: FloatArray) -> FloatArray:
    """Return on which side of a line points are: positive on the left, negative on the right."""
    along, away = end - begin, point - begin
    return (along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]).round(6)


def _coordgen(mol: Chem.Mol) -> FloatArray:
    flat = Chem.Mol(mol)
    flat.RemoveAllConformers()
    with rdBase.BlockLogs():
        rdCoordGen.AddCoords(flat)
    return _positions(flat)


def _rdkit(mol: Chem.Mol) -> FloatArray:
    flat = Chem.Mol(mol)
    rdDepictor.Compute2DCoords(flat, canonOrient=True, useRingTemplates=True)
    return _positions(flat)


def _positions(flat: Chem.Mol) -> FloatArray:
    positions: FloatArray = flat.GetConformers()[0].GetPositions()[:, :2]
    return positions


def _around_metals(mol: Chem.Mol, metals: Sequence[int]) -> FloatArray:
    """Return the layout of a complex without its metals, with each metal at the median of its neighbours."""
    rest = Chem.RWMol(mol)
    rest.BeginBatchEdit()
    for metal in metals:
        rest.RemoveAtom(metal)
    rest.CommitBatchEdit()
    rest.UpdatePropertyCache(strict=False)
    layout = np.zeros((mol.GetNumAtoms(), 2))
    layout[np.setdiff1d(np.arange(len(layout)), metals)] = _rdkit(rest.GetMol())
    for metal in metals:
        near = [atom.GetIdx() for atom in mol.GetAtomWithIdx(metal).GetNeighbors()]
        layout[metal] = np.median(layout[near], axis=0) if near else 0.0
    return layout
