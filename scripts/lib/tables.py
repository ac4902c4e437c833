"""The columns of every table, written once, and how tables are read and written.

CSV as in RFC 4180, UTF-8, ``\\n``; text stays text (component ``017`` keeps its zero),
numbers have a fixed number of decimals, what is not known is empty.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scripts.lib import layout
from scripts.lib.atomic import replacing

Kind = Literal["text", "integer", "number", "flag"]
Value = str | int | float | bool | None
Row = Mapping[str, Value]

JOINED = ";"
"""Stands between several values of one cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, what it holds, and the decimals of a number."""

    name: str
    kind: Kind = "text"
    decimals: int = 3


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its place in the job folder (empty for intermediates) and its columns."""

    path: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)


def _columns(text: str) -> tuple[Column, ...]:
    """Build columns from names; a suffix gives the kind: ``:i`` ``:n`` ``:n2`` ``:f``."""
    built = []
    for word in text.split():
        name, _, kind = word.partition(":")
        if kind.startswith("n"):
            built.append(Column(name, "number", int(kind[1:] or 3)))
        else:
            built.append(Column(name, {"": "text", "i": "integer", "f": "flag"}[kind]))  # type: ignore[arg-type]
    return tuple(built)


ENTRIES = Table(
    layout.SEARCH_ENTRIES,
    _columns(
        "rank:i pdb_id selected:f reason threshold value hits score:n6 title method resolution:n2 release_date"
        " organism uniprot genes descriptions ligands requested_id successor size:i"
    ),
)
"""One row per entry that the search saw, best first. `hits` says why it was found, joined by ``;``; `size` is
about the number of its atoms."""

STRUCTURES = Table(
    "",
    _columns("rank:i pdb_id requested_id path format source revision sha256 successor flags reason value"),
)
"""One row per selected entry: where its file lies, or the reason why it could not be had."""

FILES = Table("", _columns("path sha256 bytes:i"))
"""Files that a step wrote, relative to the job folder."""

CHECKS = Table("", _columns("stem check passed:f value detail"))

SASA_SUMMARY = Table(
    layout.SASA_SUMMARY,
    _columns(
        "Target pdb_id Warhead Residue_ID Total_atoms:i Exposed_atoms:i SASA_in_complex_A2:n %Exposed:n4 %Buried:n4"
        " Chain LigandX_Source Ligand5_Source Ligand_Resolved Warhead_5 SMILES Ion_Dropped:f Ion_Drop_Reason"
        " Parent_SMILES Salt_Stripped:f SASA_free_A2:n Buried_fraction:n4 SASA_chain_A2:n SASA_target_A2:n"
        " SASA_assembly_A2:n SASA_crystal_A2:n context algorithm slices:i probe_radius_A:n2 radii stem"
    ),
)

RESULTS_TABLE = Table(
    layout.RESULTS_DISPLAY,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID SMILES %Exposed:n4 pdb_path sdf_path sdf_available:f resolution:n2"
        " method release_date components kind altloc occupancy:n2 mean_B:n2 atoms_missing covalent:f link_residue"
        " link_atom bond_source sanitised:f target_chains buried_fraction:n4 SASA_in_complex_A2:n SASA_free_A2:n"
        " svg_plain_path svg_exposed_path svg_exits_path cif_path series InChIKey flags stem"
    ),
)

LIGAND_METADATA = Table(
    layout.LIGAND_METADATA,
    _columns(
        "Ligand Name Formula Type SMILES Canonical_SMILES InChI InChIKey MW:n LogP:n TPSA:n HBA:i HBD:i"
        " Rotatable_Bonds:i Ring_Count:i Aromatic_Rings:i Fraction_CSP3:n Heavy_Atom_Count:i Chiral_Atoms:i"
        " Formal_Charge:i QED:n BertzCT:n HallKierAlpha:n Kappa1:n Kappa2:n Kappa3:n NumSpiroAtoms:i"
        " NumBridgeheadAtoms:i NumAliphaticRings:i NumAromaticRings:i NumSaturatedRings:i NumHeteroAtoms:i MolMR:n"
        " SA_Score:n Lipinski_Pass:f Veber_Pass:f Egan_Pass:f Ghose_Pass:f Muegge_Pass:f PAINS_Hits Brenk_Hits"
        " Parent_SMILES Instances:i source"
    ),
)

SASA_ATOMS = Table(
    layout.SASA_ATOMS,
    _columns(
        "Target pdb_id Warhead Residue_ID Variant Chain atom_id:i exact_atom x:n y:n z:n Exposure_A2:n"
        " SASA_free_A2:n relative_sasa:n4 buried_fraction:n4 SASA_chain_A2:n SASA_target_A2:n SASA_assembly_A2:n"
        " SASA_crystal_A2:n element radius_A:n2 sdf_index:i component component_residue occupancy:n2 B_iso:n2 stem"
    ),
)

LIGAND_MCS_MAP = Table(
    layout.LIGAND_MCS_MAP,
    _columns(
        "Ligand Target pdb_id Residue_ID Chain AtomIndex:i AtomSymbol atom_id:i atom_name x:n y:n z:n SMILES_ID:i"
        " SMILES dictionary_name sdf_index:i smiles_index:i in_core:f core_index:i symmetry_class:i series stem"
    ),
)

CONTACTS = Table(
    layout.CONTACTS,
    _columns(
        "pdb_id Chain Warhead Residue_ID ligand_atom partner_chain partner_residue partner_component partner_atom"
        " distance_A:n type context partner_copy stem"
    ),
)

EXIT_VECTORS = Table(
    layout.EXIT_VECTORS,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID rank:i site_rank:i site_id anchor_atom anchor_equivalents kind"
        " leaving_atoms chem_class E:n4 F:n4 prior:n2 area_lost_A2:n score:n4 closed:f vector_x:n4 vector_y:n4"
        " vector_z:n4 hbonds_lost:i hbonds_anchor:i depth_atoms:i clearance_A:n2 E_assembly:n4 F_assembly:n4"
        " E_crystal:n4 F_crystal:n4 incomplete:f reason sdf_index:i evidence evidence_reasons resolution:n2"
        " occupancy:n2 B_iso:n2 B_normalised:n2 stem"
    ),
)
"""One row per candidate: the best of each anchor with its rank, the others with the reason why they have none."""

SUPERPOSITION = Table(
    layout.SUPERPOSITION,
    _columns(
        "group reference is_reference:f pdb_id Chain Warhead Residue_ID target_chain identity:n coverage:n superposed:f"
        " reason n_pairs:i n_used:i rmsd_A:n rmsd_all_A:n r11:n6 r12:n6 r13:n6 r21:n6 r22:n6 r23:n6 r31:n6 r32:n6"
        " r33:n6 t1:n4 t2:n4 t3:n4 stem"
    ),
)
"""One row per instance: x in the frame of the reference is r x + t. `n_pairs` Cα atoms of the pocket, `n_used` in the
fit; `rmsd_A` is that of those used, `rmsd_all_A` that of all."""

EXIT_CONSENSUS = Table(
    layout.EXIT_CONSENSUS,
    _columns(
        "group reference direction n_entries:i n_entries_present:i n_entries_open:i n_instances:i"
        " n_instances_present:i n_instances_open:i n_ligands:i F_median:n4 F_best:n4 best_score:n4 best_stem"
        " best_anchor evidence x:n y:n z:n vector_x:n4 vector_y:n4 vector_z:n4 spread_deg:n1 anchors open_in"
    ),
)
"""One row per direction of a group of like target chains, in the frame of its reference: how many of the superposed
entries have an exit there (`present`), and in how many it is open. `x y z` is the linker's first atom in the mean."""
PROTAC_INPUTS = Table(
    layout.PROTAC_INPUTS,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID side site_rank:i rank:i anchor_atom sdf_index:i score:n4 closed:f"
        " protein_file protein_chains ligand_file head_file head_anchor:i anchor_unique:f alike_atoms open_babel"
        " params_file atom_list_file atom_delete_file mask_file smiles reason stem atoms_missing"
    ),
)
"""One row per exit site with files for programs that model degraders, paths relative to the table; a ligand
without one has a row with the reason. What `atoms_missing` names was not observed: heads and SMILES lack it."""

SERIES = Table(
    layout.SERIES_TABLE,
    _columns("series scaffold_smiles mcs_smarts n_components:i n_instances:i members timed_out:f n_core_atoms:i"),
)

ENTRY_STATUS = Table(
    layout.ENTRY_STATUS,
    _columns(
        "pdb_id rank:i kept:f reason target_match target_chains instances_found:i instances_kept:i source revision"
        " sha256 successor threshold value requested_id target_identity:n target_coverage:n assembly flags sentence"
    ),
)

LIGAND_STATUS = Table(
    layout.LIGAND_STATUS,
    _columns(
        "pdb_id chain ligand residue components kind kept:f reason threshold value label_chain kind_reason stem"
        " sentence"
    ),
)

NAME_MAP = Table(
    layout.NAME_MAP,
    _columns("stem what name_in_pdb name pdb_id copy"),
)

RESULT_TABLES = (
    SASA_SUMMARY,
    RESULTS_TABLE,
    LIGAND_METADATA,
    SASA_ATOMS,
    LIGAND_MCS_MAP,
    CONTACTS,
    EXIT_VECTORS,
    EXIT_CONSENSUS,
    SUPERPOSITION,
    PROTAC_INPUTS,
    SERIES,
    ENTRY_STATUS,
    LIGAND_STATUS,
    NAME_MAP,
)
"""All tables of a finished job."""


def format_value(value: Value, column: Column) -> str:
    """Return a value as it stands in a CSV cell; None and NaN are empty.

    Raises
    ------
    TypeError
        If the value is not of the column's kind.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if column.kind == "text":
        return str(value)
    if column.kind == "flag":
        if not isinstance(value, bool):
            raise TypeError(f"column {column.name} takes True or False, got {value!r}")
        return str(value)
    if isinstance(value, str):
        raise TypeError(f"column {column.name} takes a number, got {value!r}")
    if column.kind == "integer":
        return str(int(value))
    text = f"{value:.{column.decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def parse_value(text: str, column: Column) -> Value:
    """Return a CSV cell as a value of its column's kind; an empty number or flag is None."""
    if column.kind == "text":
        return text
    if text == "":
        return None
    if column.kind == "flag":
        return text == "True"
    return int(text) if column.kind == "integer" else float(text)


@contextmanager
def table_writer(path: Path, table: Table) -> Iterator[Callable[[Row], None]]:
    """Yield a function that appends one row; the file appears when the block ends well.

    Parameters
    ----------
    path : Path
        The CSV file.
    table : Table
        Its columns. A row may leave columns out; one with others raises KeyError.
    """
    known = set(table.names)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.names)

        def write(row: Row) -> None:
            if unknown := row.keys() - known:
                raise KeyError(f"{path.name} has no column {sorted(unknown)}")
            writer.writerow([format_value(row.get(column.name), column) for column in table.columns])

        yield write


def write_table(path: Path, table: Table, rows: Iterable[Row]) -> None:
    """Write all rows as one CSV file, complete or not at all."""
    with table_writer(path, table) as write:
        for row in rows:
            write(row)


def read_table(path: Path, table: Table) -> Iterator[dict[str, Value]]:
    """Yield the rows of a CSV file written by `table_writer`, typed by the columns.

    Raises
    ------
    ValueError
        If the header is not that of `table`.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        header = tuple(next(reader, ()))
        if header != table.names:
            raise ValueError(f"{path}: unexpected columns {header}")
        for cells in reader:
            yield {c.name: parse_value(cell, c) for c, cell in zip(table.columns, cells, strict=True)}


def natural_key(text: str) -> tuple[int, str]:
    """Sort key for residue ids: by number, then by what follows (``9`` < ``60`` < ``60A``)."""
    digits = text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    try:
        return int(digits), text[len(digits) :]
    except ValueError:
        return 0, text


def instance_key(entry_id: str, chain: str, ligand: str, residue: str) -> tuple[str, str, str, tuple[int, str]]:
    """Sort key of every table with a row per instance: entry, chain, ligand, residue."""
    return entry_id, chain, ligand, natural_key(residue)
