"""The polymers of an entry: as its header names them, else as their residues were observed."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tethermap.base.tables import by_key
from tethermap.complex.context import ASSEMBLY, Around
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import text
from tethermap.entry.mmcif_header import parent_letter
from tethermap.entry.model import PolymerEntity
from tethermap.instance.model import Polymer


def polymers_of(scene: Scene) -> tuple[PolymerEntity, ...]:
    """Return the polymers of an entry; unnamed ones have their observed sequence.

    Parameters
    ----------
    scene : Scene
        The entry.
    """
    entities = scene.entry.metadata.entities
    named = {chain for entity in entities for chain in (*entity.label_asym_ids, *entity.auth_asym_ids)}
    by_sequence: dict[str, list[str]] = {}
    observed: dict[str, str] = {}
    if all(entity.sequence for entity in entities) and named.issuperset(scene.chains):
        return entities
    for asym in scene.chains:
        chain = scene.chain_names[asym].strip()
        members = scene.chains[asym].atoms.members
        first = members[np.unique(scene.atoms.residue[members], return_index=True)[1]]
        observed.setdefault(chain, "".join(parent_letter(text(name)) for name in scene.atoms.comp_id[first]))
        if asym not in named and chain not in named:
            by_sequence.setdefault(observed[chain], []).append(chain)
    seen = [next((observed[name] for name in entity.auth_asym_ids if name in observed), "") for entity in entities]
    known = [replace(one, sequence=one.sequence or sequence) for one, sequence in zip(entities, seen, strict=True)]
    nucleic = {scene.chain_names[asym].strip() for asym in scene.nucleic_acids}
    others = [
        PolymerEntity(
            entity_id=f"observed {number}",
            kind="polynucleotide" if nucleic.issuperset(chains) else "",
            auth_asym_ids=tuple(chains),
            sequence=sequence,
        )
        for number, (sequence, chains) in enumerate(by_sequence.items(), 1)
    ]
    return (*known, *others)


def polymers_beside(
    scene: Scene, around: Around, entities: Iterable[PolymerEntity], targets: Iterable[PolymerEntity]
) -> tuple[Polymer, ...]:
    """Return the polymers of its assembly that have a chain next to an instance, those of one sequence as one.

    Parameters
    ----------
    scene : Scene
        The entry.
    around : Around
        Surroundings of the instance.
    entities : iterable of PolymerEntity
        All of the entry.
    targets : iterable of PolymerEntity
        Entities of the target.
    """
    copies = (copy for copy in around.copies if copy.level <= ASSEMBLY and not copy.body.parents)
    near = {scene.chain_names[copy.body.asym].strip() for copy in copies}
    wanted = {entity.sequence or entity.entity_id for entity in targets}
    beside = (entity for entity in entities if near.intersection(entity.auth_asym_ids))
    polymers = []
    for key, alike in by_key((entity.sequence or entity.entity_id, entity) for entity in beside).items():
        chains = tuple(chain for entity in alike for chain in entity.auth_asym_ids if chain in near)
        name = alike[0].description or next(iter(alike[0].genes), f"chain {chains[0]}")
        polymers.append(Polymer(name, chains, key in wanted))
    return tuple(polymers)
