"""A job of a few small ligands in the state after its shards: the input of tables, report and manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.tools.exits import surroundings
from tests.tools.ligands import small_ligand, small_neighbourhood
from tests.tools.parts import put, put_empty, put_ligands, put_rows, run_step
from tests.tools.small_entry import atom_line
from tethermap.base import layout, tables
from tethermap.base.atomic import write_text
from tethermap.base.config import resolve, shown
from tethermap.base.contexts import CONTEXTS
from tethermap.base.reasons import sentence
from tethermap.base.tables import Row
from tethermap.instance.backbone import NO_BACKBONE
from tethermap.instance.model import Instance, Neighbourhood, Residue
from tethermap.molecule.record import LigandMolecule

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


def write_shard(
    path: Path, shard: str, entries: Sequence[str], ligands: Sequence[tuple[Instance, LigandMolecule]]
) -> None:
    """Write cleaned entries and molecules of one shard, each with an oxygen near its own, and run the steps after."""
    put_empty(path, shard)
    instances = [instance for instance, _ in ligands]
    put_ligands(path, shard, [(one, _near(one), surroundings(), NO_BACKBONE, mol) for one, mol in ligands])
    files: list[Row] = []
    for one in instances:
        file, data = layout.war_pdb(one.stem), pdb_text(one).encode()
        write_text(path / file, data.decode())
        files.append({"path": file, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})
    kept: Row = {"kept": True, "reason": "kept"}
    lost: Row = {"chain": "A", "ligand": "SO4", "residue": "301", "kind": "additive", "kept": False,
                 "reason": "kind_not_kept", "sentence": sentence("kind_not_kept")}  # fmt: skip
    counts = {entry_id: sum(instance.entry_id == entry_id for instance in instances) for entry_id in entries}
    rows: dict[str, list[Row]] = {
        "files": files,
        "entry_status": [
            {"pdb_id": entry_id, "requested_id": entry_id, **kept, "target_match": "gene",
             "instances_found": count + 1, "instances_kept": count} for entry_id, count in counts.items()
        ],
        "ligand_status": [
            *({"pdb_id": one.entry_id, "chain": one.name.auth_asym_id, "ligand": one.name.comp_id,
               "residue": one.name.residue_id, "kind": "ligand", **kept, "stem": one.stem} for one in instances),
            *({**lost, "pdb_id": entry_id} for entry_id in entries),
        ],
        "name_map": [
            {"stem": one.stem, "what": "component", "name": one.name.comp_id, "pdb_id": one.entry_id}
            for one in instances if len(one.name.comp_id) > 3
        ],
    }  # fmt: skip
    for name, listed in rows.items():
        put_rows(path, shard, f"clean_complexes/{name}", listed)
    for step in ("measure_sasa", "write_protac_inputs"):
        run_step(step, path, [shard], GIVEN)


def _near(instance: Instance) -> Neighbourhood:
    """Return the oxygen of a residue above the last atom of a ligand; the crystal is unknown."""
    x, y, _ = instance.atoms.xyz[-1].tolist()
    near = small_neighbourhood(("A", "7", "ALA", "O", "O", (x, y, 3.0), "", "target"))
    return replace(near, largest=CONTEXTS.index("assembly"))


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
