"""Measured affinities, and the formats of their tables: downloaded public lists, and a table of the user's own."""

import csv
import gzip
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, cast

TYPES = ("Kd", "Ki", "IC50", "EC50")
"""Kinds of measurement, never mixed; a ligand shows the first that it has."""

_TYPE = {name.lower(): name for name in TYPES}

UNITS = {"M": 1e9, "mM": 1e6, "uM": 1e3, "nM": 1.0, "pM": 1e-3, "fM": 1e-6}
"""Nanomoles per litre of each unit."""

_RELATION = {"": "=", "=": "=", "==": "=", "~": "~", "≈": "~"}
_RELATION |= dict.fromkeys(("<", "<=", "=<", "<<", "≤"), "<") | dict.fromkeys((">", ">=", "=>", ">>", "≥"), ">")

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_WRITTEN = re.compile(
    rf"(?<![\w/])(?i:(K[di]|[IE]C50))\s*([=<>~≈≤≥]{{1,2}})\s*({_NUMBER})\s*(fM|pM|nM|[uµμ]M|mM|M)(?![\w/])"
)
_CELL = re.compile(rf"\s*([=<>~≈≤≥]{{0,2}})\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One value of one list, and to which ligand and protein it belongs.

    Parameters
    ----------
    affinity_type : str
        One of `TYPES`.
    relation : str
        ``=``, ``~``, ``<`` or ``>``.
    value_nM : float
        Concentration in nmol/L.
    source : str
        Name of the list.
    entry_id, comp_id, chain, residue : str
        Place in the PDB; `comp_id` may name several components, chain and residue may be empty.
    inchikey : str
        InChIKey of the ligand, for lists without a place in the PDB.
    accessions : tuple of str
        UniProt accessions of the protein, for such lists.
    """

    affinity_type: str
    relation: str
    value_nM: float  # noqa: N815
    source: str
    entry_id: str = ""
    comp_id: str = ""
    chain: str = ""
    residue: str = ""
    inchikey: str = ""
    accessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Entries, molecules and accessions of a job: other rows are skipped early.

    `molecules` are InChIKeys without their protonation (`molecule_of_key`); `targets` maps targets of ChEMBL to
    accessions.
    """

    entries: AbstractSet[str]
    molecules: AbstractSet[str]
    accessions: AbstractSet[str]
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of tables.

    Parameters
    ----------
    name : str
        Name in messages.
    recognises : callable
        Whether the first lines of a file are of this format.
    read : callable
        Yields the measurements of a file that a job wants, given its lines and its name.
    """

    name: str
    recognises: Callable[[list[str]], bool]
    read: Callable[[Iterable[str], Wanted, str], Iterator[Measurement]]


def molecule_of_key(inchikey: str) -> str:
    """Return an InChIKey without its last letter, the protonation: lists draw a ligand as acid or as salt.

    >>> molecule_of_key("BSYNRYMUTXBXSQ-UHFFFAOYSA-M")
    'BSYNRYMUTXBXSQ-UHFFFAOYSA'
    """
    return inchikey.rpartition("-")[0]


Value = tuple[str, str, float]
"""Type, relation and concentration in nmol/L."""


def written_value(text: str) -> Value | None:
    """Return the value that a list writes as one text; None without a type or a unit of concentration.

    >>> written_value("-logKd/Ki=8.74,ic50=1.8uM")
    ('IC50', '=', 1800.0)
    >>> written_value("-logKd/Ki=8.74") is written_value("Kd=3 mg/ml") is None
    True
    """
    found = _WRITTEN.search(text)
    return value_of(*found.groups()) if found else None


def value_of(affinity_type: str, relation: str, value: str, unit: str) -> Value | None:
    """Return a value of separate cells; None if the type, the relation, the number or the unit is none that is known.

    >>> value_of("Ki", "'<'", "0.5", "µM")
    ('Ki', '<', 500.0)
    """
    kind, amount = _TYPE.get(affinity_type.strip().lower()), concentration(relation.strip(" '\"") + value, unit)
    return None if kind is None or amount is None else (kind, *amount)


def concentration(text: str, unit: str) -> tuple[str, float] | None:
    """Return relation and nmol/L of a number with its relation; None if either or the unit is unknown.

    >>> concentration("<0.5", "µM"), concentration("N.D.", "nM")
    (('<', 500.0), None)
    """
    factor, cell = UNITS.get(re.sub("[µμ]", "u", unit.strip())), _CELL.fullmatch(text)
    if factor is None or cell is None or cell[1] not in _RELATION:
        return None
    number = float(f"{float(cell[2]) * factor:.12g}")  # 0.6 uM is 600 nM, not 599.9999999999999
    return (_RELATION[cell[1]], number) if number > 0 and math.isfinite(number) else None


def opened(path: Path) -> BinaryIO:
    """Open a table for reading, gzipped if its name ends in .gz."""
    return cast("BinaryIO", gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def opened_text(path: Path) -> TextIOWrapper:
    """Open a table of text."""
    return TextIOWrapper(opened(path), encoding="utf-8-sig", errors="replace", newline="")


def columns_of(header: str) -> tuple[list[str], str]:
    """Return the names in a header, in lower case with ``_`` for spaces, and the separator of the table."""
    separator = max(",;\t", key=header.count)
    cells = next(csv.reader([header], delimiter=separator), [])
    return [cell.strip().lower().replace(" ", "_") for cell in cells], separator


def table_rows(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table by the names of `columns_of`."""
    lines = iter(lines)
    names, separator = columns_of(next(lines, ""))
    return (dict(zip(names, cells, strict=False)) for cells in csv.reader(lines, delimiter=separator))


_INCHIKEY, _TARGET = "Ligand InChI Key", "Target Name"
_ACCESSIONS = ("UniProt (SwissProt) Primary ID of Target Chain", "UniProt (TrEMBL) Primary ID of Target Chain")
"""One column of BindingDB for each chain of the target; since 2024 with the chain's number."""

_MUTANT = re.compile(r"\[[^\]]*\b[A-Z]\d+[A-Z]\b[^\]]*\]")
"""Mutation of a target that has the accession of its wild type: ``Epidermal growth factor receptor [L858R,T790M]``."""

_SINGLE = "SINGLE PROTEIN"
"""Type of ChEMBL's targets whose values are of one protein; those of families and complexes could be of another."""

_TRUSTED = ("", "manually validated")
"""Comments on validity with which ChEMBL's values are read; others doubt the unit, the range or the transcription."""

_MOAD_CELLS = 9
"""Class, family, entry, ligand (``VWW:A:210``), validity, type, relation, value, unit; then SMILES."""

_PDBBIND = re.compile(r"([0-9]\w{3})\s+(?:[\d.]+|NMR|\S+)\s+\d{4}\s+(.*?)//([^(]*)\(([^()]+)\)")
"""Entry, resolution, year, perhaps the logarithm, value, reference, ligand in brackets."""

_PLACE, _PAIR = {"pdb_id", "comp_id"}, {"inchikey", "uniprot"}
_VALUES: tuple[set[str], ...] = ({"measurement"}, {"affinity_type", "value_nm"}, {"affinity_type", "value", "unit"})


def _is_bindingdb(head: list[str]) -> bool:
    return bool(head) and {_INCHIKEY, _TARGET} <= set(head[0].rstrip("\r\n").split("\t"))


def _read_bindingdb(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [name.strip() for name in next(rows)]
    key, name = header.index(_INCHIKEY), header.index(_TARGET)
    proteins = [k for k, name in enumerate(header) if name.startswith(_ACCESSIONS)]
    values = [(kind, header.index(f"{kind} (nM)")) for kind in TYPES if f"{kind} (nM)" in header]
    for row in rows:
        if len(row) <= max(key, name) or molecule_of_key(row[key]) not in wanted.molecules or _MUTANT.search(row[name]):
            continue
        accessions = tuple(code for k in proteins if k < len(row) for code in row[k].replace(",", " ").split())
        for kind, k in values:
            if value := value_of(kind, "", row[k], "nM"):
                yield Measurement(*value, "BindingDB", inchikey=row[key], accessions=accessions)


def _is_chembl(head: list[str]) -> bool:
    return bool(head) and {"standard_type", "standard_value", "standard_units"} <= set(columns_of(head[0])[0])


def is_mapping(head: list[str]) -> bool:
    """Return whether a file is ChEMBL's table of targets and accessions."""
    lines = [line.split("\t") for line in head if not line.startswith("#")]
    return bool(lines) and len(lines[0]) >= 4 and lines[0][1].startswith("CHEMBL")


def mapped_targets(lines: Iterable[str]) -> dict[str, str]:
    """Return the accession of each target that is a single protein."""
    rows = (line.rstrip("\r\n").split("\t") for line in lines if not line.startswith("#"))
    return {row[1]: row[0] for row in rows if len(row) >= 4 and row[3].upper() == _SINGLE}


def _read_chembl(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    """Read activities of ChEMBL's pages (``Standard Type``) or of its web services and database (``standard_type``).

    They name the protein by its target in ChEMBL; ``chembl_uniprot_mapping.txt`` of the same release, given as another
    table, maps it to its accession, unless they have a column ``accession``.
    """
    for row in table_rows(lines):
        accession = row.get("accession") or wanted.targets.get(row.get("target_chembl_id", ""), "")
        if (
            accession not in wanted.accessions
            or row.get("target_type", "").upper() not in ("", _SINGLE)
            or row.get("data_validity_comment", "").strip().lower() not in _TRUSTED
            or row.get("assay_variant_mutation", "").strip().lower() not in ("", "none")
            or row.get("potential_duplicate", "").strip() in ("1", "True", "true")
        ):
            continue
        cells_of_value = (row.get(f"standard_{name}", "") for name in ("type", "relation", "value", "units"))
        if not (value := value_of(*cells_of_value)):
            continue
        key = row.get("standard_inchi_key") or _key(row.get("smiles") or row.get("canonical_smiles", ""))
        if molecule_of_key(key) in wanted.molecules:
            yield Measurement(*value, "ChEMBL", inchikey=key, accessions=(accession,))


def _key(smiles: str) -> str:
    """Return the InChIKey of a molecule, or of the largest part of a salt; empty without SMILES."""
    from tethermap.molecule.inchi import inchikey  # RDKit

    return inchikey(max(smiles.split("."), key=len)) if smiles else ""


def _is_moad(head: list[str]) -> bool:
    return any(row[3].count(":") == 2 and row[4] in ("valid", "invalid") for row in csv.reader(head) if len(row) >= 5)


def _read_moad(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    """Read every.csv: rows of classes, families, entries and ligands, without a header."""
    entry = ""
    for row in csv.reader(lines):
        if len(row) < _MOAD_CELLS:
            continue
        entry = row[2].strip().lower() or entry
        if entry not in wanted.entries or row[4] != "valid" or row[3].count(":") != 2:
            continue
        if value := value_of(*row[5:9]):
            comp_id, chain, residue = row[3].split(":")
            yield Measurement(*value, "Binding MOAD", entry, comp_id, chain, residue)


def _is_pdbbind(head: list[str]) -> bool:
    lines = [line for line in head if not line.startswith("#")]
    return bool(lines) and _PDBBIND.match(lines[0]) is not None


def _read_pdbbind(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    for line in lines:
        found = _PDBBIND.match(line) if line[:4].lower() in wanted.entries else None
        if found and (value := written_value(found[2])):
            yield Measurement(*value, "PDBbind", found[1].lower(), found[4].strip().lstrip("_"))


def _is_plain(head: list[str]) -> bool:
    names = set(columns_of(head[0])[0]) if head else set()
    return (names >= _PLACE or names >= _PAIR) and any(names >= value for value in _VALUES)


def _read_plain(lines: Iterable[str], wanted: Wanted, name: str) -> Iterator[Measurement]:
    """Read a place in the PDB, or InChIKey and accession, and the value in one cell or in several."""
    for cells in table_rows(lines):
        row = {column: cell.strip() for column, cell in cells.items()}
        text = row.get
        entry, key = text("pdb_id", "").lower(), text("inchikey", "").upper()
        if entry not in wanted.entries and molecule_of_key(key) not in wanted.molecules:
            continue
        in_nm = text("value_nm", "")
        amount, unit = (in_nm, "nM") if in_nm else (text("value", ""), text("unit", ""))
        written = written_value(text("measurement", ""))
        if value := written or value_of(text("affinity_type", ""), text("relation", ""), amount, unit):
            yield Measurement(
                *value, text("source") or text("list") or Path(name).stem, entry, text("comp_id", "").upper(),
                text("chain", ""), inchikey=key, accessions=tuple(text("uniprot", "").replace(";", " ").split()),
            )  # fmt: skip


FORMATS = (
    Format("BindingDB TSV", _is_bindingdb, _read_bindingdb),
    Format("ChEMBL activities CSV", _is_chembl, _read_chembl),
    Format("Binding MOAD table", _is_moad, _read_moad),
    Format("PDBbind index", _is_pdbbind, _read_pdbbind),
    Format("CSV", _is_plain, _read_plain),
)
"""The user's own table is last."""
