"""A molecule for drawing: without hydrogens, and in the plane."""

from functools import cache
from typing import Any

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray


def without_hydrogens(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule with every hydrogen counted on its neighbour, unusual ones too.

    >>> without_hydrogens(Chem.AddHs(Chem.MolFromSmiles("CO"))).GetNumAtoms()
    2
    """
    return Chem.RemoveHs(mol, _removal_of_all(), sanitize=False)


@cache
def _removal_of_all() -> Any:
    settings: Any = Chem.RemoveHsParameters()
    for name in dir(settings):
        if name.startswith("remove"):
            setattr(settings, name, True)
    settings.updateExplicitCount = True
    return settings


def laid_out(mol: Chem.Mol, layout: FloatArray) -> Chem.Mol:
    """Return a molecule whose only conformer is a layout, an array of shape (n_atoms, 2)."""
    flat = Chem.Mol(mol, True)  # its conformers are not needed
    conformer = Chem.Conformer(flat.GetNumAtoms())
    conformer.Set3D(False)
    conformer.SetPositions(np.column_stack([layout, np.zeros(len(layout))]))
    flat.AddConformer(conformer, assignId=True)
    return flat


def flat_molecule(mol: Chem.Mol, layout: FloatArray) -> bytes:
    """Return a molecule whose only conformer is a layout, as RDKit's binary: the same of all copies of a ligand.

    Parameters
    ----------
    mol : Chem.Mol
        Without explicit hydrogens.
    layout : ndarray of float, shape (n_atoms, 2)
        Coordinates with bonds of 1.5 units.
    """
    return bytes(laid_out(mol, layout).ToBinary(int(Chem.PropertyPickleOptions.CoordsAsDouble)))
