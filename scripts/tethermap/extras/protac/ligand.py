"""A ligand with its ranked exits."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path

from rdkit import Chem

from tethermap.base import layout
from tethermap.base.records import entry_of, joined, named_lines, named_records, part
from tethermap.base.tables import EXIT_VECTORS, Row, read_table, split_cell
from tethermap.exits.candidates import cuts
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.extras.protac import texts
from tethermap.extras.protac.side import Side
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record


@dataclass(frozen=True, eq=False, slots=True)
class RankedExit:
    """A ranked exit of a ligand from its row of `tables.EXIT_VECTORS`.

    Parameters
    ----------
    rank, site_rank : int
        Of the exit among all of the ligand, and of its site among sites.
    anchor : int
        Heavy atom that the linker is bonded to.
    leaving : tuple of int
        Heavy atoms that leave, the one bonded to the anchor first; empty if a hydrogen leaves.
    equivalents : tuple of int
        Symmetry-equivalent anchors.
    """

    rank: int
    site_rank: int
    anchor: int
    leaving: tuple[int, ...]
    equivalents: tuple[int, ...]
    row: Row


def ranked_exits(graph: LigandGraph, rows: Iterable[Row]) -> list[RankedExit]:
    """Return the ranked exits among a ligand's rows of `tables.EXIT_VECTORS`."""
    exits = []
    for row in rows:
        if row["rank"] is None:
            continue
        anchor = int(row["sdf_index"] or 0)
        leaving, alike = (split_cell(row[key]) for key in ("leaving_atoms", "anchor_equivalents"))
        if row["kind"] == "unseen":
            leaving = []  # not atoms of this molecule
        exits.append(
            RankedExit(
                rank=int(row["rank"]),
                site_rank=int(row["site_rank"] or 0),
                anchor=anchor,
                leaving=_leaving(graph, anchor, tuple(leaving)),
                equivalents=tuple(map(graph.names.index, alike)),
                row=row,
            )
        )
    return exits


def _leaving(graph: LigandGraph, anchor: int, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the leaving atoms by their names: a removable group, or all atoms beyond the bond of an observed exit."""
    everything = frozenset(range(len(graph)))
    beyond = ((k, *sorted(graph.component(k, everything - {anchor}) - {k})) for k in graph.near[anchor])
    sides = [(), *cuts(graph, anchor), *beyond]
    return sides[[tuple(graph.names[k] for k in side) for side in sides].index(names)]


@dataclass(frozen=True, eq=False)
class RankedLigand:
    """One ligand with its ranked exits.

    Parameters
    ----------
    exits : sequence of RankedExit
        Its ranked exits in their order.
    """

    instance: Instance
    molecule: LigandMolecule
    graph: LigandGraph
    exits: Sequence[RankedExit]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each heavy atom in the tools' files."""
        return texts.atom_names(self.molecule, self.instance)

    @cached_property
    def bare(self) -> Chem.Mol | None:
        """The molecule with implicit hydrogens, heavy atoms in the order of the SDF; None if RDKit refuses it."""
        return Chem.RemoveAllHs(self.molecule.mol, sanitize=False) if self.molecule.sanitised else None

    def pdb(self, side: Side, kept: Collection[int] | None = None) -> str:
        """Return the heavy atoms, or the `kept` ones of them, as the PDB file of a side."""
        return texts.residue_pdb(self.molecule.mol, self.names, side.residue_name, side.ligand_chain, kept)

    def best_of_sites(self, most: int) -> list[RankedExit]:
        """Return the best exit of each of the best `most` sites."""
        best = {one.site_rank: one for one in reversed(self.exits)}
        return [best[rank] for rank in sorted(best) if rank <= most]


ReadLigand = tuple[RankedLigand, Sequence[Row]]
"""A ligand with all its rows of `tables.EXIT_VECTORS`."""


def unread_of(job: Path, shard: str) -> Iterator[tuple[str, str, Callable[[], ReadLigand]]]:
    """Yield entry, stem and reader of the ligands of a shard in their order; observed exits replace predicted ones.

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
        yield entry_of(line), stem, partial(_read, line, record, seen.get(stem, own))


def _read(line: bytes, record: bytes, exits: Sequence[Row]) -> ReadLigand:
    molecule = molecule_of_record(record)
    graph = ligand_graph(molecule)
    return RankedLigand(instance_of_line(line), molecule, graph, ranked_exits(graph, exits)), exits


def complex_text(job: Path, instance: Instance) -> str | None:
    """Return the cleaned complex of an instance; None if there is no PDB file."""
    if "mmcif_only" in instance.flags:
        return None
    return (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
