"""Tiny entries for tests of the sources, and settings of jobs that use them."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.tools.runs import ROOT
from tethermap.base.config import resolve

_CIF = (ROOT / "tests/data/tiny_entry.cif").read_text(encoding="utf-8")
"""A small entry in the layout of the wwPDB, with places for its values."""

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
