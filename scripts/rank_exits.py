"""Rank the places where a linker can leave the ligands of one shard, and write the files that show and use them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from scripts.lib import layout
from scripts.lib.exits.depict import exits_svg
from scripts.lib.exits.evidence import Witness
from scripts.lib.exits.graph import ligand_graph
from scripts.lib.exits.rank import rank_candidates
from scripts.lib.exits.rows import area_lost, exit_rows, incomplete_atoms, linked_atoms
from scripts.lib.exits.sdf import exits_sdf
from scripts.lib.exposure.rows import Method, sdf_fields
from scripts.lib.instance.backbone import read_backbones
from scripts.lib.instance.store import read_instances_alone, read_surroundings
from scripts.lib.logs import logged_to
from scripts.lib.molecule.finder import component_finder
from scripts.lib.molecule.store import read_molecules
from scripts.lib.progress import ShardProgress
from scripts.lib.protac.write import protac_writer
from scripts.lib.result_files import listed_files
from scripts.lib.tables import EXIT_VECTORS, SASA_ATOMS, read_table, table_writer


def main(
    instances: Path,
    surroundings: Path,
    backbones: Path,
    molecules: Path,
    sasa_atoms: Path,
    exits: Path,
    protac_inputs: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    config: Mapping[str, Any],
) -> None:
    """Write the exits of all instances of a shard, and their SDF and depiction.

    Parameters
    ----------
    instances, surroundings, backbones, molecules, sasa_atoms : Path
        What is known of them, each in the same order.
    exits : Path
        Written: rows of `scripts.lib.tables.EXIT_VECTORS`.
    protac_inputs : Path
        Written: rows of `scripts.lib.tables.PROTAC_INPUTS`.
    files : Path
        Written: the list of the SDFs, the depictions and the inputs for programs that model degraders.
    job : Path
        The job folder, with the cleaned complexes; the files go to their place in it.
    progress : Path
        Progress file of this step.
    config : mapping
        The configuration as resolved.
    """
    find = component_finder(config)
    done = ShardProgress(progress, "rank_exits")
    areas = (list(rows) for _, rows in groupby(read_table(sasa_atoms, SASA_ATOMS), key=lambda row: row["stem"]))
    method = Method(config["sasa"]["probe_radius"], config["sasa"]["slices"])
    with (
        table_writer(exits, EXIT_VECTORS) as write,
        listed_files(job, files) as results,
        protac_writer(job, protac_inputs, results, config) as write_inputs,
    ):
        entry = ""
        parts = zip(
            read_instances_alone(instances),
            read_surroundings(surroundings),
            read_backbones(backbones),
            read_molecules(molecules),
            areas,
            strict=True,
        )
        for instance, around, backbone, molecule, rows in parts:
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
            witness = Witness(instance, molecule, graph, backbone)
            found = [one if one.opening is None else replace(one, evidence=witness.evidence(one)) for one in found]
            written = list(exit_rows(config["target_name"], instance, graph, found))
            for row in written:
                write(row)
            write_inputs(instance, molecule, graph, list(zip(found, written, strict=False)))
            fields = sdf_fields(config["target_name"], rows, method)
            sdf = exits_sdf(instance, molecule, graph, found, rows, fields)
            results.write(layout.ligand_sdf(instance.stem), sdf)
            results.write(layout.ligand_svg(instance.stem, "exits"), exits_svg(molecule, instance, graph, found))
        if entry:
            done.entry(entry)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            surroundings=Path(snakemake.input.surroundings),
            backbones=Path(snakemake.input.backbones),
            molecules=Path(snakemake.input.molecules),
            sasa_atoms=Path(snakemake.input.sasa_atoms),
            exits=Path(snakemake.output.exits),
            protac_inputs=Path(snakemake.output.protac_inputs),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            config=snakemake.params.config,
        )
