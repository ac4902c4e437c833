"""Molecules as the dictionary defines them."""

from functools import lru_cache

from rdkit import Chem

from tethermap.components.component import Component
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.record import NAME
from tethermap.molecule.stereo import assign_stereo, set_coordinates
from tethermap.molecule.template import checked, template


@lru_cache(maxsize=512)
def dictionary_molecule(component: Component, *, neutral: bool) -> Chem.Mol | None:
    """Return a component from the dictionary, heavy atoms in dictionary order.

    Parameters
    ----------
    neutral : bool
        Whether acids and bases are neutralised.

    Returns
    -------
    Chem.Mol or None Sanitised if RDKit can (see `is_sanitised`), with stereo and a conformer from the ideal coordinates
    if these are complete; hydrogens are counted on their atoms. Each
        atom has the property ``name``. None for a component without atoms. Shared: don't change it.
    """
    shape = template(component)
    if not len(shape):
        return None
    if neutral and not any(shape.charges):
        return dictionary_molecule(component, neutral=False)
    hydrogens = shape.hydrogens if shape.counts_hydrogens else None
    mol, passed = checked(shape.elements, shape.charges, shape.bonds, hydrogens)
    mol = Chem.RWMol(neutralised(mol) if passed and neutral else mol)
    for atom, name in zip(mol.GetAtoms(), shape.names, strict=True):
        atom.SetProp(NAME, name)
    places = [place for place in shape.xyz if place is not None]
    if len(places) == len(shape):
        set_coordinates(mol, places)
        if passed:
            assign_stereo(mol, flattest=0.0)  # by its ideal coordinates, even if nearly flat
    result = mol.GetMol()
    result.SetBoolProp("sanitised", passed)
    return result


@lru_cache(maxsize=512)
def dictionary_smiles(component: Component, *, neutral: bool) -> str:
    """Return the isomeric SMILES of a component, empty if it has no atoms."""
    if neutral and not any(template(component).charges):
        return dictionary_smiles(component, neutral=False)
    mol = dictionary_molecule(component, neutral=neutral)
    return "" if mol is None else str(Chem.MolToSmiles(mol))
