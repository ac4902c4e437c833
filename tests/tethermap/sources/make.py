"""Tiny entries for tests of the sources, and settings of jobs that use them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tethermap.base.config import resolve

_CIF = """data_{upper}
#
_entry.id {upper}
#
_struct.title '{title}'
#
_exptl.method '{method}'
#
_refine.ls_d_res_high {resolution}
#
loop_
_entity.id
_entity.type
_entity.pdbx_description
1 polymer '{description}'
2 non-polymer ligand
#
_entity_poly.entity_id 1
_entity_poly.type 'polypeptide(L)'
_entity_poly.pdbx_strand_id A
_entity_poly.pdbx_seq_one_letter_code_can {sequence}
#
_entity_src_gen.entity_id 1
_entity_src_gen.pdbx_gene_src_gene '{gene}'
_entity_src_gen.pdbx_gene_src_scientific_name '{organism}'
#
_struct_ref.id 1
_struct_ref.entity_id 1
_struct_ref.db_name UNP
_struct_ref.db_code {gene}_HUMAN
_struct_ref.pdbx_db_accession {uniprot}
#
_pdbx_entity_nonpoly.entity_id 2
_pdbx_entity_nonpoly.comp_id {ligand}
_pdbx_entity_nonpoly.name ligand
#
loop_
_pdbx_audit_revision_history.ordinal
_pdbx_audit_revision_history.data_content_type
_pdbx_audit_revision_history.major_revision
_pdbx_audit_revision_history.minor_revision
_pdbx_audit_revision_history.revision_date
1 'Structure model' 1 0 {released}
2 'Structure model' 1 1 2024-02-07
#
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_asym_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
ATOM 1 N N GLY A A 1.0 2.0 3.0
#
"""

FAULTS: list[dict[str, Any]] = [
    {"kind": "status", "status": 429, "retry_after": "0"},
    *({"kind": "status", "status": status} for status in (429, 500, 503)),
    *({"kind": kind} for kind in ("html", "cut", "refuse", "empty")),
]
"""Faults of any service that are retried, for `StandIn.fault`."""

FAULTS_OF_FILES = [*FAULTS, {"kind": "cut_gzip"}, {"kind": "no_atoms"}]

_DEFAULTS = {
    "title": "A kinase with an inhibitor",
    "method": "X-RAY DIFFRACTION",
    "resolution": "2.0",
    "description": "Some kinase",
    "sequence": "GSHMKLVVVGAGGVGKSALTIQLIQNHF",
    "gene": "KIN1",
    "organism": "Homo sapiens",
    "uniprot": "P12345",
    "ligand": "LIG",
    "released": "2010-05-05",
}


def cif_text(entry_id: str, **values: str) -> str:
    """Return a small mmCIF entry in the layout of the wwPDB."""
    return _CIF.format(**{"upper": entry_id.upper(), **_DEFAULTS, **values})


def pdb_text(entry_id: str, title: str = "A KINASE", released: str = "05-MAY-10") -> str:
    """Return a small PDB entry in the layout of the wwPDB."""
    lines = [
        f"HEADER    TRANSFERASE                             01-JAN-10   {entry_id.upper()}",
        f"TITLE     {title}",
        f"REVDAT   1   {released} {entry_id.upper()}    0",
        "SEQRES   1 A    1  GLY",
        "ATOM      1  N   GLY A   1       1.000   2.000   3.000  1.00 20.00           N",
        "END",
    ]
    return "".join(f"{line:<80}\n" for line in lines)


def write(path: Path, text: str | bytes) -> Path:
    """Write a file and its folders, gzipped if its name ends in .gz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def settings(cache: Path, source: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    """Return resolved settings of a job."""
    raw = {"target_name": "KIN1", "search_query": "kinase", "source": dict(source), "cache_dir": str(cache), **values}
    return resolve(raw)


def filters(**values: Any) -> dict[str, Any]:
    """Return the filters of a job."""
    given = {"target_name": "x", "search_query": "x", "source": {"kind": "archive"}, "filters": values}
    found: dict[str, Any] = resolve(given)["filters"]
    return found
