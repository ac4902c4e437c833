"""A job of a few small ligands in the state after its shards: the input of tables, report and manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.tools.exits import surroundings
from tests.tools.ligands import small_ligand
from tests.tools.parts import put, put_empty, put_records, put_rows, rows_of_part, run_step
from tests.tools.small_entry import atom_line
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
    method = Sasa(1.4, 100)
    instances = [instance for instance, _ in ligands]
    measured = [(instance, mol, exposure_of(instance)) for instance, mol in ligands]
    put(path, shard, "clean_complexes/instances", b"".join(map(instance_line, instances)))
    backbones = [packed_backbone(instance.stem, NO_BACKBONE) for instance in instances]
    put_records(path, shard, "clean_complexes/backbones", backbones)
    put_records(path, shard, "match_ligands/molecules", [packed_molecule(mol) for _, mol in ligands])
    contact: Row = {
        "ligand_atom": "C1",
        "partner_chain": "A",
        "partner_residue": "7",
        "type": "hbond",
        "distance_A": 3.0,
    }
    kept: Row = {"kept": True, "reason": "kept"}
    lost: Row = {"chain": "A", "ligand": "SO4", "residue": "301", "kind": "additive", "kept": False,
                 "reason": "kind_not_kept", "sentence": sentence("kind_not_kept")}  # fmt: skip
    counts = {entry_id: sum(instance.entry_id == entry_id for instance in instances) for entry_id in entries}
    rows: dict[str, list[Row]] = {
        "measure_sasa/sasa_summary": [summary_row(TARGET, *one, method) for one in measured],
        "measure_sasa/sasa_atoms": [
            row for one in measured for row in atom_rows(TARGET, *one, np.full(one[1].n_heavy, 1.88))
        ],
        "measure_sasa/contacts": [{**contact, **one.cells} for one in instances],
        "measure_sasa/exits": [row for one, mol in ligands for row in exit_rows(TARGET, one, *exits_of(mol))],
        "measure_sasa/geometry": [{"stem": one.stem} for one in instances],
        "clean_complexes/entry_status": [
            {"pdb_id": entry_id, "requested_id": entry_id, **kept, "target_match": "gene",
             "instances_found": count + 1, "instances_kept": count} for entry_id, count in counts.items()
        ],
        "clean_complexes/ligand_status": [
            *({"pdb_id": one.entry_id, "chain": one.name.auth_asym_id, "ligand": one.name.comp_id,
               "residue": one.name.residue_id, "kind": "ligand", **kept, "stem": one.stem} for one in instances),
            *({**lost, "pdb_id": entry_id} for entry_id in entries),
        ],
        "clean_complexes/name_map": [
            {"stem": one.stem, "what": "component", "name": one.name.comp_id, "pdb_id": one.entry_id}
            for one in instances if len(one.name.comp_id) > 3
        ],
    }  # fmt: skip
    for name, listed in rows.items():
        put_rows(path, shard, name, listed)
    _write_files(path, shard, measured, method)


def exits_of(mol: LigandMolecule) -> tuple[LigandGraph, list[Exit]]:
    """Return a ligand's exits with nothing around it."""
    graph = ligand_graph(mol)
    return graph, rank_candidates(graph, surroundings(), np.zeros(len(graph)))


def _write_files(
    path: Path, shard: str, measured: Sequence[tuple[Instance, LigandMolecule, Exposure]], method: Sasa
) -> None:
    maker, inputs = InputMaker(side.TARGET), []
    files: dict[str, dict[str, str]] = {"clean_complexes": {}, "measure_sasa": {}, "write_protac_inputs": {}}
    exit_table, atoms = (rows_of_part(path, shard, f"measure_sasa/{name}") for name in ("exits", "sasa_atoms"))
    for instance, mol, exposure in measured:
        stem = instance.stem
        graph, exits = exits_of(mol)
        read_back = [row for row in atoms if row["stem"] == stem]
        fields = sdf_fields(TARGET, read_back, method)
        files["clean_complexes"][layout.war_pdb(stem)] = pdb_text(instance)
        files["measure_sasa"] |= {
            layout.ligand_svg(stem, "plain"): plain_svg(mol, instance),
            layout.ligand_svg(stem, "exposed"): exposed_svg(mol, instance, exposure.relative, exposure.headline),
            layout.ligand_sdf(stem): exits_sdf(instance, mol, graph, exits, read_back, fields),
            layout.ligand_svg(stem, "exits"): exits_svg(mol, instance, graph, exits),
        }
        ranked = ranked_exits(graph, [row for row in exit_table if row["stem"] == stem])
        ligand = RankedLigand(instance, mol, graph, ranked)
        made, rows_of_sites = maker.make(TARGET, ligand, pdb_text(instance), ligand.best_of_sites(2))
        files["write_protac_inputs"] |= {f"{layout.protac_inputs(stem)}/{name}": text for name, text in made.items()}
        inputs += rows_of_sites
    put_rows(path, shard, "write_protac_inputs/protac_inputs", inputs)
    for step, contents in files.items():
        rows: list[Row] = []
        for file, text in contents.items():
            write_text(path / file, text)
            data = text.encode()
            rows.append({"path": file, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})
        put_rows(path, shard, f"{step}/files", rows)


def pdb_text(instance: Instance) -> str:
    """Return an instance as HETATM records."""
    name, atoms = instance.name, instance.atoms
    place = (instance.pdb_comp_id, name.auth_asym_id, name.auth_seq_id)
    lines = [
        atom_line(101 + k, atoms.name[k], *place, xyz, element=atoms.element[k], ins_code=name.ins_code or " ")
        for k, xyz in enumerate(atoms.xyz.tolist())
    ]
    return "".join([*lines, "END\n"])


def write_series(path: Path, shards: Sequence[str], instances: Sequence[tuple[Instance, LigandMolecule]]) -> None:
    """Write one series of all ligands with their first two atoms as its core, and the ligands' properties."""
    members = [json.dumps({"stem": mol.stem, "series": "S001", "core": [1, 0]}) + "\n" for _, mol in instances]
    mol_of = {instance.name.comp_id: mol for instance, mol in sorted(instances, key=lambda one: one[0].name.comp_id)}
    row: Row = {"series": "S001", "scaffold_smiles": "CO", "n_components": len(mol_of), "n_instances": len(instances)}
    ligands: list[Row] = [
        {"Ligand": code, "Name": f"NAME OF {code}", "Formula": "C2 H6 O", "MW": 46.07,
         "Parent_SMILES": mol.parent_smiles, "SMILES_pH74": mol.at_ph.main} for code, mol in mol_of.items()
    ]  # fmt: skip
    for shard in shards[:1]:
        put(path, shard, "find_cores/members", "".join(members).encode())
        put_rows(path, shard, "find_cores/series", [{**row, "timed_out": False, "n_core_atoms": 2}])
        put_rows(path, shard, "find_cores/ligands", ligands)
    tables.write_table(path / layout.SERIES_ERRORS, tables.ERRORS, [])
