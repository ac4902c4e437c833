"""Merge what the shards found into the tables of the result folder."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.lib import layout, tables
from scripts.lib.atomic import replacing
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

FILE_LISTS = ("complex_files", "molecule_files", "exposure_files")


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
    _merge_instances(job, shards, members, target_name)
    for table, part, key, column in (
        (tables.SASA_SUMMARY, "sasa_summary", row_sort_key, "stem"),
        (tables.SASA_ATOMS, "sasa_atoms", row_sort_key, "stem"),
        (tables.CONTACTS, "contacts", row_sort_key, "stem"),
        (tables.EXIT_VECTORS, "exits", row_sort_key, "stem"),
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


def _merge_instances(job: Path, shards: Sequence[str], members: dict[str, Membership], target_name: str) -> None:
    """Write the tables and the SDF that need instances and molecules side by side."""
    order: list[tuple[tuple[object, ...], str]] = []
    with (
        sorted_table(job / tables.RESULTS_TABLE.path, tables.RESULTS_TABLE) as results,
        sorted_table(job / tables.LIGAND_MCS_MAP.path, tables.LIGAND_MCS_MAP) as atom_map,
    ):
        for shard in shards:
            files = set(_files(job, shard))
            for instance, mol, summary in _instances(job, shard):
                membership = members.get(instance.stem, Membership())
                key = sort_key(instance)
                results.add(key, [result_row(instance, mol, summary, membership, files)])
                atom_map.add(key, map_rows(instance, mol, target_name, membership))
                order.append((key, layout.ligand_sdf(instance.stem)))
    order.sort()
    with replacing(job / layout.LIGANDS_SDF) as temporary, temporary.open("wb") as stream:
        for _, path in order:
            with (job / path).open("rb") as sdf:
                shutil.copyfileobj(sdf, stream)


def _instances(job: Path, shard: str) -> Iterator[tuple[Instance, LigandMolecule, Row]]:
    """Yield each instance of a shard with its molecule and its row of the summary.

    Raises
    ------
    ValueError
        If the three files don't hold the same instances in the same order.
    """
    instances = read_instances_alone(job / layout.shard_file(shard, "instances"))
    molecules = read_molecules(job / layout.shard_file(shard, "molecules"))
    summaries = tables.read_table(job / layout.shard_file(shard, "sasa_summary"), tables.SASA_SUMMARY)
    for instance, mol, summary in zip(instances, molecules, summaries, strict=True):
        if not instance.stem == mol.stem == summary["stem"]:
            raise ValueError(f"shard {shard}: {instance.stem}, {mol.stem} and {summary['stem']} should be one instance")
        yield instance, mol, summary


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
