"""Formats of affinity tables: downloaded public lists, and a table of the user's own."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tethermap.results.measurement import (
    TYPES,
    Format,
    Measurement,
    Wanted,
    columns_of,
    molecule_of_key,
    table_rows,
    value_of,
    written_value,
)

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
