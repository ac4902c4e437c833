"""A job of a few small ligands in the state after its shards: the input of tables, report and manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.tools.exits import surroundings
from tests.tools.ligands import small_ligand
from tests.tools.parts import put, put_empty, put_records, put_rows, rows_of_part, run_step
from tethermap.base import layout, tables
from tethermap.base.atomic import write_text
from tethermap.base.config import resolve, shown
from tethermap.base.contexts import CONTEXTS
from tethermap.base.reasons import sentence
from tethermap.base.tables import Row
from tethermap.drawing.ligand import exposed_svg, plain_svg
from tethermap.exits.depict import exits_svg
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates
from tethermap.exits.rows import exit_rows
from tethermap.exits.sdf import exits_sdf
from tethermap.exposure.rows import atom_rows, sdf_fields, summary_row
from tethermap.exposure.sasa import Exposure, Sasa
from tethermap.extras.protac import side
from tethermap.extras.protac.inputs import InputMaker
from tethermap.extras.protac.ligand import RankedLigand, ranked_exits
from tethermap.instance.backbone import NO_BACKBONE, packed_backbone
from tethermap.instance.model import Instance, Residue
from tethermap.instance.store import instance_line
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import packed_molecule

TARGET = "Small & <target>"
GIVEN = resolve(
    {"target_name": TARGET, "search_query": "small", "source": {"kind": "archive"}, "protac_inputs": {"exits": 2}}
)
SETTINGS = shown(GIVEN)
ETHANOL = [(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (2.0, 1.35, 0.0)]
METHANOL = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]

MEMBERS = (
    ("2abc", Residue("B", "C", "017", -3), "CCO", ETHANOL),
    ("1abc", Residue("A", "B", "LIG", 60, "A"), "CO", METHANOL),
    ("1abc", Residue("A", "B", "LIG", 60), "CO", METHANOL),
    ("1abc", Residue("A", "B", "LIG", 9), "CO", METHANOL),
    ("3abc", Residue("a", "D", "A1BCD", 1), "CCO", ETHANOL),
)
"""Entry, residue, SMILES and coordinates of the ligands that are kept, in no order."""


@dataclass(frozen=True)
class SmallJob:
    """A job folder and the numbers of its shards."""

    path: Path
    shards: list[str]

    def run(self, *steps: str) -> SmallJob:
        """Run steps after those whose files exist."""
        for step in steps:
            run_step(step, self.path, self.shards, GIVEN)
        return self


def small_job(path: Path, *, entries: Sequence[str] = ("1abc", "2abc", "3abc"), n_shards: int = 1) -> SmallJob:
    """Write the output of the search, the shards and the search for series into a job folder.

    Parameters
    ----------
    path : Path
        The job folder.
    entries : sequence of str
        Entries kept, of those in `MEMBERS`.
    n_shards : int
        Number of shards.
    """
    write_search(path, entries)
    ligands = [(entry_id, *small_ligand(smiles, xyz, entry_id=entry_id, residue=residue))
               for entry_id, residue, smiles, xyz in MEMBERS if entry_id in entries]  # fmt: skip
    shards = [str(number) for number in range(n_shards)] if entries else []
    for shard in shards:
        mine = [entry_id for place, entry_id in enumerate(entries) if place % n_shards == int(shard)]
        write_shard(path, shard, mine, [(i, m) for entry_id, i, m in ligands if entry_id in mine])
    write_series(path, shards, [(instance, mol) for _, instance, mol in ligands])
    return SmallJob(path, shards)


def write_search(path: Path, entries: Sequence[str]) -> None:
    """Write the entries found, one more than is kept, and the job's settings."""
    found: list[Row] = [
        {"rank": rank, "pdb_id": entry_id, "requested_id": entry_id, "selected": True}
        for rank, entry_id in enumerate(entries, 1)
    ]
    cut: Row = {"rank": 9, "pdb_id": "9xyz", "requested_id": "9xyz", "selected": False, "reason": "cut_by_max_entries"}
    tables.write_table(path / layout.SEARCH_ENTRIES, tables.ENTRIES, [*found, {**cut, "threshold": "3", "value": "9"}])
    write_text(path / layout.JOB_CONFIG, json.dumps(SETTINGS))
    query = {"source": {"kind": "archive", "label": "archive"}, "notes": ["A note."], "date": "2020-01-01"}
    write_text(path / layout.SEARCH_QUERY, json.dumps(query))


def exposure_of(instance: Instance) -> Exposure:
    """Return made-up areas: 20 Å² free, less in each larger context, no crystal."""
    count = len(instance.atoms)
    steps = np.linspace(0.0, 1.0, count)
    bound = {context: steps * (12.0 - 2 * place) for place, context in enumerate(CONTEXTS)}
    bound["crystal"] = np.full(count, np.nan)
    return Exposure(np.full(count, 20.0), bound)


def write_shard(
    path: Path, shard: str, entries: Sequence[str], ligands: Sequence[tuple[Instance, LigandMolecule]]
) -> None:
    """Write every intermediate of one shard and its files."""

    put_empty(path, shard)
    rows_of, records_of = partial(put_rows, path, shard), partial(put_records, path, shard)
    put(path, shard, "clean_complexes/instances", b"".join(instance_line(instance) for instance, _ in ligands))
    backbones = [packed_backbone(instance.stem, NO_BACKBONE) for instance, _ in ligands]
    records_of("clean_complexes/backbones", backbones)
    records_of("match_ligands/molecules", [packed_molecule(mol) for _, mol in ligands])
    method = Sasa(1.4, 100)
    measured = [(instance, mol, exposure_of(instance)) for instance, mol in ligands]
    summary = [summary_row(TARGET, *one, method) for one in measured]
    rows_of("measure_sasa/sasa_summary", summary)
    radii = [np.full(mol.n_heavy, 1.88) for _, mol, _ in measured]
    atoms = [row for one, radius in zip(measured, radii, strict=True) for row in atom_rows(TARGET, *one, radius)]
    rows_of("measure_sasa/sasa_atoms", atoms)
    contact: Row = {
        "ligand_atom": "C1",
        "partner_chain": "A",
        "partner_residue": "7",
        "type": "hbond",
        "distance_A": 3.0,
    }
    contacts: list[Row] = [{**contact, **instance.cells} for instance, _ in ligands]
    rows_of("measure_sasa/contacts", contacts)
    ways_out = [exits_of(mol) for instance, mol in ligands]
    exits = [row for (instance, _), (graph, found) in zip(ligands, ways_out, strict=True)
             for row in exit_rows(TARGET, instance, graph, found)]  # fmt: skip
    rows_of("measure_sasa/exits", exits)
    rows_of("measure_sasa/geometry", [{"stem": instance.stem} for instance, _ in ligands])
    _write_status(path, shard, entries, [instance for instance, _ in ligands])
    renamed = [i for i, _ in ligands if len(i.name.comp_id) > 3]
    rows = [{"stem": i.stem, "what": "component", "name": i.name.comp_id, "pdb_id": i.entry_id} for i in renamed]
    rows_of("clean_complexes/name_map", rows)
    _write_files(path, shard, measured, method)


def exits_of(mol: LigandMolecule) -> tuple[LigandGraph, list[Exit]]:
    """Return a ligand's exits with nothing around it."""
    graph = ligand_graph(mol)
    return graph, rank_candidates(graph, surroundings(), np.zeros(len(graph)))


def _write_status(path: Path, shard: str, entry_ids: Sequence[str], instances: Sequence[Instance]) -> None:
    counts = {entry_id: sum(instance.entry_id == entry_id for instance in instances) for entry_id in entry_ids}
    rows: list[Row] = [
        {
            "pdb_id": entry_id,
            "requested_id": entry_id,
            "kept": True,
            "reason": "kept",
            "target_match": "gene",
            "instances_found": count + 1,
            "instances_kept": count,
        }
        for entry_id, count in counts.items()
    ]
    put_rows(path, shard, "clean_complexes/entry_status", rows)
    kept: list[Row] = [
        {
            "pdb_id": instance.entry_id,
            "chain": instance.name.auth_asym_id,
            "ligand": instance.name.comp_id,
            "residue": instance.name.residue_id,
            "kind": "ligand",
            "kept": True,
            "reason": "kept",
            "stem": instance.stem,
        }
        for instance in instances
    ]
    lost: Row = {"chain": "A", "ligand": "SO4", "residue": "301", "kind": "additive", "kept": False}
    reason = {"reason": "kind_not_kept", "sentence": sentence("kind_not_kept")}
    rejected: list[Row] = [{**lost, **reason, "pdb_id": entry_id} for entry_id in entry_ids]
    put_rows(path, shard, "clean_complexes/ligand_status", [*kept, *rejected])


def _write_files(
    path: Path, shard: str, measured: Sequence[tuple[Instance, LigandMolecule, Exposure]], method: Sasa
) -> None:
    lists: dict[str, dict[str, str]] = {"clean_complexes": {}, "measure_sasa": {}, "write_protac_inputs": {}}
    maker, inputs = InputMaker(side.TARGET), []
    exit_table, atoms = (rows_of_part(path, shard, f"measure_sasa/{name}") for name in ("exits", "sasa_atoms"))
    for instance, mol, exposure in measured:
        stem = instance.stem
        graph, exits = exits_of(mol)
        read_back = [row for row in atoms if row["stem"] == stem]
        lists["clean_complexes"][layout.war_pdb(stem)] = pdb_text(instance)
        lists["measure_sasa"][layout.ligand_svg(stem, "plain")] = plain_svg(mol, instance)
        svg = exposed_svg(mol, instance, exposure.relative, exposure.headline)
        lists["measure_sasa"][layout.ligand_svg(stem, "exposed")] = svg
        lists["measure_sasa"][layout.ligand_sdf(stem)] = exits_sdf(
            instance, mol, graph, exits, read_back, sdf_fields(TARGET, read_back, method)
        )
        lists["measure_sasa"][layout.ligand_svg(stem, "exits")] = exits_svg(mol, instance, graph, exits)
        ranked = ranked_exits(graph, [row for row in exit_table if row["stem"] == stem])
        ligand = RankedLigand(instance, mol, graph, ranked)
        made, rows_of_sites = maker.make(TARGET, ligand, pdb_text(instance), ligand.best_of_sites(2))
        lists["write_protac_inputs"].update(
            {f"{layout.protac_inputs(stem)}/{name}": text for name, text in made.items()}
        )
        inputs += rows_of_sites
    put_rows(path, shard, "write_protac_inputs/protac_inputs", inputs)
    for name, contents in lists.items():
        rows: list[Row] = []
        for file, text in contents.items():
            write_text(path / file, text)
            data = text.encode()
            rows.append({"path": file, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})
        put_rows(path, shard, f"{name}/files", rows)


def pdb_text(instance: Instance, *, first: int = 101) -> str:
    """Return an instance as HETATM records, with serial numbers from `first`."""
    name, lines = instance.name, []
    for k, (x, y, z) in enumerate(instance.atoms.xyz.tolist()):
        element = instance.atoms.element[k]
        place = f"{x:8.3f}{y:8.3f}{z:8.3f}"
        lines.append(
            f"HETATM{first + k:5d}  {instance.atoms.name[k]:<3s} {instance.pdb_comp_id:>3s} {name.auth_asym_id:1s}"
            f"{name.auth_seq_id:4d}{name.ins_code or ' ':1s}   {place}  1.00 20.00          {element:>2s}"
        )
    return "\n".join([*lines, "END"]) + "\n"


def write_series(path: Path, shards: Sequence[str], instances: Sequence[tuple[Instance, LigandMolecule]]) -> None:
    """Write one series of all ligands with their first two atoms as its core, and the ligands' properties."""
    lines = [json.dumps({"stem": mol.stem, "series": "S001", "core": [1, 0]}) + "\n" for _, mol in instances]
    mol_of = {instance.name.comp_id: mol for instance, mol in instances}
    codes = sorted(mol_of)
    row: Row = {"series": "S001", "scaffold_smiles": "CO", "n_components": len(codes), "n_instances": len(instances)}
    for shard in shards[:1]:
        put(path, shard, "find_cores/members", "".join(lines).encode())
        put_rows(path, shard, "find_cores/series", [{**row, "timed_out": False, "n_core_atoms": 2}])
    ligands: list[Row] = [
        {
            "Ligand": code,
            "Name": f"NAME OF {code}",
            "Formula": "C2 H6 O",
            "MW": 46.07,
            "Parent_SMILES": mol_of[code].parent_smiles,
            "SMILES_pH74": mol_of[code].at_ph.main,
        }
        for code in codes
    ]
    for shard in shards[:1]:
        put_rows(path, shard, "find_cores/ligands", ligands)
    tables.write_table(path / layout.SERIES_ERRORS, tables.ERRORS, [])
