"""Activities of ChEMBL as CSV, of its pages (``Standard Type``) or its web services and database (``standard_type``).

They name the protein by its target in ChEMBL; ``chembl_uniprot_mapping.txt`` of the same release, given as another
table, maps it to its accession, unless they have a column ``accession``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from tethermap.results.measurement import Format, Measurement, Wanted, molecule_of_key, value_of

_SINGLE = "SINGLE PROTEIN"
"""Type of targets whose values are of one protein; those of families and complexes could be of another."""

_TRUSTED = ("", "manually validated")
"""Comments on validity with which values are read; others doubt the unit, the range or the transcription."""


def _recognises(head: list[str]) -> bool:
    return bool(head) and {"standard_type", "standard_value", "standard_units"} <= set(_names(head[0]))


def is_mapping(head: list[str]) -> bool:
    """Return whether a file is the table of targets and accessions."""
    lines = [line.split("\t") for line in head if not line.startswith("#")]
    return bool(lines) and len(lines[0]) >= 4 and lines[0][1].startswith("CHEMBL")


def mapped_targets(lines: Iterable[str]) -> dict[str, str]:
    """Return the accession of each target that is a single protein."""
    rows = (line.rstrip("\r\n").split("\t") for line in lines if not line.startswith("#"))
    return {row[1]: row[0] for row in rows if len(row) >= 4 and row[3].upper() == _SINGLE}


def _separator(header: str) -> str:
    return max(";,\t", key=header.count)


def _names(header: str) -> list[str]:
    cells = next(csv.reader([header], delimiter=_separator(header)), [])
    return [cell.strip().lower().replace(" ", "_") for cell in cells]


def _read(lines: Iterable[str], wanted: Wanted, _: str) -> Iterator[Measurement]:
    lines = iter(lines)
    header = next(lines)
    names = _names(header)
    for cells in csv.reader(lines, delimiter=_separator(header)):
        row = dict(zip(names, cells, strict=False))
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
            yield Measurement(
                affinity_type=value[0], relation=value[1], value_nM=value[2], source="ChEMBL",
                inchikey=key, accessions=(accession,),
            )  # fmt: skip


def _key(smiles: str) -> str:
    """Return the InChIKey of a molecule, or of the largest part of a salt; empty without SMILES."""
    from tethermap.molecule.inchi import inchikey  # RDKit

    return inchikey(max(smiles.split("."), key=len)) if smiles else ""


FORMAT = Format("ChEMBL activities CSV", _recognises, _read)
