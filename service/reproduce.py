"""What is needed to run a job again by hand and to compare: settings, entries, command, hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.lib import layout, tables
from scripts.lib.tables import Value
from service.job_tables import TableCache

COMMAND = "snakemake --snakefile <tethermap>/Snakefile --directory <job folder> --configfile <job.json> --cores <cores>"
"""`<job.json>` holds `config`; JSON is YAML."""

_OF_THE_SEARCH = (layout.SEARCH_ENTRIES, layout.REPORT)
"""Files that also say how the entries were found."""

_PRIVATE = ("mirror", "files", "components")


def reproduction(cache: TableCache, job: Path) -> dict[str, Any]:
    """Return how to run a finished job again.

    The entries are pinned, so that a later search can't change them; files that tell of the search
    are then not the same, unless the job's entries were pinned from the start, and `unpinned`
    names them.

    Parameters
    ----------
    cache : TableCache
        Reads the tables.
    job : Path
        The job folder.
    """
    manifest = _json(job / layout.MANIFEST)
    settings = _json(job / layout.JOB_CONFIG) or dict(manifest.get("settings") or {})
    searched = cache.rows(job, tables.ENTRIES)
    selected = [row for row in searched if row.get("selected")]
    pinned = bool((settings.get("filters") or {}).get("entries"))
    excluded: dict[str, str] = {}
    if not pinned:
        because = "says how the entries were found: by the query here, by name in a run with pinned entries"
        excluded = dict.fromkeys(_OF_THE_SEARCH, because)
        if len(selected) < len(searched) or _matched_by_search(cache.rows(job, tables.ENTRY_STATUS)):
            excluded[layout.ENTRY_STATUS] = "lists entries that the search saw and left out, and their ranks"
    files = [row for row in manifest.get("files") or [] if row["path"] not in excluded]
    return {
        "config": _pinned(settings, selected),
        "entries": _entries(cache.rows(job, tables.ENTRY_STATUS)),
        "command": COMMAND,
        "versions": manifest.get("versions") or {},
        "outputs": [{"path": row["path"], "sha256": row["sha256"]} for row in files],
        "unpinned": [*_unpinned(settings, manifest), *(f"{path}: {why}" for path, why in excluded.items())],
    }


def _matched_by_search(entries: Sequence[Mapping[str, Value]]) -> bool:
    """Whether ranks would change when only the selected entries are asked for."""
    ranks = sorted(int(str(row["rank"])) for row in entries if row["rank"] is not None)
    return ranks != list(range(1, len(ranks) + 1))


def _pinned(settings: Mapping[str, Any], selected: Sequence[Mapping[str, Value]]) -> dict[str, Any]:
    """Return the settings with exactly the entries that the job took; places of this machine left out."""
    config = {key: value for key, value in settings.items() if key not in ("cache_dir", "force")}
    source = dict(config.get("source") or {})
    for name in _PRIVATE:
        if source.get(name) is not None:
            source[name] = f"<{name}>"
    entries = [str(row["requested_id"] or row["pdb_id"]) for row in selected]
    filters = {**(config.get("filters") or {}), "entries": entries} if entries else config.get("filters")
    return {**config, "source": source, "filters": filters}


def _entries(rows: Sequence[Mapping[str, Value]]) -> list[dict[str, Any]]:
    taken = [row for row in rows if row["sha256"]]
    return [{"pdb_id": row["pdb_id"], "revision": row["revision"], "sha256": row["sha256"]} for row in taken]


def _unpinned(settings: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    """Name what a later run can't be told to have the same."""
    kind = (settings.get("source") or {}).get("kind")
    found = [f"{path}: holds times or how the work was divided" for path in manifest.get("varying_files") or []]
    if kind == "rcsb":
        found.append("structures: RCSB PDB serves the latest revision only; compare entries[].revision and sha256")
    elif kind in ("mirror", "files"):
        found.append(f"source.{kind}: the folder is yours to name")
    return found


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
