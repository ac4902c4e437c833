"""Ends of a ligand that were not modelled: they are disordered, so they are usually in solvent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tethermap.components.component import Component, ComponentBond, element_symbol
from tethermap.exits.graph import AROMATIC, LigandGraph
from tethermap.exits.prior import chemistry_class
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

Find = Callable[[str], Component | None]


@dataclass(frozen=True, slots=True)
class UnseenEnd:
    """A part of the component that was not modelled and is attached to one modelled atom by an acyclic single bond.

    Parameters
    ----------
    anchor : int
        The modelled atom.
    names : tuple of str
        Labels of the missing heavy atoms, the one bonded to the anchor first.
    chem_class : str
        Chemistry of that bond, a key of `tethermap.exits.prior.PRIOR`.
    """

    anchor: int
    names: tuple[str, ...]
    chem_class: str


@dataclass(frozen=True, slots=True, eq=False)
class MissingAtoms:
    """The atoms of a ligand that were not modelled, for the search for exits.

    Parameters
    ----------
    beside : frozenset of int
        Modelled heavy atoms with a neighbour that was not modelled.
    ends : tuple of UnseenEnd
        Missing parts that a linker can replace, by anchor.
    """

    beside: frozenset[int] = frozenset()
    ends: tuple[UnseenEnd, ...] = ()


NOTHING_MISSING = MissingAtoms()
"""Result for a ligand with all heavy atoms modelled."""


def missing_atoms(instance: Instance, molecule: LigandMolecule, graph: LigandGraph, find: Find) -> MissingAtoms:
    """Return the atoms of a ligand that were not modelled.

    Parameters
    ----------
    find : callable
        Look-up of a component by its code, None when unknown.
    """
    if not molecule.atoms_missing:
        return NOTHING_MISSING
    missing = frozenset(molecule.atoms_missing)
    beside: set[int] = set()
    ends: list[UnseenEnd] = []
    for number, residue in enumerate(instance.components):
        component = find(residue.comp_id)
        if component is None:
            continue
        prefix = instance.label_prefix(number)
        lost = {i: prefix + atom.name for i, atom in enumerate(component.atoms) if prefix + atom.name in missing}
        number_of = {
            name: k for k, name in enumerate(molecule.dictionary_names) if name and int(molecule.residue[k]) == number
        }
        modelled = {i: number_of[atom.name] for i, atom in enumerate(component.atoms) if atom.name in number_of}
        beside.update(modelled[j] for i, j, _ in _directed(component) if i in lost and j in modelled)
        ends += _ends(graph, component, lost, modelled)
    return MissingAtoms(frozenset(beside), tuple(sorted(ends, key=lambda end: (end.anchor, end.names))))


def _directed(component: Component) -> Iterator[tuple[int, int, ComponentBond]]:
    """Yield each bond of a component in both directions."""
    for bond in component.bonds:
        yield bond.first, bond.second, bond
        yield bond.second, bond.first, bond


def _ends(
    graph: LigandGraph, component: Component, lost: Mapping[int, str], modelled: Mapping[int, int]
) -> Iterator[UnseenEnd]:
    """Yield the connected missing parts of a component that have one bond to a modelled atom."""
    heavy = lost.keys() | modelled.keys()
    elements = {i: element_symbol(component.atoms[i].element) for i in lost}
    remaining = set(lost)
    while remaining:
        part, front = set(), [min(remaining)]
        bonds: list[tuple[int, int, ComponentBond]] = []
        while front:
            atom = front.pop()
            if atom not in part:
                part.add(atom)
                leaving = [(i, j, bond) for i, j, bond in _directed(component) if i == atom]
                front += [j for _, j, _ in leaving if j in lost]
                bonds += [one for one in leaving if one[1] in modelled]
        remaining -= part
        goes_on = any(
            i in part and j not in heavy and component.atoms[j].element not in ("H", "D")
            for i, j, _ in _directed(component)
        )  # bonded to another residue of the group
        if goes_on or len(bonds) != 1:
            continue
        first, beyond, bond = bonds[0]
        if bond.order == 1 and not bond.aromatic:
            order = [first, *sorted(part - {first})]
            completed = _completed(graph, component, order, elements, modelled)
            yield UnseenEnd(
                modelled[beyond],
                tuple(lost[i] for i in order),
                chemistry_class(completed, modelled[beyond], len(graph)),
            )


def _completed(
    graph: LigandGraph, component: Component, part: list[int], elements: Mapping[int, str], modelled: Mapping[int, int]
) -> LigandGraph:
    """Return the graph with a missing part as further atoms, in its order; these have no places."""
    number = {**modelled, **{i: len(graph) + k for k, i in enumerate(part)}}
    near = [list(others) for others in (*graph.near, *([] for _ in part))]
    order = dict(graph.order)
    for i, j, bond in _directed(component):
        if i in part and j in number:
            a, b = number[i], number[j]
            order[a, b] = order[b, a] = AROMATIC if bond.aromatic else float(bond.order)
            near[a].append(b)
            if j in modelled:
                near[b].append(a)
    return replace(
        graph,
        element=(*graph.element, *(elements[i] for i in part)),
        near=tuple(map(tuple, near)),
        order=order,
        hydrogens=(*graph.hydrogens, *(graph.xyz[:0] for _ in part)),
    )
