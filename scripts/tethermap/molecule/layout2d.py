"""Depiction coordinates: one layout for all instances of a component."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from rdkit import Chem, rdBase
from rdkit.Chem import rdCoordGen, rdDepictor

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import is_metal
from tethermap.components.component import Component
from tethermap.molecule.dictionary import dictionary_molecule

LARGEST_FOR_COORDGEN = 120
"""Heavy atoms up to which CoordGen lays a molecule out; beyond, it takes a tenth of a second and more."""


@lru_cache(maxsize=512)
def component_layout(component: Component) -> FloatArray:
    """Return the layout of a component's heavy atoms in dictionary order, shape (n_heavy, 2)."""
    mol = dictionary_molecule(component, neutral=True)
    return np.zeros((0, 2)) if mol is None else molecule_layout(mol)


def molecule_layout(mol: Chem.Mol) -> FloatArray:
    """Return depiction coordinates of a molecule of heavy atoms, shape (n_heavy, 2).

    CoordGen draws chains extended and macrocycles open; molecules too large for it, and metal complexes, whose layout
    there depends on earlier molecules, use RDKit's own. Bonds are about 1.5 units long, the longest extent is along x.
    """
    flat = Chem.Mol(mol)
    flat.RemoveAllConformers()
    if flat.GetNumAtoms() > LARGEST_FOR_COORDGEN or any(is_metal(atom.GetSymbol()) for atom in flat.GetAtoms()):
        rdDepictor.Compute2DCoords(flat, canonOrient=True)
    else:
        with rdBase.BlockLogs():
            rdCoordGen.AddCoords(flat)
    conformer = flat.GetConformers()[0]
    conformer.SetId(0)
    if flat.GetNumBonds():
        rdDepictor.NormalizeDepiction(flat)
        rdDepictor.StraightenDepiction(flat, minimizeRotation=True)
    positions: FloatArray = flat.GetConformer().GetPositions()[:, :2]
    return positions.round(4)
