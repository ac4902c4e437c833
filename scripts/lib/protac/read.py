"""Ligands with their ranked exits, read back from what the steps of a job leave in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from scripts.lib import layout
from scripts.lib.exits.graph import ligand_graph
from scripts.lib.instance.model import Instance
from scripts.lib.instance.store import read_instances_alone
from scripts.lib.molecule.store import read_molecules
from scripts.lib.protac.ligand import RankedLigand, ranked_exits
from scripts.lib.tables import EXIT_VECTORS, Row, read_table


def read_ligands(
    instances: Path, molecules: Path, exits: Path, observed: Path
) -> Iterator[tuple[RankedLigand, Sequence[Row]]]:
    """Yield the ligands of a shard in their order, each with all its rows of `tables.EXIT_VECTORS`.

    Parameters
    ----------
    instances, molecules, exits : Path
        What is known of them, each in the same order.
    observed : Path
        Observed exits of those that two proteins hold, which stand in place of the predicted ones.

    Raises
    ------
    ValueError
        If the files don't hold the same instances.
    """
    told = read_table(observed, EXIT_VECTORS) if observed.is_file() else iter(())  # a job of an earlier version
    seen = {stem: list(own) for stem, own in groupby(told, key=lambda row: row["stem"])}
    rows = groupby(read_table(exits, EXIT_VECTORS), key=lambda row: row["stem"])
    parts = zip(read_instances_alone(instances), read_molecules(molecules), rows, strict=True)
    for instance, molecule, (stem, group) in parts:
        if not instance.stem == molecule.stem == stem:
            raise ValueError(f"{instance.stem}, {molecule.stem} and {stem} should be one instance")
        graph, own = ligand_graph(molecule), list(group)
        own = seen.get(stem, own)
        yield RankedLigand(instance, molecule, graph, ranked_exits(graph, own)), own


def complex_text(job: Path, instance: Instance) -> str | None:
    """Return the cleaned complex of an instance; None where there is no PDB file."""
    if "mmcif_only" in instance.flags:
        return None
    return (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
