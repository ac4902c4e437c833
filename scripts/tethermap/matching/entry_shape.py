"""A component as the entry's own bond list defines it, charges taken from the index."""

from __future__ import annotations

from functools import lru_cache

from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen
from tethermap.components.component_cif import AROMATIC_ORDER
from tethermap.entry.model import EntryBond
from tethermap.molecule.template import Template, template

_ORDERS = {"sing": 1, "doub": 2, "trip": 3, "arom": AROMATIC_ORDER, "delo": AROMATIC_ORDER}

_CHARGES = {
    "B": {4: -1},
    "N": {2: -1, 4: 1},
    "O": {1: -1, 3: 1},
    "F": {0: -1},
    "P": {4: 1},
    "S": {1: -1, 3: 1},
    "Cl": {0: -1},
    "Br": {0: -1},
    "I": {0: -1},
    "Se": {1: -1, 3: 1},
}
"""Charge of an atom by the sum of its bond orders, hydrogens included, if not zero."""


@lru_cache(maxsize=512)
def entry_template(
    bonds: tuple[EntryBond, ...], component: Component | None, elements: tuple[tuple[str, str], ...]
) -> Template | None:
    """Return the heavy-atom graph that an entry gives for a component.

    Atoms in the index keep its order, charges and leaving flags. If the component is not in the index, or has other
    bonds at an atom there, the charge follows from the sum of bond orders.

    Parameters
    ----------
    bonds : tuple of EntryBond
        The entry's ``_chem_comp_bond`` of one component, hydrogens included.
    component : Component or None
        Component of the index.
    elements : tuple of (str, str)
        Names and elements of the observed heavy atoms, sorted.

    Returns
    -------
    Template or None None if the element of an atom is unknown.

    >>> carbonyl = entry_template((EntryBond("C1", "O1", "doub", aromatic=False),), None, (("C1", "C"), ("O1", "O")))
    >>> carbonyl.names, carbonyl.bonds
    (('C1', 'O1'), ((0, 1, 2),))
    """
    orders = {frozenset((bond.atom_1, bond.atom_2)): _ORDERS.get(bond.order, 1) for bond in bonds}
    dictionary_orders: dict[frozenset[str], int] = {}
    if component is not None:
        known = [atom.name for atom in component.atoms]
        dictionary_orders = {frozenset((known[bond.first], known[bond.second])): bond.order for bond in component.bonds}
    if component is not None and orders == dictionary_orders:
        return template(component)
    defined = {atom.name: atom for atom in component.atoms} if component is not None else {}
    mentioned = dict.fromkeys(name for bond in bonds for name in (bond.atom_1, bond.atom_2))
    names = [name for name in defined if name in mentioned] + [name for name in mentioned if name not in defined]
    observed = dict(elements)
    symbols = {
        name: observed.get(name) or (defined[name].element if name in defined else _guessed_element(name))
        for name in names
    }
    if not all(symbols.values()):
        return None
    changed = {
        name
        for pair in orders.keys() | dictionary_orders.keys()
        if orders.get(pair) != dictionary_orders.get(pair)
        for name in pair
    }
    complete = any(is_hydrogen(symbol) for symbol in symbols.values())
    atoms = []
    for name in names:
        atom = defined.get(name)
        if atom is None or name in changed:
            charge = _charge(symbols[name], [order for pair, order in orders.items() if name in pair], complete)
            atom = ComponentAtom(name, name, symbols[name], charge, False, bool(atom and atom.leaving), "N", None)
        atoms.append(atom)
    number = {name: k for k, name in enumerate(names)}
    component_bonds = []
    for pair, order in orders.items():
        first, second = sorted(number[name] for name in pair)
        component_bonds.append(ComponentBond(first, second, order, order == AROMATIC_ORDER))
    return template(Component("", "", "", "", tuple(atoms), tuple(component_bonds), origin="entry"))


def _guessed_element(name: str) -> str:
    """Return the element of an unobserved atom by its name; empty if the name is ambiguous."""
    bare = name.lstrip("0123456789'\"")
    if bare[:2] in ("CL", "BR"):
        return bare[:2].capitalize()
    return bare[0] if bare[:1] in ("H", "D", "C", "N", "O", "S", "P", "F") else ""


def _charge(element: str, orders: list[int], complete: bool) -> int:
    """Return the charge that follows from the bonds of an atom; without hydrogens, only full octets are used."""
    valence = sum(orders)
    if AROMATIC_ORDER in orders or not (complete or valence == 4):
        return 0
    return _CHARGES.get(element, {}).get(valence, 0)
