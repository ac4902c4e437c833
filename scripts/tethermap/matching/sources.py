"""Sources of the bonds of a residue, in order of trust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tethermap.components.component import Component, is_hydrogen
from tethermap.components.component_cif import read_components
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponents, component_from_smiles
from tethermap.entry.model import EntryBond
from tethermap.matching.entry_shape import entry_template
from tethermap.matching.match import map_by_graph, map_by_name
from tethermap.matching.partial import Mapping, residue_graph
from tethermap.matching.perceive import perceived
from tethermap.matching.residue import ObservedResidue, ResidueGraph
from tethermap.molecule.template import Template, template

_Candidate = tuple[str, Component | None, Template, Mapping | None]


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
    otherwise the next one is tried. The
    last resort is to trust the definition's names in spite of a few impossible lengths, else to
    perceive bonds from distances.

    Parameters
    ----------
    entry_bonds : sequence of EntryBond
        The entry's own definition of the component; empty if there is none.
    definition : str
        Definition in the ligand's own file, which precedes all others; a SMILES only if the user has none.
    """
    own = user.get(residue.comp_id) if user else None
    if own is None or definition.startswith("data_"):
        from_file = file_component(residue.comp_id, definition)
        if from_file is not None and (graph := _by_definition(residue, from_file, "file")) is not None:
            return graph
    for source, component, shape, mapping in _candidates(residue, entry_bonds, index, own):
        if mapping is not None:
            return residue_graph(residue, component, shape, mapping, source)
    if own is not None and (graph := _by_definition(residue, own, "user")) is not None:
        return graph
    return perceived(residue)


def _by_definition(residue: ObservedResidue, own: Component, source: str) -> ResidueGraph | None:
    """Return the user's bonds of a residue, some of which may be broken in its coordinates; None if none fit."""
    shape = template(own)
    mapping = map_by_name(residue, shape, shape.names, strained=True)
    for strained in (False, True):
        mapping = map_by_graph(residue, shape, strained=strained) if mapping is None else mapping
    return residue_graph(residue, own, shape, mapping, source) if mapping is not None else None


def _candidates(
    residue: ObservedResidue, entry_bonds: Sequence[EntryBond], index: ComponentIndex, own: Component | None
) -> Iterator[_Candidate]:
    component = index.get(residue.comp_id)
    if component is not None and not component.atoms:
        component = None
    defined = own or component
    if entry_bonds and not residue.has_duplicates:
        elements = tuple(sorted(zip(residue.names, residue.elements, strict=True)))
        shape = entry_template(tuple(entry_bonds), defined, elements)
        if shape is not None:
            yield "entry", defined, shape, map_by_name(residue, shape, shape.names)
    if own is not None:
        shape = template(own)
        yield "user", own, shape, map_by_name(residue, shape, shape.names)
        yield "user", own, shape, map_by_graph(residue, shape)
    if component is not None:
        shape = template(component)
        yield "dictionary", component, shape, map_by_name(residue, shape, shape.names)
        alternative = [atom.alt_name for atom in component.atoms if not is_hydrogen(atom.element)]
        yield "dictionary_alt", component, shape, map_by_name(residue, shape, alternative)
        yield "matched", component, shape, map_by_graph(residue, shape)
    if defined is not None and defined.atoms:
        shape = template(defined)
        yield "perceived", defined, shape, map_by_name(residue, shape, shape.names, strained=True)
