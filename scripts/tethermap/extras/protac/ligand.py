"""A ligand with its ranked exits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tethermap.base.tables import Row, split_cell
from tethermap.exits.candidates import cuts
from tethermap.exits.graph import LigandGraph
from tethermap.extras.protac import texts
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule


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

    def best_of_sites(self, most: int) -> list[RankedExit]:
        """Return the best exit of each of the best `most` sites."""
        best: dict[int, RankedExit] = {}
        for one in self.exits:
            if one.site_rank <= most:
                best.setdefault(one.site_rank, one)
        return [best[rank] for rank in sorted(best)]
