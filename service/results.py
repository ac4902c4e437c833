"""The results of a job in one body: counts, key files, what was left out and why."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from scripts.lib import layout, tables
from service.artifacts import Listing, list_artifacts
from service.bodies import key_outputs
from service.job_tables import TableCache
from service.jobs import JobRecord

_FIRST = 1000
_NOT_REJECTED = ("kept", "member_of_group")


def results_body(cache: TableCache, record: JobRecord, folder: Path, base: str) -> dict[str, Any]:
    """Return the results of a job that has ended, however it ended."""
    listing = list_artifacts(folder)
    entries = listing.entries(listing.artifacts, f"{base}/files")
    return {
        "ok": True,
        "job_id": record.job_id,
        "status": record.status,
        "has_results": record.has_results,
        "target_results_dir": layout.RESULTS,
        "counts": _counts(listing),
        "key_outputs": key_outputs(),
        "urls": {
            "files": f"{base}/files",
            "bundle": f"{base}/bundle",
            "browser_results": f"/results/{record.job_id}",
        },
        "summary_files": [entry for entry in entries if _is_summary(entry["name"])],
        "display_files": [entry for entry in entries if entry["kind"] in ("html", "svg")],
        "files": entries[:_FIRST],
        "files_total": len(entries),
        "rejections": _rejections(cache, folder),
        "pipeline": pipeline_of(folder),
    }


def _counts(listing: Listing) -> dict[str, int]:
    counts = listing.counts()
    tab_separated = sum(1 for artifact in listing.artifacts if artifact.name.lower().endswith(".tsv"))
    kinds = ("war_pdb", "pdb", "sdf", "svg", "csv", "table", "html", "manifest")
    return {**{kind: counts[kind] for kind in kinds}, "tsv": tab_separated}


def _is_summary(name: str) -> bool:
    return name == layout.RESULTS_DISPLAY_LINK or "summary" in name.lower()


def _rejections(cache: TableCache, folder: Path) -> dict[str, Any]:
    """Count entries and ligands that were left out, together."""
    reasons: Counter[str] = Counter()
    for table in (tables.ENTRY_STATUS, tables.LIGAND_STATUS):
        reasons.update(str(row["reason"]) for row in cache.rows(folder, table))
    left_out = {reason: number for reason, number in sorted(reasons.items()) if reason not in _NOT_REJECTED}
    return {"total": sum(left_out.values()), "by_reason": left_out}


def pipeline_of(folder: Path) -> dict[str, Any]:
    """Return version and settings of the run that made the results, as its manifest has them."""
    try:
        manifest = json.loads((folder / layout.MANIFEST).read_text(encoding="utf-8"))
        return {"version": manifest["pipeline"]["version"], "config_sha256": manifest["config_sha256"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"version": None, "config_sha256": None}
