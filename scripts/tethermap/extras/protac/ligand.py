"""A ligand with its ranked exits, and what is written for each of the best exit sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tethermap.base.tables import JOINED, Row
from tethermap.exits.candidates import cuts
from tethermap.exits.graph import LigandGraph
from tethermap.extras.programs import prosettac
from tethermap.extras.protac import texts
from tethermap.extras.protac.round_trip import OpenBabel, anchor_after_round_trip
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.warhead import core_cut, cut_warhead
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule


@dataclass(frozen=True, eq=False, slots=True)
class RankedExit:
    """A ranked exit of a ligand as its row of `tables.EXIT_VECTORS` tells of it.

    Parameters
    ----------
    rank, site_rank : int
        Of the exit among all of the ligand, and of its site among sites.
    anchor : int
        Heavy atom that the linker is bonded to.
    leaving : tuple of int
        Heavy atoms that leave, the one bonded to the anchor first; empty where a hydrogen does.
    equivalents : tuple of int
        Anchors alike by symmetry.
    """

    rank: int
    site_rank: int
    anchor: int
    leaving: tuple[int, ...]
    equivalents: tuple[int, ...]
    row: Row


def ranked_exits(graph: LigandGraph, rows: Iterable[Row]) -> list[RankedExit]:
    """Return the ranked exits among a ligand's rows of `tables.EXIT_VECTORS`."""
    return [_ranked_exit(graph, row) for row in rows if row["rank"] is not None]


def _ranked_exit(graph: LigandGraph, row: Row) -> RankedExit:
    anchor = int(row["sdf_index"] or 0)
    leaving, alike = (
        tuple(str(row[key]).split(JOINED)) if row[key] else () for key in ("leaving_atoms", "anchor_equivalents")
    )
    return RankedExit(
        rank=int(row["rank"] or 0),
        site_rank=int(row["site_rank"] or 0),
        anchor=anchor,
        leaving=_leaving(graph, anchor, leaving),
        equivalents=tuple(map(graph.names.index, alike)),
        row=row,
    )


def _leaving(graph: LigandGraph, anchor: int, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the atoms that leave by their names: a group that can, else, of an observed exit, all beyond a bond."""
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


@dataclass(frozen=True, slots=True)
class ExitFiles:
    """What the tools get for one exit site.

    Parameters
    ----------
    rank, site_rank : int
        Of the exit and of its site; file names end with that of the site.
    files : dict of str to str
        Texts by path in the ligand's folder.
    head, params, atom_list, atom_delete, mask : str
        Which of them is what.
    anchor : int
        1-based number in the head of the atom that the linker is bonded to.
    core_anchor, core_leaving : int, tuple of int
        The same atom in the ligand, and the ligand's atoms that head and mask lack (`core_cut`).
    alike : tuple of int
        1-based numbers in the head of the atoms that are the same as the anchor.
    open_babel : dict of str to str
        Outcome of PRosettaC's conversion, a code of `round_trip.OUTCOMES`, and version; empty if not asked for.
    smiles : str
        The warhead with ``[*]`` for the linker.
    """

    rank: int
    site_rank: int
    files: dict[str, str]
    head: str
    params: str
    atom_list: str
    atom_delete: str
    mask: str
    anchor: int
    core_anchor: int
    core_leaving: tuple[int, ...]
    alike: tuple[int, ...]
    open_babel: dict[str, str]
    smiles: str


def exit_files(
    ligand: RankedLigand, one: RankedExit, side: Side, letters: str, smiles: str, babel: OpenBabel | None
) -> ExitFiles:
    """Return the files for one exit.

    Parameters
    ----------
    one : RankedExit
        A ranked exit of it.
    side : Side
        Half of the degrader that it is.
    letters : str
        Chains of the protein's file.
    smiles : str
        SMILES of the warhead.
    babel : OpenBabel or None
        If given, the head is converted as PRosettaC does it.
    """
    anchor, leaving = core_cut(ligand.graph, one.anchor, one.leaving)
    sanitised = ligand.molecule.sanitised
    warhead = cut_warhead(ligand.molecule, anchor, leaving)
    if sanitised:
        warhead = prosettac.with_bonds_of_open_babel(warhead)
    number = one.site_rank
    head, params = f"prosettac/{side.name}_head_{number}.sdf", f"prosettac/Protac_params_{number}.txt"
    atoms, delete = f"protac_ternary/decoy_atom_list_{number}.txt", f"protac_ternary/decoy_atom_delete_{number}.txt"
    mask = f"deepternary/lig{side.number}_mask_{number}.pdb"
    fields = {"anchor": str(warhead.anchor + 1), "anchor_atom": ligand.graph.names[anchor], "SMILES": smiles}
    title = f"{ligand.instance.stem} exit site {number}"
    sdf = prosettac.head_sdf(warhead, title, fields, kekulize=sanitised)
    aligned = texts.alignment_atoms(ligand.graph, anchor, warhead.kept)
    files = {
        head: sdf,
        params: prosettac.params_text(side, letters, head.rpartition("/")[2], warhead.anchor + 1),
        atoms: texts.atom_list(aligned, ligand.names, side),
        delete: texts.atom_list((*leaving, anchor), ligand.names, side),
        mask: texts.ligand_pdb(ligand.graph, ligand.names, side, warhead.kept),
    }
    checked = {}
    if babel is not None:
        checked = {"outcome": anchor_after_round_trip(babel, sdf, warhead.anchor), "version": babel.version}
    return ExitFiles(
        one.rank,
        number,
        files,
        head=head,
        params=params,
        atom_list=atoms,
        atom_delete=delete,
        mask=mask,
        anchor=warhead.anchor + 1,
        core_anchor=anchor,
        core_leaving=leaving,
        alike=tuple(k + 1 for k in warhead.alike),
        open_babel=checked,
        smiles=smiles,
    )
