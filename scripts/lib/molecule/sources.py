"""Where the bonds of a residue come from: the sources in order of trust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scripts.lib.instance.model import EntryBond
from scripts.lib.molecule.component import Component, is_hydrogen
from scripts.lib.molecule.components import ComponentIndex
from scripts.lib.molecule.entry_shape import entry_template
from scripts.lib.molecule.match import map_by_graph, map_by_name
from scripts.lib.molecule.partial import Mapping, residue_graph
from scripts.lib.molecule.perceive import perceived
from scripts.lib.molecule.residue import ObservedResidue, ResidueGraph
from scripts.lib.molecule.template import Template, template
from scripts.lib.molecule.user import UserComponents

_Candidate = tuple[str, Component | None, Template, Mapping | None]


def resolved(
    residue: ObservedResidue,
    entry_bonds: Sequence[EntryBond],
    index: ComponentIndex,
    user: UserComponents | None,
) -> ResidueGraph:
    """Return the atoms of a residue with bonds from the first source that explains all of them.

    The order is that of `record.BOND_SOURCES`, but a definition of the user's comes before the
    dictionary's: LIG, DRG and MOL are real components there, and a graph match, blind to orders
    and missing atoms, would take the user's molecule for a part of them. A source counts only if
    its elements agree and every bond has a possible length; otherwise the next one is asked. The
    last resort is to trust the definition's names in spite of a few impossible lengths, else to
    perceive bonds from distances.

    Parameters
    ----------
    residue : ObservedResidue
        Heavy atoms of one residue.
    entry_bonds : sequence of EntryBond
        What the entry itself says of the component; empty where it says nothing.
    index : ComponentIndex
        The dictionary.
    user : dict of str to Component, optional
        The user's own definitions.
    """
    for source, component, shape, mapping in _candidates(residue, entry_bonds, index, user):
        if mapping is not None:
            return residue_graph(residue, component, shape, mapping, source)
    own = user.get(residue.comp_id) if user else None
    component = own or index.get(residue.comp_id)
    if component is not None and component.atoms:
        shape = template(component)
        mapping = map_by_name(residue, shape, shape.names, strained=True)
        if mapping is not None:
            return residue_graph(residue, component, shape, mapping, "perceived")
    return perceived(residue)


def _candidates(
    residue: ObservedResidue,
    entry_bonds: Sequence[EntryBond],
    index: ComponentIndex,
    user: UserComponents | None,
) -> Iterator[_Candidate]:
    component = index.get(residue.comp_id)
    if component is not None and not component.atoms:
        component = None
    own = user.get(residue.comp_id) if user else None
    if entry_bonds and not residue.has_duplicates:
        elements = tuple(sorted(zip(residue.names, residue.elements, strict=True)))
        defined = own or component
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
