"""Sources of the bonds of a residue, in order of trust."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen
from tethermap.components.component_cif import AROMATIC_ORDER, UNKNOWN_ORDER, read_components
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponents, component_from_smiles
from tethermap.entry.model import EntryBond
from tethermap.matching.match import map_by_graph, map_by_name
from tethermap.matching.partial import Mapping, observed_bonds, residue_graph
from tethermap.matching.perceive import perceived
from tethermap.matching.residue import ObservedResidue, ResidueGraph
from tethermap.molecule.geometry import near_pairs
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


@lru_cache(maxsize=64)
def file_component(comp_id: str, definition: str) -> Component | None:
    """Return the definition in a ligand's own file, CIF text or a SMILES, as a component; None if it can't be read."""
    try:
        if definition.startswith("data_"):
            return read_components(definition, origin="file").get(comp_id)
        return replace(component_from_smiles(comp_id, definition), origin="file") if definition else None
    except ValueError:
        return None


def resolved(
    residue: ObservedResidue,
    entry_bonds: Sequence[EntryBond],
    index: ComponentIndex,
    user: UserComponents | None,
    definition: str = "",
) -> ResidueGraph:
    """Return the atoms of a residue with bonds from the first source that explains all of them.

    The order is the one of `record.BOND_SOURCES`, but a definition of the user precedes the dictionary's: LIG, DRG and
    MOL are real components there, and a graph match, which ignores orders and missing atoms, would identify the user's
    molecule as a part of them. A source is accepted only if its elements agree and every bond has a possible length;
    otherwise the next one is tried. The last resort is to trust the definition's names in spite of a few impossible
    lengths, else to perceive bonds: their orders only if the ligand's own file states which atoms are bonded.

    Parameters
    ----------
    entry_bonds : sequence of EntryBond
        The entry's own definition of the component; empty if there is none.
    definition : str
        Definition in the ligand's own file, which precedes all others; a SMILES only if the user has none.
    """
    own = user.get(residue.comp_id.upper()) if user else None
    for source, component, shape, mapping in _mappings(residue, entry_bonds, index, own, definition):
        if mapping is not None:
            return residue_graph(residue, component, shape, mapping, source)
    from_file = file_component(residue.comp_id, definition)
    if from_file is None or _has_orders(from_file):
        return perceived(residue)
    shape = template(from_file)
    mapping = map_by_name(residue, shape, shape.names, strained=True)
    bonds = observed_bonds(shape, mapping) if mapping is not None else ()
    return perceived(residue, sorted((min(a, b), max(a, b)) for a, b, _ in bonds))


def _has_orders(component: Component) -> bool:
    return all(bond.order != UNKNOWN_ORDER for bond in component.bonds)


def _mappings(
    residue: ObservedResidue,
    entry_bonds: Sequence[EntryBond],
    index: ComponentIndex,
    own: Component | None,
    definition: str,
) -> Iterator[tuple[str, Component | None, Template, Mapping | None]]:
    """Yield each source with its component, template and mapping, None if it does not explain all atoms."""
    if own is None or definition.startswith("data_"):
        from_file = file_component(residue.comp_id, definition)
        if from_file is not None and _has_orders(from_file):
            yield "file", from_file, template(from_file), _map_strained(residue, from_file)
    component = index.get(residue.comp_id)
    if component is not None and not component.atoms:
        component = None
    defined = own or component
    if entry_bonds and not residue.has_duplicates:
        elements = tuple(sorted(zip(residue.names, residue.elements, strict=True)))
        of_entry = entry_template(tuple(entry_bonds), defined, elements)
        if of_entry is not None:
            yield "entry", defined, of_entry, map_by_name(residue, of_entry, of_entry.names)
    if own is not None:
        yield "user", own, template(own), _map_defined(residue, own)
    if component is not None:
        shape = template(component)
        yield "dictionary", component, shape, map_by_name(residue, shape, shape.names)
        alternative = [atom.alt_name for atom in component.atoms if not is_hydrogen(atom.element)]
        yield "dictionary_alt", component, shape, map_by_name(residue, shape, alternative)
        yield "matched", component, shape, map_by_graph(residue, shape)
    if defined is not None and defined.atoms:
        shape = template(defined)
        yield "perceived", defined, shape, map_by_name(residue, shape, shape.names, strained=True)
    if own is not None:
        yield "user", own, template(own), _map_strained(residue, own)


def _map_defined(residue: ObservedResidue, own: Component, *, strained: bool = False) -> Mapping | None:
    """Return the mapping to a user's definition: by names, else by the graph.

    Names that are only numbered elements, which many programs write, are used where the graph leads nowhere, and only
    if the coordinates show no further bonds.
    """
    shape = template(own)
    by_name = map_by_name(residue, shape, shape.names, strained=strained)
    if by_name and own.named:
        return by_name
    by_graph = map_by_graph(residue, shape, trusted=True)
    if by_graph or by_name is None:
        return by_graph
    bonds = {(min(a, b), max(a, b)) for a, b, _ in observed_bonds(shape, by_name)}
    return by_name if near_pairs(residue.xyz, residue.elements).keys() <= bonds else None


def _map_strained(residue: ObservedResidue, own: Component) -> Mapping | None:
    """Return the mapping to a user's definition, some of whose bonds may be broken in the coordinates."""
    return _map_defined(residue, own, strained=True) or map_by_graph(
        residue, template(own), strained=True, trusted=True
    )


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
    known, known_bonds = (component.atoms, component.bonds) if component is not None else ((), ())
    known_orders = {frozenset((known[bond.first].name, known[bond.second].name)): bond.order for bond in known_bonds}
    if component is not None and orders == known_orders:
        return template(component)
    defined = {atom.name: atom for atom in known}
    mentioned = dict.fromkeys(name for bond in bonds for name in (bond.atom_1, bond.atom_2))
    names = [name for name in defined if name in mentioned] + [name for name in mentioned if name not in defined]
    observed = dict(elements)
    symbols = {
        name: observed.get(name) or (defined[name].element if name in defined else _guessed_element(name))
        for name in names
    }
    if not all(symbols.values()):
        return None
    differing = (pair for pair in orders.keys() | known_orders.keys() if orders.get(pair) != known_orders.get(pair))
    changed = frozenset[str]().union(*differing)
    complete = any(is_hydrogen(symbol) for symbol in symbols.values())
    atoms = []
    for name in names:
        atom = defined.get(name)
        if atom is None or name in changed:
            charge = _charge(symbols[name], [order for pair, order in orders.items() if name in pair], complete)
            atom = ComponentAtom(name, name, symbols[name], charge, False, bool(atom and atom.leaving), "N", None)
        atoms.append(atom)
    number = {name: k for k, name in enumerate(names)}
    ends = ((sorted(number[name] for name in pair), order) for pair, order in orders.items())
    component_bonds = (ComponentBond(a, b, order, order == AROMATIC_ORDER) for (a, b), order in ends)
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
