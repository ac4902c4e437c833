"""The columns that the table of instances can show, written once for page, filter and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.results.answers import ANSWER_COLUMNS
from tethermap.base import tables
from tethermap.base.contexts import EXPOSED_ABOVE
from tethermap.base.tables import Column, Row
from tethermap.fit.limits import limit


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of the page's table.

    Parameters
    ----------
    key : str
        Its name in addresses.
    label : str
        Its heading.
    source : str
        Column of Results_Display or Resolved_SASA_Summary that it shows.
    unit : str
        Unit in the heading; ``%`` shows a fraction as percent.
    decimals : int
        Decimals on the page; the CSV has all.
    says : str
        What it means, for people.
    usual : bool
        Whether it is there when nobody asks.
    order : str
        Column that it is sorted by, where that is another.
    """

    key: str
    label: str
    source: str
    unit: str = ""
    decimals: int = 0
    says: str = ""
    usual: bool = False
    order: str = ""

    @property
    def sorted_by(self) -> str:
        """Name of the column that it is sorted by."""
        return self.order or self.source

    @property
    def column(self) -> Column:
        """The table's column."""
        return _SOURCES[self.source]

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers."""
        return _SOURCES[self.sorted_by].kind in ("integer", "number")

    def text(self, row: Row) -> str:
        """Return the cell as the page shows it; empty when it is not known."""
        value = row.get(self.source)
        if value is None or value == "":
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            return f"{100 * value:.0f}" if self.unit == "%" else f"{value:.{self.decimals}f}"
        return str(value).replace("_", " ").replace(";", ", ") if self.key == "flags" else str(value)


_SOURCES = {
    column.name: column
    for columns in (tables.SASA_SUMMARY.columns, tables.RESULTS_TABLE.columns, ANSWER_COLUMNS)
    for column in columns
}

COLUMNS: tuple[Shown, ...] = (
    Shown("entry", "PDB", "pdb_id", usual=True),
    Shown("ligand", "Ligand", "Warhead", usual=True),
    Shown("chain", "Chain", "Chain", usual=True),
    Shown("residue", "Residue", "Residue_ID", usual=True),
    Shown(
        "atom", "Best atom", "answer_atom", says="Where a linker can leave, from all copies of the ligand", usual=True
    ),
    Shown("open", "Open in", "answer_open", "copies", 0, "Copies that are open there", True, "answer_open_share"),
    Shown("evidence", "Evidence", "answer_evidence", says="A nothing speaks against it, D no evidence", usual=True),
    Shown("resolution", "Res.", "resolution", "Å", 2, "Resolution", usual=True),
    Shown("exposure", "Exposed", "SASA_in_complex_A2", "Å²", 1, "Solvent-accessible area in the complex", usual=True),
    Shown("buried", "Buried", "buried_fraction", "%", 0, "Share of its area that the target covers", usual=True),
    Shown("flags", "Flags", "flags", usual=True),
    Shown("score", "Score", "answer_score", "", 2, "Median over the copies"),
    Shown("way_out", "Way out", "answer_way_out", "%", 0, "Free directions at the best atom, median over the copies"),
    Shown("open_entries", "Open in", "answer_entries_open", "entries", 0, "Entries that are open at the best atom"),
    Shown("seen", "Seen in", "answer_seen", "degraders", 0, "Degraders of this job whose linker leaves there"),
    Shown("basis", "Answer", "answer_basis", says="Predicted from all copies, or observed in a degrader"),
    Shown("site", "Site", "site", says="Binding site: main is the one of most entries"),
    Shown("free", "Free", "SASA_free_A2", "Å²", 1, "Area of the ligand alone"),
    Shown("chain_area", "Nearest chain", "SASA_chain_A2", "Å²", 1, "Exposed area when only the nearest chain is there"),
    Shown("assembly_area", "Assembly", "SASA_assembly_A2", "Å²", 1, "Exposed area in the biological assembly"),
    Shown("crystal_area", "Crystal", "SASA_crystal_A2", "Å²", 1, "Exposed area in the crystal"),
    Shown("open_atoms", "Open atoms", "%Exposed", "%", 0, f"Share of heavy atoms with more than {EXPOSED_ABOVE} Å²"),
    Shown("series", "Series", "series"),
    Shown("method", "Method", "method"),
    Shown("released", "Released", "release_date"),
    Shown("occupancy", "Occ.", "occupancy", "", 2, "Mean occupancy"),
    Shown("b_factor", "B", "mean_B", "Å²", 0, "Mean B factor"),
    Shown("fit", "RSCC", "RSCC", "", 3, f"Fit to the density; poor below {limit('rscc_poor'):g} (wwPDB, PDBe)"),
    Shown(
        "fit_status", "Fit", "fit_status", says="Whether its fit to the density was assessed; not assessed is not bad"
    ),
    Shown("fit_residues", "RSCC by residue", "RSCC_by_residue", says="Of each residue of a linked group"),
    Shown("r_free", "R-free", "R_free", "", 3, "Of the entry"),
    Shown("mutations", "Mutations", "mutations", says="Of the target chains, by UniProt number where the entry has it"),
    Shown("mutations_near", "Near ligand", "mutations_near", says="Mutations within 8 Å of the ligand"),
    Shown("geometry", "Geometry", "geometry_flags", says="What of its geometry is beyond the limits of PoseBusters"),
    Shown("altloc", "Alt", "altloc", says="Conformer that was taken"),
    Shown("link", "Bound to", "link_residue", says="Residue that it is covalently bonded to"),
    Shown("bonds", "Bonds from", "bond_source", says="Where its bond orders come from"),
    Shown("target_chains", "Target chains", "target_chains"),
    Shown("smiles", "SMILES", "SMILES"),
)
"""All columns in their order."""

BY_KEY: Mapping[str, Shown] = {column.key: column for column in COLUMNS}
USUAL: tuple[str, ...] = tuple(column.key for column in COLUMNS if column.usual)


def chosen(keys: Sequence[str]) -> list[Shown]:
    """Return the columns of some keys in their usual order; the usual ones when there is none."""
    known = [column for column in COLUMNS if column.key in keys]
    return known or [column for column in COLUMNS if column.usual]
