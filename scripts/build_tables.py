"""Merge what the shards found into the tables of the result folder."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.lib import layout, tables
from scripts.lib.atomic import replacing
from scripts.lib.consensus.groups import Member, grouped
from scripts.lib.consensus.rows import consensus_rows, read_ways, superposition_rows, ways_of
from scripts.lib.instance.backbone import Backbone, read_backbones
from scripts.lib.instance.model import Instance
from scripts.lib.instance.store import read_instances_alone
from scripts.lib.logs import logged_to
from scripts.lib.merging import merge, read_blocks, sorted_table
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.molecule.store import read_molecules
from scripts.lib.result_rows import (
    Membership,
    entry_key,
    ligand_status_key,
    map_rows,
    name_map_key,
    result_row,
    row_sort_key,
    sort_key,
    unselected_entry_row,
)
from scripts.lib.tables import Row

Cells = tuple[int, list[str]]

FILE_LISTS = ("complex_files", "molecule_files", "exposure_files", "exit_files")


def main(job: Path, shards: Sequence[str], *, target_name: str) -> None:
    """Write all tables and the one SDF of a job.

    Parameters
    ----------
    job : Path
        The job folder.
    shards : sequence of str
        Numbers of its shards; none when the search found nothing.
    target_name : str
        As given.
    """
    members = read_members(job / layout.SERIES_MEMBERS)
    groups = grouped(_merge_instances(job, shards, members, target_name))
    tables.write_table(job / tables.SUPERPOSITION.path, tables.SUPERPOSITION, superposition_rows(groups))
    tables.write_table(job / tables.EXIT_CONSENSUS.path, tables.EXIT_CONSENSUS, consensus_rows(groups))
    for table, part, key, column in (
        (tables.SASA_SUMMARY, "sasa_summary", row_sort_key, "stem"),
        (tables.SASA_ATOMS, "sasa_atoms", row_sort_key, "stem"),
        (tables.CONTACTS, "contacts", row_sort_key, "stem"),
        (tables.EXIT_VECTORS, "exits", row_sort_key, "stem"),
        (tables.PROTAC_INPUTS, "protac_inputs", row_sort_key, "stem"),
        (tables.LIGAND_STATUS, "ligand_status", ligand_status_key, None),
        (tables.NAME_MAP, "name_map", name_map_key, None),
    ):
        merge((job / layout.shard_file(shard, part) for shard in shards), job / table.path, table, key, column)
    _write_entry_status(job, shards)
    ligands = sorted(
        tables.read_table(job / layout.LIGANDS, tables.LIGAND_METADATA), key=lambda row: str(row["Ligand"])
    )
    tables.write_table(job / tables.LIGAND_METADATA.path, tables.LIGAND_METADATA, ligands)


def read_members(path: Path) -> dict[str, Membership]:
    """Return the series of each instance by its stem, from the lines of `find_series`."""
    members = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            members[record["stem"]] = Membership(record["series"], tuple(record["core"]))
    return members


def _merge_instances(
    job: Path, shards: Sequence[str], members: dict[str, Membership], target_name: str
) -> list[Member]:
    """Write the tables and the SDF that need instances and molecules side by side.

    Returns what a superposition of all instances needs of them.
    """
    order: list[tuple[tuple[object, ...], str]] = []
    found: list[Member] = []
    with (
        sorted_table(job / tables.RESULTS_TABLE.path, tables.RESULTS_TABLE) as results,
        sorted_table(job / tables.LIGAND_MCS_MAP.path, tables.LIGAND_MCS_MAP) as atom_map,
    ):
        for shard in shards:
            files = set(_files(job, shard))
            for instance, mol, summary, backbone, ways in _instances(job, shard):
                membership = members.get(instance.stem, Membership())
                key = sort_key(instance)
                results.add(key, [result_row(instance, mol, summary, membership, files)])
                atom_map.add(key, map_rows(instance, mol, target_name, membership))
                order.append((key, layout.ligand_sdf(instance.stem)))
                found.append(_member(key, instance, mol, backbone, ways))
    order.sort()
    with replacing(job / layout.LIGANDS_SDF) as temporary, temporary.open("wb") as stream:
        for _, path in order:
            with (job / path).open("rb") as sdf:
                shutil.copyfileobj(sdf, stream)
    return found


def _member(
    key: tuple[object, ...], instance: Instance, mol: LigandMolecule, backbone: Backbone, ways: list[Cells]
) -> Member:
    xyz = instance.atoms.xyz[mol.atom_index]
    name = instance.name
    names = {"pdb_id": instance.entry_id, "Chain": name.auth_asym_id, "Warhead": name.comp_id,
             "Residue_ID": name.residue_id, "stem": instance.stem}  # fmt: skip
    resolution = instance.facts.resolution
    return Member(
        stem=instance.stem,
        key=key,
        names=names,
        resolution=float("inf") if resolution is None else resolution,
        ligand=xyz,
        backbone=backbone,
        ways=ways_of(ways, xyz),
    )


def _instances(job: Path, shard: str) -> Iterator[tuple[Instance, LigandMolecule, Row, Backbone, list[Cells]]]:
    """Yield each instance of a shard with its molecule, its row of the summary, its chain and its best exits.

    Raises
    ------
    ValueError
        If the files don't hold the same instances in the same order.
    """
    instances = read_instances_alone(job / layout.shard_file(shard, "instances"))
    molecules = read_molecules(job / layout.shard_file(shard, "molecules"))
    summaries = tables.read_table(job / layout.shard_file(shard, "sasa_summary"), tables.SASA_SUMMARY)
    backbones = read_backbones(job / layout.shard_file(shard, "backbones"))
    exits = read_ways(job / layout.shard_file(shard, "exits"))
    parts = zip(instances, molecules, summaries, backbones, exits, strict=True)
    for instance, mol, summary, backbone, (stem, ways) in parts:
        stems = instance.stem, mol.stem, str(summary["stem"]), stem
        if len(set(stems)) > 1:
            raise ValueError(f"shard {shard}: {', '.join(stems)} should be one instance")
        yield instance, mol, summary, backbone, ways


def _files(job: Path, shard: str) -> Iterator[str]:
    for name in FILE_LISTS:
        for row in tables.read_table(job / layout.shard_file(shard, name), tables.FILES):
            yield str(row["path"])


def _write_entry_status(job: Path, shards: Sequence[str]) -> None:
    """Write one row for every entry that the search saw: those it left out, and those of the shards."""
    origin = json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["source"]
    source = f"{origin['kind']}:{origin['label']}" if origin["kind"] == "mirror" else origin["kind"]
    with sorted_table(job / tables.ENTRY_STATUS.path, tables.ENTRY_STATUS) as status:
        for entry in tables.read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES):
            if not entry["selected"]:
                row = unselected_entry_row(entry, source)
                status.add(entry_key(row), [row])
        for shard in shards:
            part = job / layout.shard_file(shard, "entry_status")
            for row, text in read_blocks(part, tables.ENTRY_STATUS):
                status.add_text(entry_key(row), text)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            Path(),
            [Path(path).parent.name for path in snakemake.input.instances],
            target_name=snakemake.params.target_name,
        )
