"""Measure the exposure of the ligands of one entry of a shard, in each context."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tethermap.base import layout
from tethermap.base.records import EntryParts
from tethermap.base.reference import RADII
from tethermap.base.tables import Row
from tethermap.complex.contacts import ligand_contacts
from tethermap.components.finder import Find
from tethermap.drawing.ligand import exposed_svg
from tethermap.exposure.method import Method
from tethermap.exposure.radii import PolymerRadii, RadiusTable
from tethermap.exposure.rows import atom_rows, summary_row
from tethermap.exposure.sasa import Sasa
from tethermap.instance.model import Instance, Neighbourhood
from tethermap.instance.store import neighbourhood_of_record
from tethermap.molecule.record import LigandMolecule
from tethermap.steps.ligands import instance_of, molecule_of
from tethermap.steps.shard_step import ShardStep

Write = Callable[[Row], None]


class ExposureMeter:
    """Measures the ligands of a shard.

    Parameters
    ----------
    target_name : str
        As given.
    method : Method
        How areas are measured.
    find : callable
        Look-up of a component by its code.
    step : ShardStep
        Takes the depictions.
    summary, atom, contact : callable
        Take the rows of the tables.
    """

    def __init__(
        self, target_name: str, method: Method, find: Find, step: ShardStep, summary: Write, atom: Write, contact: Write
    ) -> None:
        self._target_name = target_name
        self._method = method
        self._sasa = Sasa(method.probe_radius, method.slices, method.engine)
        self._radii = RadiusTable(RADII)
        self._polymer_radii = PolymerRadii(self._radii, find)
        self._step = step
        self._write_summary = summary
        self._write_atom = atom
        self._write_contact = contact

    def measure(self, parts: EntryParts) -> None:
        """Write the exposure of an entry's ligands and the files that show it."""
        around, molecules = parts.records["neighbourhoods"], parts.records["molecules"]
        for stem, line, neighbours, molecule in zip(parts.stems, parts.lines, around, molecules, strict=True):
            with self._step.isolated(parts.entry_id, stem):
                self._ligand(instance_of(line), neighbourhood_of_record(neighbours), molecule_of(molecule))

    def _ligand(self, instance: Instance, neighbourhood: Neighbourhood, molecule: LigandMolecule) -> None:
        own = np.array([self._radii.of_atom(molecule.mol.GetAtomWithIdx(k)) for k in range(molecule.n_heavy)])
        around = self._polymer_radii.of_all(neighbourhood.comp_id, neighbourhood.atom_name, neighbourhood.element)
        exposure = self._sasa.exposure(instance.atoms.xyz[molecule.atom_index], own, neighbourhood, around)
        self._write_summary(summary_row(self._target_name, instance, molecule, exposure, self._method))
        for row in atom_rows(self._target_name, instance, molecule, exposure, own):
            self._write_atom(row)
        for row in ligand_contacts(instance, molecule, neighbourhood):
            self._write_contact(row)
        svg = exposed_svg(molecule, instance, exposure.relative, exposure.headline)
        self._step.write(layout.ligand_svg(instance.stem, "exposed"), svg)
