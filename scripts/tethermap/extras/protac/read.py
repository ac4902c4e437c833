"""Ligands with their ranked exits, read back from what the steps of a job leave in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tethermap.base import layout
from tethermap.base.records import entry_of, joined, named_lines, named_records
from tethermap.base.tables import EXIT_VECTORS, Row, read_table
from tethermap.exits.graph import ligand_graph
from tethermap.extras.protac.ligand import RankedLigand, ranked_exits
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.molecule.store import molecule_of_record


@dataclass(frozen=True, slots=True)
class UnreadLigand:
    """A ligand of a shard as its files hold it: line, record, and its rows of `tables.EXIT_VECTORS`."""

    entry_id: str
    stem: str
    line: bytes
    record: bytes
    exits: Sequence[Row]

    def read(self) -> tuple[RankedLigand, Sequence[Row]]:
        """Return the ligand with all its rows."""
        molecule = molecule_of_record(self.record)
        graph = ligand_graph(molecule)
        ranked = RankedLigand(instance_of_line(self.line), molecule, graph, ranked_exits(graph, self.exits))
        return ranked, self.exits


def unread_of(instances: Path, molecules: Path, exits: Path, observed: Path) -> Iterator[UnreadLigand]:
    """Yield the ligands of a shard in their order.

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
    seen = {str(stem): list(own) for stem, own in groupby(told, key=lambda row: row["stem"])}
    rows = groupby(read_table(exits, EXIT_VECTORS), key=lambda row: row["stem"])
    of_stem = ((str(stem), list(own)) for stem, own in rows)
    for stem, line, record, own in joined(named_lines(instances), named_records(molecules), of_stem):
        yield UnreadLigand(entry_of(line), stem, line, record, seen.get(stem, own))


def read_ligands(
    instances: Path, molecules: Path, exits: Path, observed: Path
) -> Iterator[tuple[RankedLigand, Sequence[Row]]]:
    """Yield the ligands of a shard as `unread_of`, each with all its rows of `tables.EXIT_VECTORS`."""
    return (unread.read() for unread in unread_of(instances, molecules, exits, observed))


def complex_text(job: Path, instance: Instance) -> str | None:
    """Return the cleaned complex of an instance; None where there is no PDB file."""
    if "mmcif_only" in instance.flags:
        return None
    return (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
