"""Ligands with their ranked exits, read from the files of a job's steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from tethermap.base import layout
from tethermap.base.records import entry_of, joined, named_lines, named_records, part
from tethermap.base.tables import EXIT_VECTORS, Row, read_table
from tethermap.exits.graph import ligand_graph
from tethermap.extras.protac.ligand import RankedLigand, ranked_exits
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.molecule.store import molecule_of_record


@dataclass(frozen=True, slots=True)
class UnreadLigand:
    """A ligand of a shard from its files: line, record, and its rows of `tables.EXIT_VECTORS`."""

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


def unread_of(job: Path, shard: str) -> Iterator[UnreadLigand]:
    """Yield the ligands of a shard in their order; observed exits replace predicted ones.

    Raises
    ------
    ValueError
        If its files don't contain the same instances.
    """
    of = partial(part, job, shard)
    observed = groupby(read_table(of("measure_sasa/observed"), EXIT_VECTORS), key=lambda row: row["stem"])
    seen = {str(stem): list(own) for stem, own in observed}
    rows = groupby(read_table(of("measure_sasa/exits"), EXIT_VECTORS), key=lambda row: row["stem"])
    of_stem = ((str(stem), list(own)) for stem, own in rows)
    lines, molecules = named_lines(of("clean_complexes/instances")), named_records(of("match_ligands/molecules"))
    for stem, line, record, own in joined(lines, molecules, of_stem):
        yield UnreadLigand(entry_of(line), stem, line, record, seen.get(stem, own))


def complex_text(job: Path, instance: Instance) -> str | None:
    """Return the cleaned complex of an instance; None if there is no PDB file."""
    if "mmcif_only" in instance.flags:
        return None
    return (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
