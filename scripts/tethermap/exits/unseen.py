"""Ends of a ligand that were not modelled: they are disordered, so they are usually in solvent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tethermap.base.elements import is_metal
from tethermap.components.component import Component, ComponentBond
from tethermap.exits.graph import AROMATIC, LigandGraph
from tethermap.exits.prior import chemistry_class
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

Find = Callable[[str], Component | None]
_Near = list[dict[int, ComponentBond]]
"""Bonds of each atom of a component by the other atom."""


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
        near: _Near = [{} for _ in component.atoms]
        for bond in component.bonds:
            near[bond.first][bond.second] = near[bond.second][bond.first] = bond
        beside.update(modelled[j] for i in lost for j in near[i] if j in modelled)
        ends += _ends(graph, component, near, lost, modelled)
    return MissingAtoms(frozenset(beside), tuple(sorted(ends, key=lambda end: (end.anchor, end.names))))


def _ends(
    graph: LigandGraph, component: Component, near: _Near, lost: Mapping[int, str], modelled: Mapping[int, int]
) -> Iterator[UnseenEnd]:
    """Yield the connected missing parts of a component that have one bond to a modelled atom."""
    remaining = set(lost)
    while remaining:
        part = [min(remaining)]
        for atom in part:
            part += [other for other in near[atom] if other in lost and other not in part]
        remaining.difference_update(part)
        around = [(i, j) for i in part for j in near[i] if j not in lost]
        ends = [pair for pair in around if pair[1] in modelled]
        beyond = [j for _, j in around if j not in modelled and component.atoms[j].element not in ("H", "D")]
        if beyond or len(ends) != 1:  # bonded to another residue of the group, or at both ends
            continue
        ((first, last),) = ends
        if any(is_metal(component.atoms[i].element) for i in (first, last)):  # as for cuts
            continue
        if near[first][last].order == 1 and not near[first][last].aromatic:
            order = [first, *sorted(set(part) - {first})]
            completed = _completed(graph, component, near, order, modelled)
            chem_class = chemistry_class(completed, modelled[last], len(graph))
            yield UnseenEnd(modelled[last], tuple(lost[i] for i in order), chem_class)


def _completed(
    graph: LigandGraph, component: Component, near: _Near, part: Sequence[int], modelled: Mapping[int, int]
) -> LigandGraph:
    """Return the graph with a missing part as further atoms, in its order; these have no places."""
    number = {**modelled, **{i: len(graph) + k for k, i in enumerate(part)}}
    others = [list(atoms) for atoms in (*graph.near, *([] for _ in part))]
    order = dict(graph.order)
    for i in part:
        for j, bond in near[i].items():
            if j in number:
                a, b = number[i], number[j]
                order[a, b] = order[b, a] = AROMATIC if bond.aromatic else float(bond.order)
                others[a].append(b)
                if j in modelled:
                    others[b].append(a)
    return replace(
        graph,
        element=(*graph.element, *(component.atoms[i].element for i in part)),
        near=tuple(map(tuple, others)),
        order=order,
        hydrogens=(*graph.hydrogens, *(graph.xyz[:0] for _ in part)),
    )
