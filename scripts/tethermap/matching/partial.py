"""The observed part of a component as a separate graph."""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from operator import add

from tethermap.base.elements import is_metal
from tethermap.components.component import Component
from tethermap.matching.residue import ObservedResidue, ResidueGraph
from tethermap.molecule.geometry import open_metal_bonds
from tethermap.molecule.template import Template, bonds_within

Mapping = tuple[int, ...]
"""Atom of the template that each observed atom is."""


def residue_graph(
    residue: ObservedResidue, component: Component | None, shape: Template, mapping: Mapping, source: str
) -> ResidueGraph:
    """Return the observed part of a component, in the component's order.

    Valences towards unobserved atoms are filled with hydrogen, except those of a metal; bonds to a metal that are open
    in this structure are omitted. If the doubly bonded oxygen of a carboxyl or phosphoryl group was not observed but
    its partner was, the partner gets the double bond.

    Parameters
    ----------
    component : Component or None
        Definition that `shape` is of.
    mapping : tuple of int
        Atom of `shape` that each observed atom is.
    source : str
        One of `record.BOND_SOURCES`.
    """
    order = sorted(range(len(residue)), key=mapping.__getitem__)
    origin = tuple(mapping[atom] for atom in order)
    number = {k: position for position, k in enumerate(origin)}
    part = _with_double_bonds_observed(shape, number.keys())
    elements = tuple(residue.elements[atom] for atom in order)
    bonds, filled = bonds_within(part.bonds, number)
    open_bonds = open_metal_bonds(residue.xyz[order], elements, bonds)
    filled.update(end for bond in open_bonds for end in bond)
    added = (0 if is_metal(element) else filled[end] for end, element in enumerate(elements))
    gone = _left_atoms(shape, {mapping[atom] for atom in residue.linked}, number.keys())
    return ResidueGraph(
        atom_index=tuple(residue.atom_index[atom] for atom in order),
        dictionary_names=tuple(shape.names[k] for k in origin),
        elements=elements,
        charges=tuple(part.charges[k] for k in origin),
        hydrogens=tuple(map(add, (part.hydrogens[k] for k in origin), added)) if shape.counts_hydrogens else None,
        bonds=tuple(bond for bond in bonds if bond[:2] not in open_bonds),
        source=source,
        missing=tuple(name for k, name in enumerate(shape.names) if k not in number and k not in gone),
        shape=shape,
        origin=origin,
        left=gone,
        open_bonds=tuple(sorted(open_bonds)),
        component=component,
    )


def observed_bonds(shape: Template, mapping: Mapping) -> list[tuple[int, int, int]]:
    """Return the bonds between observed atoms, in the numbering of `mapping`.

    >>> acid = Template(
    ...     names=("C", "O", "OXT"), elements=("C", "O", "O"), charges=(0, 0, 0), hydrogens=(1, 0, 1),
    ...     leaving=(False, False, True), bonds=((0, 1, 2), (0, 2, 1)), xyz=(None, None, None), counts_hydrogens=True,
    ... )
    >>> observed_bonds(acid, (1, 0))  # the oxygen O was written first, OXT not at all
    [(1, 0, 2)]
    """
    number = {k: position for position, k in enumerate(mapping)}
    return [(number[a], number[b], order) for a, b, order in shape.bonds if a in number and b in number]


def _neighbours(shape: Template) -> list[dict[int, int]]:
    """Return order of bond by neighbour for each atom."""
    near: list[dict[int, int]] = [{} for _ in shape.names]
    for first, second, order in shape.bonds:
        near[first][second] = near[second][first] = order
    return near


def _with_double_bonds_observed(shape: Template, observed: AbstractSet[int]) -> Template:
    """Return a template with the observed oxygens as the ends of its C=O and P=O, if there is a choice.

    The choice between two terminal oxygens of an acid has no meaning.
    """
    if len(observed) == len(shape):
        return shape
    near = _neighbours(shape)
    swapped: dict[int, int] = {}
    for missing in range(len(shape)):
        if missing in observed or len(near[missing]) != 1 or shape.elements[missing] not in ("O", "S"):
            continue
        ((centre, order),) = near[missing].items()
        if order != 2 or centre not in observed:
            continue
        for other, bond_order in sorted(near[centre].items()):
            terminal = bond_order == 1 and len(near[other]) == 1 and other in observed - swapped.keys()
            if terminal and shape.elements[other] == shape.elements[missing]:
                swapped[other], swapped[missing] = missing, other
                break
    ends = range(len(shape))
    bonds = {(swapped.get(a, a), swapped.get(b, b), order) for a, b, order in shape.bonds}
    return replace(
        shape,
        charges=tuple(shape.charges[swapped.get(k, k)] for k in ends),
        hydrogens=tuple(shape.hydrogens[swapped.get(k, k)] for k in ends),
        bonds=tuple(sorted((min(a, b), max(a, b), order) for a, b, order in bonds)),
    )


def _left_atoms(shape: Template, linked: set[int], observed: AbstractSet[int]) -> frozenset[int]:
    """Return the unobserved atoms that left when a bond to another residue formed.

    These have only one neighbour, a linked atom, and are flagged in the dictionary or bound through a heteroatom (the
    chlorine of a chloromethyl ketone, the hydroxyl of an acid).
    """
    near = _neighbours(shape)
    gone: set[int] = set()
    for anchor in sorted(linked):
        for start in sorted(near[anchor].keys() - observed):
            fragment, border, todo = {start}, set(), [start]
            while todo:
                for other in near[todo.pop()]:
                    if other in observed:
                        border.add(other)
                    elif other not in fragment:
                        fragment.add(other)
                        todo.append(other)
            if border == {anchor} and (shape.leaving[start] or shape.elements[start] != "C"):
                gone |= fragment
                break
    return frozenset(gone)
