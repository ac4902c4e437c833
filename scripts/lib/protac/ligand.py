"""A ligand with its ranked exits, and what is written for each of the best exit sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.rank import Exit
from scripts.lib.instance.model import Instance
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.protac import texts
from scripts.lib.protac.side import Side
from scripts.lib.protac.warhead import cut_warhead
from scripts.lib.tables import Row


@dataclass(frozen=True, eq=False)
class Ligand:
    """One ligand with its ranked exits.

    Parameters
    ----------
    instance, molecule, graph : Instance, LigandMolecule, LigandGraph
        The ligand.
    exits : sequence of (Exit, Row)
        Its ranked exits in their order, each with its row of `tables.EXIT_VECTORS`.
    """

    instance: Instance
    molecule: LigandMolecule
    graph: LigandGraph
    exits: Sequence[tuple[Exit, Row]]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each heavy atom in the tools' files."""
        return texts.atom_names(self.molecule, self.instance)

    def best_of_sites(self, most: int) -> list[tuple[Exit, Row]]:
        """Return the best exit of each of the best `most` sites."""
        best: dict[int, tuple[Exit, Row]] = {}
        for one, row in self.exits:
            if one.site_rank is not None and one.site_rank <= most:
                best.setdefault(one.site_rank, (one, row))
        return [best[rank] for rank in sorted(best)]


@dataclass(frozen=True, slots=True)
class ExitFiles:
    """What the tools get for one exit site.

    Parameters
    ----------
    site_rank : int
        Rank of the site; file names end with it.
    files : dict of str to str
        Texts by path in the ligand's folder.
    head, params, atom_list, atom_delete, mask : str
        Which of them is what.
    anchor : int
        1-based number of the anchor in the head.
    alike : tuple of int
        1-based numbers in the head of the atoms that are the same as the anchor.
    open_babel : str
        What becomes of the anchor on PRosettaC's way through Open Babel, a code of `round_trip.OUTCOMES`.
    smiles : str
        The warhead with ``[*]`` for the linker.
    """

    site_rank: int
    files: dict[str, str]
    head: str
    params: str
    atom_list: str
    atom_delete: str
    mask: str
    anchor: int
    alike: tuple[int, ...]
    open_babel: str
    smiles: str


def exit_files(
    ligand: Ligand, one: Exit, side: Side, letters: str, smiles: str, check: Callable[[str, int], str]
) -> ExitFiles:
    """Return the files for one exit.

    Parameters
    ----------
    ligand : Ligand
        The ligand.
    one : Exit
        A ranked exit of it.
    side : Side
        Half of the degrader that it is.
    letters : str
        Chains of the protein's file.
    smiles : str
        SMILES of the warhead.
    check : callable
        Tells what becomes of the anchor (0-based) of a head, `round_trip.anchor_after_round_trip`.
    """
    anchor, leaving = one.candidate.anchor, one.candidate.leaving
    warhead = cut_warhead(ligand.molecule, anchor, leaving)
    number = one.site_rank or 0
    head, params = f"prosettac/{side.name}_head_{number}.sdf", f"prosettac/Protac_params_{number}.txt"
    atoms, delete = f"protac_ternary/decoy_atom_list_{number}.txt", f"protac_ternary/decoy_atom_delete_{number}.txt"
    mask = f"deepternary/lig{side.number}_mask_{number}.pdb"
    fields = {"anchor": str(warhead.anchor + 1), "anchor_atom": ligand.graph.names[anchor], "SMILES": smiles}
    title = f"{ligand.instance.stem} exit site {number}"
    sdf = texts.head_sdf(warhead, title, fields, kekulize=ligand.molecule.sanitised)
    aligned = texts.alignment_atoms(ligand.graph, anchor, warhead.kept)
    files = {
        head: sdf,
        params: texts.params_text(side, letters, head.rpartition("/")[2], warhead.anchor + 1),
        atoms: texts.atom_list(aligned, ligand.names, side),
        delete: texts.atom_list((*leaving, anchor), ligand.names, side),
        mask: texts.ligand_pdb(ligand.graph, ligand.names, side, warhead.kept),
    }
    return ExitFiles(
        number,
        files,
        head=head,
        params=params,
        atom_list=atoms,
        atom_delete=delete,
        mask=mask,
        anchor=warhead.anchor + 1,
        alike=tuple(k + 1 for k in warhead.alike),
        open_babel=check(sdf, warhead.anchor),
        smiles=smiles,
    )
