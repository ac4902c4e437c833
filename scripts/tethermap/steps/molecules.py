"""Turn the ligands of one entry of a shard into molecules."""

import logging
from dataclasses import replace

from rdkit import rdBase

from tethermap.base.reasons import FLAGS
from tethermap.base.records import EntryParts
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponents
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.matching.build import build_ligand
from tethermap.molecule.names import is_systematic, name_in_title
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import packed_molecule
from tethermap.run.shard_step import ShardStep

log = logging.getLogger(__name__)


def match_entry(step: ShardStep, index: ComponentIndex, user: UserComponents | None, parts: EntryParts) -> None:
    """Write the molecules of an entry's ligands.

    Parameters
    ----------
    step : ShardStep
        Takes the molecules.
    index, user : ComponentIndex, UserComponents or None
        Definitions of components.
    """
    with rdBase.BlockLogs():
        instances = [instance_of_line(line) for line in parts.lines]
        ligands = {one.component_names for one in instances if one.kind == "ligand"}
        named = list(zip(parts.stems, instances, strict=True))
        for stem, instance in step.ligands(parts.entry_id, named):
            with step.isolated(parts.entry_id, stem):
                molecule = build_ligand(instance, index, user)
                for flag in ("not_sanitised", "definition_unused", "perceived_bonds", "strained_bonds"):
                    if flag in molecule.flags:
                        log.warning("%s: %s", molecule.stem, FLAGS[flag])
                if ligands == {instance.component_names} and "+" not in instance.component_names:
                    molecule = _named(molecule, instance)
                step.add("molecules", packed_molecule(molecule))


def _named(molecule: LigandMolecule, instance: Instance) -> LigandMolecule:
    """Return the only ligand of an entry with the name in the entry's title, if the dictionary has none."""
    if not is_systematic(molecule.title, molecule.synonyms):
        return molecule
    one_protein = len({polymer.name for polymer in instance.polymers}) == 1
    name = name_in_title(instance.facts.title, one_protein=one_protein)
    return replace(molecule, synonyms=(*molecule.synonyms, name)) if name else molecule
