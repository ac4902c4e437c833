"""Rank the places where a linker can leave the ligands of one shard."""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from scripts.lib.exits.graph import ligand_graph
from scripts.lib.exits.rank import rank_candidates
from scripts.lib.exits.rows import area_lost, exit_rows, incomplete_atoms, linked_atoms
from scripts.lib.instance.store import read_instances_alone, read_surroundings
from scripts.lib.logs import logged_to
from scripts.lib.molecule.finder import component_finder
from scripts.lib.molecule.store import read_molecules
from scripts.lib.progress import ShardProgress
from scripts.lib.tables import EXIT_VECTORS, SASA_ATOMS, read_table, table_writer


def main(
    instances: Path,
    surroundings: Path,
    molecules: Path,
    sasa_atoms: Path,
    exits: Path,
    progress: Path,
    *,
    config: Mapping[str, Any],
) -> None:
    """Write the exits of all instances of a shard.

    Parameters
    ----------
    instances, surroundings, molecules, sasa_atoms : Path
        What is known of them, each in the same order.
    exits : Path
        Written: rows of `scripts.lib.tables.EXIT_VECTORS`.
    progress : Path
        Progress file of this step.
    config : mapping
        The configuration as resolved.
    """
    find = component_finder(config)
    done = ShardProgress(progress, "rank_exits")
    areas = (list(rows) for _, rows in groupby(read_table(sasa_atoms, SASA_ATOMS), key=lambda row: row["stem"]))
    with table_writer(exits, EXIT_VECTORS) as write:
        entry = ""
        parts = zip(
            read_instances_alone(instances),
            read_surroundings(surroundings),
            read_molecules(molecules),
            areas,
            strict=True,
        )
        for instance, around, molecule, rows in parts:
            if not instance.stem == molecule.stem == rows[0]["stem"]:
                raise ValueError(f"{instance.stem}, {molecule.stem} and {rows[0]['stem']} should be one instance")
            if entry and instance.entry_id != entry:
                done.entry(entry)
            entry = instance.entry_id
            graph = ligand_graph(molecule)
            found = rank_candidates(
                graph,
                around,
                area_lost(rows),
                linked=linked_atoms(instance, molecule),
                incomplete=incomplete_atoms(instance, molecule, find),
            )
            for row in exit_rows(config["target_name"], instance, graph, found):
                write(row)
        if entry:
            done.entry(entry)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            surroundings=Path(snakemake.input.surroundings),
            molecules=Path(snakemake.input.molecules),
            sasa_atoms=Path(snakemake.input.sasa_atoms),
            exits=Path(snakemake.output.exits),
            progress=Path(snakemake.params.progress),
            config=snakemake.params.config,
        )
