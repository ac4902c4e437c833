"""Turn the ligands of one entry of a shard into molecules."""

from __future__ import annotations

import logging

from rdkit import rdBase

from tethermap.base.reasons import FLAGS
from tethermap.base.records import EntryParts
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponents
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import packed_molecule
from tethermap.run.shard_step import ShardStep

log = logging.getLogger(__name__)


class LigandMatcher:
    """Makes the molecules of a shard's ligands.

    Parameters
    ----------
    index, user : ComponentIndex, UserComponents or None
        Definitions of components.
    step : ShardStep
        Takes the molecules.
    """

    def __init__(self, index: ComponentIndex, user: UserComponents | None, step: ShardStep) -> None:
        self._index = index
        self._user = user
        self._step = step

    def match(self, parts: EntryParts) -> None:
        """Write the molecules of an entry."""
        with rdBase.BlockLogs():
            for stem, line in zip(parts.stems, parts.lines, strict=True):
                with self._step.isolated(parts.entry_id, stem):
                    self._step.add("molecules", packed_molecule(self._molecule(instance_of_line(line))))

    def _molecule(self, instance: Instance) -> LigandMolecule:
        """Return the molecule of an instance."""
        molecule = build_ligand(instance, self._index, self._user)
        if not molecule.sanitised:
            log.warning("%s: the molecule does not pass RDKit's checks", molecule.stem)
        for flag in ("perceived_bonds", "strained_bonds"):
            if flag in molecule.flags:
                log.warning("%s: %s", molecule.stem, FLAGS[flag])
        return molecule
