"""Measure the ligands of one entry of a shard: their exposure in each context, and their exits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.answers.observed.bridging import bridging_line, bridging_of
from tethermap.base import layout
from tethermap.base.records import EntryParts
from tethermap.base.tables import JOINED, SASA_ATOMS, Row, as_written
from tethermap.complex.contacts import ligand_contacts
from tethermap.components.finder import Find
from tethermap.drawing.ligand import exposed_svg, plain_svg
from tethermap.exits.arrows import best_of_sites
from tethermap.exits.depict import exits_svg
from tethermap.exits.evidence import Witness
from tethermap.exits.graph import ligand_graph
from tethermap.exits.limits import SHOWN_SITES
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates, score_observed
from tethermap.exits.rows import area_lost, exit_rows, geometry_of, linked_atoms, residues_beside
from tethermap.exits.sdf import exits_sdf
from tethermap.exits.sites import site_numbers
from tethermap.exits.unseen import missing_atoms
from tethermap.exits.viewer import chimerax_script, exit_arrows, pymol_script
from tethermap.exposure.radii import PolymerRadii
from tethermap.exposure.rows import OF_EXITS, atom_rows, sdf_fields, summary_row
from tethermap.exposure.sasa import Sasa
from tethermap.fit.geometry import geometry_cells, geometry_fields
from tethermap.instance.backbone import Backbone, backbone_of_record
from tethermap.instance.model import Instance, Neighbourhood, Surroundings
from tethermap.instance.store import instance_of_line, neighbourhood_of_record, surroundings_of_record
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record
from tethermap.run.shard_step import ShardStep


@dataclass(frozen=True, slots=True)
class _Ligand:
    """One instance with the results of earlier steps."""

    instance: Instance
    molecule: LigandMolecule
    neighbourhood: Neighbourhood
    around: Surroundings
    backbone: Backbone


@dataclass(frozen=True, slots=True)
class LigandMeasurer:
    """Measures the exposure of a shard's ligands and ranks their exits.

    Parameters
    ----------
    target_name : str
        Name of the target in the settings.
    find : callable
        Look-up of a component by its code.
    radii : PolymerRadii
        Radii of the atoms around ligands.
    sasa : Sasa
        Method of the SASA calculation.
    step : ShardStep
        Receives the results.
    """

    target_name: str
    find: Find
    radii: PolymerRadii
    sasa: Sasa
    step: ShardStep

    def measure(self, parts: EntryParts) -> None:
        """Write the exposure and the exits of an entry's ligands, and their files."""
        records = (parts.records[name] for name in ("neighbourhoods", "surroundings", "backbones"))
        measured: dict[str, tuple[Instance, LigandMolecule]] = {}
        for stem, line, molecule in zip(parts.stems, parts.lines, parts.records["molecules"], strict=True):
            with self.step.isolated(parts.entry_id, stem):
                measured[stem] = instance_of_line(line), molecule_of_record(molecule)
        surrounded = list(zip(parts.stems, *records, strict=True))
        for stem, around, beyond, backbone in self.step.ligands(parts.entry_id, surrounded):
            if stem not in measured:
                continue
            with self.step.isolated(parts.entry_id, stem):
                ligand = _Ligand(
                    *measured[stem],
                    neighbourhood_of_record(around),
                    surroundings_of_record(beyond),
                    backbone_of_record(backbone),
                )
                rows = self._exposure(ligand, list(measured.values()))
                # Exits and the SDF are made from the rounded areas of the table, so that sums agree.
                self._exits(ligand, as_written(rows, SASA_ATOMS, OF_EXITS))

    def _exposure(self, ligand: _Ligand, others: Sequence[tuple[Instance, LigandMolecule]]) -> list[Row]:
        """Write the exposure of a ligand and its contacts; return the rows of its atoms."""
        instance, molecule, neighbourhood = ligand.instance, ligand.molecule, ligand.neighbourhood
        radii = np.array([self.radii.table.of_atom(molecule.mol.GetAtomWithIdx(k)) for k in range(molecule.n_heavy)])
        around = self.radii.of_all(neighbourhood.comp_id, neighbourhood.atom_name, neighbourhood.element)
        exposure = self.sasa.exposure(instance.atoms.xyz[molecule.atom_index], radii, neighbourhood, around)
        summary = summary_row(self.target_name, instance, molecule, exposure, self.sasa)
        self.step.add("sasa_summary", summary)
        rows = list(atom_rows(self.target_name, instance, molecule, exposure, radii))
        self.step.add_all("sasa_atoms", rows)
        self.step.add_all("contacts", ligand_contacts(instance, molecule, neighbourhood, others))
        if self.step.draws:
            svg = exposed_svg(molecule, instance, exposure.relative, exposure.headline)
            self.step.write(layout.ligand_svg(instance.stem, "exposed"), svg)
        return rows

    def _exits(self, ligand: _Ligand, areas: list[Row]) -> None:
        """Write the exits of a ligand, the row of its geometry, its SDF, its depictions and its scripts for viewers."""
        instance, molecule, around = ligand.instance, ligand.molecule, ligand.around
        graph, lost = ligand_graph(molecule), area_lost(areas)
        missing = missing_atoms(instance, molecule, graph, self.find)
        linked = linked_atoms(instance, molecule)
        method = self.radii, self.sasa
        bridging = bridging_of(instance, molecule, graph, ligand.neighbourhood, missing.beside, *method)
        facing = bridging.beyond_target if bridging else frozenset()
        grade = Witness(instance, molecule, graph, ligand.backbone).evidence
        exits = rank_candidates(graph, around, lost, linked=linked, missing=missing, facing=facing, grade=grade)
        beside = residues_beside(instance, graph.xyz, ligand.neighbourhood)
        self.step.add_all("exits", exit_rows(self.target_name, instance, graph, exits, beside))
        self.step.add("exit_sites", {"exit_sites": JOINED.join(map(str, site_numbers(graph))), "stem": instance.stem})
        seen: list[Exit] = []
        if bridging:
            self.step.add("bridging", bridging_line(instance.stem, bridging))
            seen = [score_observed(graph, around, lost, bond, grade) for bond in bridging.bonds]
            self.step.add_all("observed", exit_rows(self.target_name, instance, graph, seen, beside))
        shape = geometry_of(instance, molecule, around)
        self.step.add("geometry", {"stem": instance.stem, **geometry_cells(shape)})
        fields = {**sdf_fields(self.target_name, areas, self.sasa), **geometry_fields(shape)}
        sdf = exits_sdf(instance, molecule, graph, exits, areas, fields)
        self.step.write(layout.ligand_sdf(instance.stem), sdf)
        if not self.step.draws:
            return
        # One drawing, plain and with the exits; then the scripts that open the ligand in PyMOL and ChimeraX.
        self.step.write(layout.ligand_svg(instance.stem, "plain"), plain_svg(molecule, instance, missing.beside))
        depiction = exits_svg(molecule, instance, graph, exits, seen=seen, beside_missing=missing.beside)
        self.step.write(layout.ligand_svg(instance.stem, "exits"), depiction)
        arrows = exit_arrows(graph, best_of_sites(exits, SHOWN_SITES), seen)
        shares = np.array([np.nan if row["relative_sasa"] is None else row["relative_sasa"] for row in areas])
        for extension, script in (("pml", pymol_script), ("cxc", chimerax_script)):
            text = script(instance, molecule.atom_index, shares.astype(np.float64), arrows)
            self.step.write(layout.war_pdb(instance.stem, extension), text)
