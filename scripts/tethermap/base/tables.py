"""The columns of every table, written once, and how tables are read and written.

CSV follows RFC 4180, UTF-8, ``\\n``; text is never converted (component ``017`` keeps its zero), numbers
have a fixed number of decimals, unknown values are empty.
"""

from __future__ import annotations

import csv
import math
import mmap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from tethermap.base import layout
from tethermap.base.atomic import replacing
from tethermap.base.records import Source

Kind = Literal["text", "integer", "number", "flag"]
Value = str | int | float | bool | None
Row = Mapping[str, Value]


class SupportsWrite(Protocol):
    """A text stream that can be written to, such as an open file."""

    def write(self, text: str, /) -> object:
        """Append it."""


FEW = 8
"""Maximum number of instances that are searched in the text of lines before these are split."""

JOINED = ";"
"""Separator of several values in one cell."""


def split_cell(cell: Value) -> list[str]:
    """Return the values that a cell joins, none of an empty one.

    >>> split_cell("C1;N2"), split_cell(None)
    (['C1', 'N2'], [])
    """
    return [value for value in str(cell or "").split(JOINED) if value]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        Type of its cells in CSV.
    decimals : int
        Decimals of a number.
    separator : str
        Joins the values of a cell that is a list; empty for single values.
    items : str
        Type of the values of a list.
    """

    name: str
    kind: Kind = "text"
    decimals: int = 3
    separator: str = ""
    items: Literal["text", "number"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its place in the job folder (empty for intermediates) and its columns.

    The columns that `optional` names are only in files of jobs with the setting that they come from.
    """

    path: str
    columns: tuple[Column, ...]
    optional: tuple[str, ...] = ()

    def having(self, names: Collection[str]) -> Table:
        """Return the table with only the given ones of its optional columns."""
        columns = (one for one in self.columns if one.name not in self.optional or one.name in names)
        return Table(self.path, tuple(columns))

    @property
    def usual(self) -> Table:
        """The table without its optional columns."""
        return self.having(())

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def title(self) -> str:
        """Name of its Parquet file and of its section in the data dictionary."""
        path = PurePosixPath(self.path)
        return path.parent.name if path.stem == "index" else path.stem

    @property
    def parquet(self) -> str:
        """Place of its Parquet file in the job folder."""
        return f"{layout.TABLES}/{self.title}.parquet"


def _columns(text: str) -> tuple[Column, ...]:
    """Build columns from names; a suffix gives a kind: ``:i`` ``:n`` ``:n2`` ``:f``; lists ``:l`` ``:l,`` ``:ln1``."""
    built = []
    for word in text.split():
        name, _, kind = word.partition(":")
        if kind.startswith("ln"):
            built.append(Column(name, "text", int(kind[2:]), JOINED, "number"))
        elif kind.startswith("l"):
            built.append(Column(name, separator={"l": JOINED, "l,": ",", "l;": f"{JOINED} "}[kind]))
        elif kind.startswith("n"):
            built.append(Column(name, "number", int(kind[1:] or 3)))
        else:
            built.append(Column(name, {"": "text", "i": "integer", "f": "flag"}[kind]))  # type: ignore[arg-type]
    return tuple(built)


FIT = (
    "RSCC:n RSR:n n_atoms_assessed:i mean_occupancy:n mogul_bonds_RMSZ:n2 mogul_angles_RMSZ:n2 n_clashes:i fit_status"
    " EDIAm:n OPIA:n Q_score:n residue_inclusion:n4 fit_source"
)
"""Columns of the fit of a ligand to the experiment, from the validation report of its entry."""

ENTRY_FIT = (
    "R_free:n4 R_free_recalculated:n4 clashscore:n2 percent_RSRZ_outliers:n2 data_completeness:n2 Q_score_entry:n"
    " atom_inclusion:n4"
)
"""Columns of the entry's validation report."""

GEOMETRY = (
    "bond_deviation:n4 angle_deviation:n4 inner_distance:n4 ring_deviation_A:n double_bond_deviation_A:n"
    " contact_distance:n4 volume_overlap:n4 geometry_flags:l"
)
"""Columns of the geometry of a ligand as modelled (`tethermap.fit.geometry`)."""

GEOMETRIES = Table("", _columns(f"stem {GEOMETRY}"))
"""One row per instance."""

ENTRIES = Table(
    layout.SEARCH_ENTRIES,
    _columns(
        "rank:i pdb_id selected:f reason threshold value hits score:n6 title method resolution:n2 release_date"
        " organism uniprot genes descriptions ligands requested_id successor size:i"
    ),
)
"""One row per entry of the search, best first. `hits` lists the matches that found it, joined by ``;``; `size` is the
approximate number of its atoms."""

SHARD_ENTRIES = Table("", _columns("pdb_id requested_id successor size:i"))
"""One row per entry of a shard, with the columns of the search that affect the shard's results. The rank is omitted, so
that entries found later change no finished shard."""

STRUCTURES = Table(
    "",
    _columns(
        "pdb_id requested_id path format source revision sha256 successor flags:l reason value"
        " report report_status report_source report_sha256 map source_file source_record:i"
    ),
)
"""One row per selected entry: the path of its file, or the reason why it is missing."""

FILES = Table("", _columns("path sha256 bytes:i"))
"""Files that a step wrote, relative to the job folder."""

ERRORS = Table("", _columns("pdb_id stem ligand value"))
"""One row per ligand or entry on which a step has failed; `ligand` names one that has no stem, `value` the step."""

CHECKS = Table("", _columns("stem check passed:f value detail"))

SASA_SUMMARY = Table(
    layout.SASA_SUMMARY,
    _columns(
        "Target pdb_id Warhead Residue_ID Total_atoms:i Exposed_atoms:i SASA_in_complex_A2:n %Exposed:n4 %Buried:n4"
        " Chain LigandX_Source Ligand5_Source Ligand_Resolved Warhead_5 SMILES Ion_Dropped:f Ion_Drop_Reason"
        " Parent_SMILES Salt_Stripped:f SASA_free_A2:n Buried_fraction:n4 SASA_chain_A2:n SASA_target_A2:n"
        " SASA_assembly_A2:n SASA_crystal_A2:n context algorithm slices:i probe_radius_A:n2 radii engine stem"
    ),
)

_AFFINITY = (
    "affinity_type relation value_nM:n6 p_value:n2 source:l n_values:i spread ligand_efficiency:n2 affinity_word"
)
AFFINITY_CELLS = tuple(column.name for column in _columns(_AFFINITY))
"""Columns of a ligand's measured affinity (`tethermap.results.affinity`), in tables of jobs with `source.affinity`."""

_PUBLISHED = "published:i published_atoms:l published_best published_reference"
PUBLISHED_CELLS = tuple(column.name for column in _columns(_PUBLISHED))
"""Columns of the published degraders that leave at an exit (`tethermap.results.published`), in tables of jobs with
`source.degraders`."""

AFFINITY = Table(
    layout.AFFINITY,
    _columns(f"pdb_id Chain Warhead Residue_ID {_AFFINITY} matched_by stem"),
)
"""One row per instance and type of measurement, in jobs with `source.affinity`."""

RESULTS_TABLE = Table(
    layout.RESULTS_DISPLAY,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID SMILES %Exposed:n4 pdb_path sdf_path sdf_available:f resolution:n2"
        " method release_date components kind altloc occupancy:n2 mean_B:n2 atoms_missing:l covalent:f link_residue:l"
        " link_atom:l bond_source sanitised:f target_chains:l, buried_fraction:n4 SASA_in_complex_A2:n SASA_free_A2:n"
        " svg_plain_path svg_exposed_path svg_exits_path cif_path series InChIKey flags:l site site_class stem"
        f" {FIT} RSCC_by_residue:l {ENTRY_FIT} {GEOMETRY} link_uniprot:l mutations:l mutations_near:l pocket_uniprot:l"
        " ligand_name SMILES_pH74 warhead_class:l"
        " mean_pLDDT:n1 aligned_error_A:n1 chemistry_notes:l source_file source_record:i pose_rank:i"
        f" {_AFFINITY}"
    ),
    optional=AFFINITY_CELLS,
)

LIGAND_METADATA = Table(
    layout.LIGAND_METADATA,
    _columns(
        "Ligand Name Formula Type SMILES Canonical_SMILES InChI InChIKey MW:n LogP:n TPSA:n HBA:i HBD:i"
        " Rotatable_Bonds:i Ring_Count:i Aromatic_Rings:i Fraction_CSP3:n Heavy_Atom_Count:i Chiral_Atoms:i"
        " Formal_Charge:i QED:n BertzCT:n HallKierAlpha:n Kappa1:n Kappa2:n Kappa3:n NumSpiroAtoms:i"
        " NumBridgeheadAtoms:i NumAliphaticRings:i NumAromaticRings:i NumSaturatedRings:i NumHeteroAtoms:i MolMR:n"
        " SA_Score:n Lipinski_Pass:f Veber_Pass:f Egan_Pass:f Ghose_Pass:f Muegge_Pass:f PAINS_Hits:l; Brenk_Hits:l;"
        " Parent_SMILES Instances:i source Common_Name Synonyms:l SMILES_pH74 SMILES_pH74_other groups_near_pH74:l"
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
        " distance_A:n type context partner_copy stem partner_uniprot partner_uniprot_residue detail"
        " distance_between"
    ),
)

EXIT_VECTORS = Table(
    layout.EXIT_VECTORS,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID rank:i site_rank:i site_id anchor_atom anchor_equivalents:l kind"
        " leaving_atoms:l chem_class E:n4 F:n4 prior:n2 area_lost_A2:n score:n4 closed:f vector_x:n4 vector_y:n4"
        " vector_z:n4 hbonds_lost:i hbonds_anchor:i depth_atoms:i clearance_A:n2 E_assembly:n4 F_assembly:n4"
        " E_crystal:n4 F_crystal:n4 incomplete:f reason sdf_index:i evidence evidence_reasons:l resolution:n2"
        " occupancy:n2 B_iso:n2 B_normalised:n2 torsion_deg:n1 torsions_open:i cone_deg:n1 breaks_covalent_bond:f"
        " anchor_residues:l anchor_uniprot:l lysines:l lysine_uniprot:l lysine_distances_A:ln1 lysine_angles_deg:ln0"
        " leaving_residues:l stem"
    ),
)
"""One row per candidate: the best of each anchor with its rank, the others with the reason why they are not ranked."""

SUPERPOSITION = Table(
    layout.SUPERPOSITION,
    _columns(
        "group reference is_reference:f pdb_id Chain Warhead Residue_ID target_chain identity:n coverage:n superposed:f"
        " reason n_pairs:i n_used:i rmsd_A:n rmsd_all_A:n r11:n6 r12:n6 r13:n6 r21:n6 r22:n6 r23:n6 r31:n6 r32:n6"
        " r33:n6 t1:n4 t2:n4 t3:n4 stem protein site site_class crystal_packing:f"
    ),
)
"""One row per instance: x in the frame of the reference is r x + t. `n_pairs` Cα atoms of the pocket, `n_used` in the
fit; `rmsd_A` is that of those used, `rmsd_all_A` that of all."""

EXIT_CONSENSUS = Table(
    layout.EXIT_CONSENSUS,
    _columns(
        "group reference direction n_entries:i n_entries_present:i n_entries_open:i n_instances:i"
        " n_instances_present:i n_instances_open:i n_ligands:i F_median:n4 F_best:n4 best_score:n4 best_stem"
        " best_anchor evidence x:n y:n z:n vector_x:n4 vector_y:n4 vector_z:n4 spread_deg:n1 anchors:l open_in:l"
        " protein site site_class residue residue_uniprot"
    ),
)
"""One row per direction of a binding site, in the frame of the group's reference: the number of the site's superposed
entries with an exit there (`present`) and with an open exit there; `residue` of the reference marks the place. `x y z`
is the linker's first atom in the mean."""

EXIT_ANSWERS = Table(
    layout.EXIT_ANSWERS,
    _columns(
        "Target protein site site_class site_residue Warhead InChIKey answer_rank:i job_rank:i anchor_atom"
        " anchor_equivalents:l action kind leaving_atoms:l chem_class n_copies:i n_open:i n_entries:i n_entries_open:i"
        " E_median:n4 F_median:n4 score_median:n4 score_best:n4 closed:f observed:i observed_entries:l evidence"
        " evidence_reasons:l best_stem stems:l group exit_site breaks_covalent_bond:f observed_atoms:l"
        " site_uniprot area_lost_A2:n leaving_residues:l not_recommended:l best_resolution:n2 best_title group_name"
        f" confidence {_AFFINITY} {_PUBLISHED}"
    ),
    optional=(*AFFINITY_CELLS, *PUBLISHED_CELLS),
)
"""One row per target group, binding site, ligand and exit site, summarised over all copies. `n_copies` counts the
site's
copies outside the reach of symmetry mates, `n_open` those whose best candidate there has room and a way out."""

OBSERVED_EXITS = Table(
    layout.OBSERVED_EXITS,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID side partner anchor_atom linker_atom alternatives:l grade weak:f parent"
        " half_atoms:i area_target_A2:n1 area_partner_A2:n1 vector_x:n4 vector_y:n4 vector_z:n4 reason sdf_index:i"
        " sentence stem"
    ),
)
"""One row per ligand between two proteins, and side: the end of that side's half of the degrader."""

PUBLISHED = Table(
    layout.PUBLISHED,
    _columns(
        "Warhead InChIKey anchor_atoms:l left_out:l is_whole:f degrader target uniprot e3 DC50_relation DC50_nM:n6"
        " reference degrader_SMILES"
    ),
)
"""One row per ligand, published degrader that contains it, and value, in jobs with `source.degraders`."""

DEGRADERS = Table(
    "",
    _columns(
        "smiles linker linker_class linker_atoms:i reaction_a reaction_b needs_a needs_b MW:n2 LogP:n2 TPSA:n1"
        " Rotatable_Bonds:i HBD:i Heavy_Atom_Count:i SA_Score:n2 span_A:n1 distance_A:n1 reaches:f keeps_halves:f"
        " mapped_smiles"
    ),
)
"""One row per molecule that joins two halves, made on request. `span_A` is the stretched linker's length, `distance_A`
that of the anchors in an entry that shows both; `keeps_halves` marks molecules that contain all atoms of both halves in
their crystals, which inputs for programs need. Atom map numbers are SDF indices + 1, those of the second half + 501."""

PROTAC_INPUTS = Table(
    layout.PROTAC_INPUTS,
    _columns(
        "Target pdb_id Chain Warhead Residue_ID side site_rank:i rank:i anchor_atom sdf_index:i score:n4 closed:f"
        " protein_file protein_chains ligand_file head_file head_anchor:i anchor_unique:f alike_atoms:l"
        " params_file atom_list_file atom_delete_file mask_file smiles reason stem atoms_missing:l"
    ),
)
"""One row per exit site with files for programs that model degraders, paths relative to the table; a ligand
without one has a row with the reason. Atoms in `atoms_missing` were not observed: heads and SMILES lack them."""

SERIES = Table(
    layout.SERIES_TABLE,
    _columns("series scaffold_smiles mcs_smarts n_components:i n_instances:i members:l timed_out:f n_core_atoms:i"),
)

ENTRY_STATUS = Table(
    layout.ENTRY_STATUS,
    _columns(
        "pdb_id rank:i kept:f reason target_match target_chains:l, instances_found:i instances_kept:i source revision"
        " sha256 successor threshold value requested_id target_identity:n target_coverage:n assembly flags:l sentence"
        f" {ENTRY_FIT} report_status report_source report_sha256 report_date map_status"
    ),
)

LIGAND_STATUS = Table(
    layout.LIGAND_STATUS,
    _columns(
        "pdb_id chain ligand residue components kind kept:f reason threshold value label_chain kind_reason stem"
        f" sentence {FIT}"
    ),
)

NAME_MAP = Table(
    layout.NAME_MAP,
    _columns("stem what name_in_pdb name pdb_id copy"),
)

POSES = Table(layout.POSES, _columns("stem source_file source_record:i pose_rank:i name value"))
"""One row per field of each pose's record and per score of a prediction, in jobs with poses or predictions."""

RESULT_TABLES = (
    SASA_SUMMARY,
    RESULTS_TABLE,
    LIGAND_METADATA,
    SASA_ATOMS,
    LIGAND_MCS_MAP,
    CONTACTS,
    EXIT_VECTORS,
    EXIT_ANSWERS,
    OBSERVED_EXITS,
    EXIT_CONSENSUS,
    SUPERPOSITION,
    PROTAC_INPUTS,
    SERIES,
    ENTRY_STATUS,
    LIGAND_STATUS,
    NAME_MAP,
)
"""All tables of a finished job."""

TABLES = {
    "results": RESULTS_TABLE,
    "atoms": SASA_ATOMS,
    "metadata": LIGAND_METADATA,
    "entries": ENTRY_STATUS,
    "ligands": LIGAND_STATUS,
    "exits": EXIT_VECTORS,
    "contacts": CONTACTS,
    "answers": EXIT_ANSWERS,
    "observed": OBSERVED_EXITS,
    "consensus": EXIT_CONSENSUS,
    "poses": POSES,
    "published": PUBLISHED,
}
"""Tables by the name that clients and the Python API use."""


def format_value(value: Value, column: Column) -> str:
    """Format a value for a CSV cell; None and NaN are empty.

    Raises
    ------
    TypeError
        If the value is not of the column's kind.

    >>> format_value(0.12345, Column("score", "number", 2)), format_value(None, Column("score", "number"))
    ('0.12', '')
    """
    return _formatter(column)(value)


def parse_value(text: str, column: Column) -> Value:
    """Parse a CSV cell by its column's kind; empty or infinite numbers and empty flags are None."""
    return text if column.kind == "text" else PARSERS[column.kind](text)


def _flag(text: str) -> bool | None:
    return text == "True" if text else None


def _integer(text: str) -> int | None:
    return int(text) if text else None


def _number(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


PARSERS: Mapping[Kind, Callable[[str], Value]] = {"flag": _flag, "integer": _integer, "number": _number}
"""Parser of cells by the kind of their column; texts are returned unchanged."""


@contextmanager
def table_writer(path: Path, table: Table) -> Iterator[Callable[[Row], None]]:
    """Yield a function that appends one row; the file appears when the block ends well.

    Parameters
    ----------
    table : Table
        Columns of the file. A row may leave columns out; one with others raises KeyError.
    """
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        yield rows_into(stream, table, path.name)


def rows_into(stream: SupportsWrite, table: Table, name: str) -> Callable[[Row], None]:
    """Write the header of a table to a text stream; return a function that appends one row.

    Parameters
    ----------
    name : str
        Name of the table in error messages.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.names)
    cells = cell_formatter(table, name)
    return lambda row: writer.writerow(cells(row))


def cell_formatter(table: Table, name: str) -> Callable[[Row], list[str]]:
    """Return a function that formats a row's cells like `format_value`; it raises KeyError for other columns.

    Parameters
    ----------
    name : str
        Name of the table in error messages.
    """
    places = {column.name: (k, column.kind == "text", _formatter(column)) for k, column in enumerate(table.columns)}
    empty = [""] * len(places)

    @cache
    def places_of(names: tuple[str, ...]) -> list[tuple[int, bool, Callable[[Value], str]]]:
        if not places.keys() >= set(names):
            raise KeyError(f"{name} has no column {sorted(set(names) - places.keys())}")
        return [places[key] for key in names]

    def cells(row: Row) -> list[str]:
        texts = empty.copy()
        for (k, is_text, text_of), value in zip(places_of(tuple(row)), row.values(), strict=True):
            if value is not None:
                texts[k] = value if is_text and type(value) is str else text_of(value)
        return texts

    return cells


@cache
def _formatter(column: Column) -> Callable[[Value], str]:
    """Return `format_value` for one column, fast for values of the column's own type."""
    kind = column.kind
    expected = {"flag": bool, "integer": int}.get(kind, str)
    pattern = f"%.{column.decimals}f"
    below_zero = f"-{pattern % 0.0}"

    def number(value: Value) -> str:
        if type(value) is not float or value != value:  # NaN differs from itself
            if value is None or value != value:
                return ""
            if isinstance(value, str):
                raise TypeError(f"column {column.name} takes a number, got {value!r}")
        text = pattern % value
        return text[1:] if text == below_zero else text

    def other(value: Value) -> str:
        if type(value) is expected:
            return str(value)
        if value is None or value != value:
            return ""
        if kind == "flag":
            raise TypeError(f"column {column.name} takes True or False, got {value!r}")
        if kind == "integer" and isinstance(value, str):
            raise TypeError(f"column {column.name} takes a number, got {value!r}")
        return str(value if kind == "text" else int(value))

    return number if kind == "number" else other


def rows_of(lines: Iterable[bytes], table: Table, names: Collection[str] | None = None) -> Iterator[dict[str, Value]]:
    """Yield the rows of lines that `table_writer` wrote below its header, typed by the columns.

    Parameters
    ----------
    names : collection of str or None
        Columns to return, at least two; None for all.
    """
    places = [k for k, name in enumerate(table.names) if names is None or name in names]
    typed, wanted = cell_parser([table.columns[k] for k in places]), itemgetter(*places)
    for cells in csv.reader(line.decode("utf-8") for line in lines):
        yield typed(wanted(cells))


def as_written(rows: Iterable[Row], table: Table, names: Collection[str]) -> list[Row]:
    """Return rows in the form in which they are read back: numbers rounded, only the given columns."""
    columns = [column for column in table.columns if column.name in names]
    return [{one.name: parse_value(format_value(row.get(one.name), one), one) for one in columns} for row in rows]


def cell_parser(columns: Sequence[Column], *, strict: bool = True) -> Callable[[Sequence[str]], dict[str, Value]]:
    """Return a function that parses the cells of a row like `parse_value`, fast if most cells are text.

    Parameters
    ----------
    strict : bool
        Whether a row must have exactly one cell per column; otherwise surplus cells are dropped.
    """
    names = [column.name for column in columns]
    others = [(k, column.name, PARSERS[column.kind]) for k, column in enumerate(columns) if column.kind != "text"]

    def typed(cells: Sequence[str]) -> dict[str, Value]:
        row: dict[str, Value] = dict(zip(names, cells, strict=strict))
        given = others if len(cells) >= len(names) else [one for one in others if one[0] < len(cells)]
        for k, name, parse in given:
            row[name] = parse(cells[k])
        return row

    return typed


def write_table(path: Path, table: Table, rows: Iterable[Row]) -> None:
    """Write all rows as one CSV file, complete or not at all."""
    with table_writer(path, table) as write:
        for row in rows:
            write(row)


def read_table(
    path: Source,
    table: Table,
    *,
    strict: bool = True,
    stems: Collection[str] | None = None,
    names: Collection[str] | None = None,
) -> Iterator[dict[str, Value]]:
    """Yield the rows of a CSV file written by `table_writer`, typed by the columns.

    Parameters
    ----------
    path, table : Path, Table
        The file, or a part of an archive, and its columns.
    strict : bool
        Whether the header must be the one of `table`; otherwise unknown columns are text, and missing ones are empty in
        each row.
    stems : collection of str or None
        Instances whose rows are returned, by the column `stem`, fastest in the table's order; None for all.
    names : collection of str or None
        Columns to return, None for all; a few columns of a long table need a tenth of the memory.

    Raises
    ------
    ValueError
        If the header is not that of `table` and `strict`.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        header = tuple(next(csv.reader([stream.readline()]), ()))
        if strict and header != table.having(header).names:
            raise ValueError(f"{path}: unexpected columns {header}")
        by_name = {column.name: column for column in table.columns}
        columns = [by_name.get(name, Column(name)) for name in header]
        position = header.index("stem") if stems is not None and "stem" in header else None
        lines: Iterable[str] = stream
        if stems is not None and position == len(header) - 1 and isinstance(path, Path):
            lines = lines_ending(path, stems)  # the rest of a long table is not even read
        elif stems is not None and position is not None and len(stems) <= FEW:
            lines = (line for line in stream if any(stem in line for stem in stems))
        places = range(len(header)) if names is None else [k for k, name in enumerate(header) if name in names]
        typed = cell_parser([columns[k] for k in places], strict=strict)
        lacking = [column for column in table.columns if names is None and column.name not in header]
        absent = {column.name: parse_value("", column) for column in lacking}
        for cells in csv.reader(lines):
            if stems is None or (position is not None and cells[position] in stems):
                row = typed(cells if names is None else [cells[k] for k in places])
                yield row | absent if absent else row


def lines_ending(path: Path, stems: Collection[str]) -> Iterator[str]:
    """Yield the lines of a table that end with one of the stems; the lines of each stem are adjacent.

    The search for each stem starts at the previous match, which is fast if the stems have the table's order.
    """
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        blocks = []
        end = 0
        for stem in stems:
            last_cell = f",{stem}\n".encode()
            place = data.find(last_cell, end)
            if place < 0:
                place = data.find(last_cell, 0, end)
            if place < 0:
                continue
            begin, end = data.rfind(b"\n", 0, place) + 1, place + len(last_cell)
            while (after := data.find(b"\n", end) + 1) and data[after - len(last_cell) : after] == last_cell:
                end = after
            blocks.append((begin, end))
        for begin, end in sorted(blocks):
            yield from data[begin:end].decode("utf-8").splitlines(keepends=True)


def natural_key(text: str) -> tuple[int, str]:
    """Sort key for residue ids: by number, then by the rest (``9`` < ``60`` < ``60A``)."""
    digits = text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    try:
        return int(digits), text[len(digits) :]
    except ValueError:
        return 0, text


def instance_key(entry_id: str, chain: str, ligand: str, residue: str) -> tuple[str, str, str, tuple[int, str]]:
    """Sort key of every table with a row per instance: entry, chain, ligand, residue."""
    return entry_id, chain, ligand, natural_key(residue)
