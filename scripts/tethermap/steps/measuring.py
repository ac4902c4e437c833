"""Rank the places where a linker can leave the ligands of one entry of a shard, and write the files that show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np

from tethermap.answers.observed.bridging import Holders
from tethermap.answers.observed.store import bridging_line
from tethermap.base import layout
from tethermap.base.records import EntryParts
from tethermap.base.reference import RADII
from tethermap.base.tables import SASA_ATOMS, Row, rows_of
from tethermap.components.finder import Find
from tethermap.drawing.ligand import plain_svg
from tethermap.exits.arrows import best_of_sites
from tethermap.exits.depict import exits_svg
from tethermap.exits.evidence import Witness
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.limits import SHOWN_SITES
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates, score_observed
from tethermap.exits.rows import area_lost, exit_rows, linked_atoms, residues_beside
from tethermap.exits.sdf import exits_sdf
from tethermap.exits.shape import geometry_of
from tethermap.exits.unseen import missing_atoms
from tethermap.exits.viewer import ExitArrow, chimerax_script, exit_arrows, pymol_script
from tethermap.exposure.method import Method
from tethermap.exposure.radii import PolymerRadii, RadiusTable
from tethermap.exposure.rows import OF_EXITS, sdf_fields
from tethermap.exposure.sasa import Sasa
from tethermap.fit.geometry import geometry_cells, geometry_fields
from tethermap.instance.backbone import Backbone, backbone_of_record
from tethermap.instance.model import Instance, Neighbourhood, Surroundings
from tethermap.instance.store import neighbourhood_of_record, surroundings_of_record
from tethermap.molecule.record import LigandMolecule
from tethermap.steps.ligands import instance_of, molecule_of
from tethermap.steps.shard_step import ShardStep
from tethermap.steps.writers import ExitWriters


@dataclass(frozen=True, slots=True)
class _Ligand:
    """One instance with all that earlier steps know of it."""

    instance: Instance
    molecule: LigandMolecule
    neighbourhood: Neighbourhood
    around: Surroundings
    backbone: Backbone
    rows: list[Row]


class ExitRanker:
    """Ranks the exits of a shard's ligands.

    Parameters
    ----------
    target_name : str
        As given.
    method : Method
        How the areas were measured.
    find : callable
        Look-up of a component by its code.
    step, write : ShardStep, ExitWriters
        What takes the results.
    """

    def __init__(self, target_name: str, method: Method, find: Find, step: ShardStep, write: ExitWriters) -> None:
        self._target_name = target_name
        self._method = method
        self._find = find
        sasa = Sasa(method.probe_radius, method.slices, method.engine)
        self._holders = Holders(PolymerRadii(RadiusTable(RADII), find), sasa)
        self._step = step
        self._write = write

    def rank(self, parts: EntryParts) -> None:
        """Write the exits of an entry's ligands, their SDFs and depictions."""
        records = parts.records
        rows = rows_of(parts.rows["areas"], SASA_ATOMS, OF_EXITS)
        areas = (list(of_ligand) for _, of_ligand in groupby(rows, itemgetter("stem")))
        names = ("molecules", "neighbourhoods", "surroundings", "backbones")
        parts_of = zip(parts.stems, parts.lines, *(records[name] for name in names), areas, strict=True)
        for stem, line, molecule, around, beyond, backbone, of_ligand in parts_of:
            with self._step.isolated(parts.entry_id, stem):
                ligand = _Ligand(
                    instance_of(line),
                    molecule_of(molecule),
                    neighbourhood_of_record(around),
                    surroundings_of_record(beyond),
                    backbone_of_record(backbone, named=False),
                    of_ligand,
                )
                self._ligand(ligand)

    def _ligand(self, ligand: _Ligand) -> None:
        instance, molecule, around = ligand.instance, ligand.molecule, ligand.around
        graph, lost = ligand_graph(molecule), area_lost(ligand.rows)
        missing = missing_atoms(instance, molecule, graph, self._find)
        linked = linked_atoms(instance, molecule)
        held = self._holders.bridging(instance, molecule, graph, ligand.neighbourhood, missing.beside)
        facing = held.beyond_target if held else frozenset()
        exits = rank_candidates(graph, around, lost, linked=linked, missing=missing, facing=facing)
        witness = Witness(instance, molecule, graph, ligand.backbone)
        exits = _with_evidence(exits, witness)
        beside = residues_beside(instance, graph.xyz, ligand.neighbourhood)
        for row in exit_rows(self._target_name, instance, graph, exits, beside):
            self._write.exit(row)
        seen: list[Exit] = []
        if held:
            self._write.bridging.write(bridging_line(instance.stem, held))
            seen = _with_evidence([score_observed(graph, around, lost, bond) for bond in held.bonds], witness)
            for row in exit_rows(self._target_name, instance, graph, seen, beside):
                self._write.observed(row)
        self._files(ligand, graph, exits, seen, missing.beside)
        self._scripts(ligand, exit_arrows(graph, best_of_sites(exits, SHOWN_SITES), seen))

    def _files(
        self, ligand: _Ligand, graph: LigandGraph, exits: list[Exit], seen: list[Exit], beside_missing: frozenset[int]
    ) -> None:
        """Write the row of a ligand's geometry, its SDF and its depictions, plain and with its exits: one drawing."""
        instance, molecule = ligand.instance, ligand.molecule
        shape = geometry_of(instance, molecule, ligand.around)
        self._write.geometry({"stem": instance.stem, **geometry_cells(shape)})
        fields = {**sdf_fields(self._target_name, ligand.rows, self._method), **geometry_fields(shape)}
        sdf = exits_sdf(instance, molecule, graph, exits, ligand.rows, fields)
        self._step.write(layout.ligand_sdf(instance.stem), sdf)
        self._step.write(layout.ligand_svg(instance.stem, "plain"), plain_svg(molecule, instance, beside_missing))
        depiction = exits_svg(molecule, instance, graph, exits, seen=seen, beside_missing=beside_missing)
        self._step.write(layout.ligand_svg(instance.stem, "exits"), depiction)

    def _scripts(self, ligand: _Ligand, arrows: Sequence[ExitArrow]) -> None:
        """Write the scripts that open a ligand in PyMOL and ChimeraX."""
        instance = ligand.instance
        structure = "pdb" if "mmcif_only" not in instance.flags else "cif"
        names = [instance.atoms.name[i] for i in ligand.molecule.atom_index.tolist()]
        shares = np.array([np.nan if row["relative_sasa"] is None else row["relative_sasa"] for row in ligand.rows])
        for extension, script in (("pml", pymol_script), ("cxc", chimerax_script)):
            text = script(instance, structure, names, shares.astype(np.float64), arrows)
            self._step.write(layout.viewer_script(instance.stem, extension), text)


def _with_evidence(exits: Iterable[Exit], witness: Witness) -> list[Exit]:
    return [one if one.opening is None else replace(one, evidence=witness.evidence(one)) for one in exits]
