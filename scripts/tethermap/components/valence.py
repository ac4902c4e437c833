"""Atoms of a ligand's definition that have no valence left for a bond to the protein."""

from __future__ import annotations

from functools import lru_cache

from tethermap.components.component_cif import AROMATIC_ORDER, read_components

_MOST = {"H": 1, "B": 4, "C": 4, "N": 3, "O": 2, "F": 1, "Si": 4, "P": 5, "S": 2, "Cl": 1, "Se": 2, "Br": 1, "I": 1}


@lru_cache(maxsize=64)
def full_atoms(comp_id: str, definition: str) -> frozenset[str]:
    """Return the names of atoms whose bonds use all their valence, hydrogens of the definition included.

    Parameters
    ----------
    comp_id : str
        Code of the component.
    definition : str
        CIF text of a component; nothing is known of other texts.
    """
    if not definition.startswith("data_"):
        return frozenset()
    component = read_components(definition, origin="file").get(comp_id)
    if component is None:
        return frozenset()
    used = [-float(atom.charge) for atom in component.atoms]
    for bond in component.bonds:
        order = 1.5 if bond.order == AROMATIC_ORDER else bond.order
        used[bond.first] += order
        used[bond.second] += order
    return frozenset(
        atom.name for atom, valence in zip(component.atoms, used, strict=True) if valence >= _MOST.get(atom.element, 8)
    )
