"""Data to run a job again by hand and to compare: settings, entries, command, hashes."""

import hashlib
from collections.abc import Mapping
from typing import Any

from service.jobs.durable import read_object
from service.results.tables import JobTables
from tethermap.base import layout, recorded_search, tables
from tethermap.base.config import NO_PATH

COMMAND = "snakemake --snakefile <tethermap>/Snakefile --directory <job folder> --configfile <job.json> --cores <cores>"
"""`<job.json>` contains `config`; JSON is YAML."""

_PRIVATE = ("mirror", "files", "components", "affinity", "degraders")
_OF_THIS_MACHINE = ("cache_dir", "force")
_WITHOUT_HASH = (layout.JOB_CONFIG, layout.MANIFEST, layout.SEARCH_QUERY, layout.CRATE)
"""Files that a rerun has the same although the manifest can't or doesn't hash them."""


def reproduction(reader: JobTables) -> dict[str, Any]:
    """Return how to run a finished job again.

    The entries are pinned and the search result is included, so that a later search can change nothing: every file of a
    rerun is the same except its log, which contains times.

    Parameters
    ----------
    reader : JobTables
        Result tables of the job.
    """
    job = reader.folder
    manifest = read_object(job / layout.MANIFEST)
    settings = read_object(job / layout.JOB_CONFIG) or dict(manifest.get("settings") or {})
    files = {str(row["path"]): str(row["sha256"]) for row in manifest.get("files") or []}
    files |= {
        path: hashlib.sha256((job / path).read_bytes()).hexdigest()
        for path in _WITHOUT_HASH
        if manifest and (job / path).is_file()
    }
    return {
        "config": _pinned(settings, _search(reader, settings)),
        "entries": reader.rows(tables.ENTRY_STATUS, "WHERE sha256 <> ''", names=("pdb_id", "revision", "sha256")),
        "command": COMMAND,
        "versions": manifest.get("versions") or {},
        "outputs": [{"path": path, "sha256": files[path]} for path in sorted(files)],
        "unpinned": _unpinned(settings, manifest),
    }


def _search(reader: JobTables, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the result of the job's search; None if it never ended."""
    query = read_object(reader.folder / layout.SEARCH_QUERY)
    if not query or not (reader.folder / layout.SEARCH_ENTRIES).is_file():
        return None
    asked = (settings.get("filters") or {}).get("entries") or []
    return recorded_search.record_search(asked, query, reader.rows(tables.ENTRIES))


def _pinned(settings: Mapping[str, Any], search: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the settings with exactly the entries that the job took; places of this machine left out."""
    config = {key: value for key, value in settings.items() if key not in _OF_THIS_MACHINE}
    source = config.get("source") or {}
    private = [name for name in _PRIVATE if source.get(name) is not None]
    private += ["validation"] if source.get("validation", NO_PATH[0]) not in NO_PATH else []
    config["source"] = source | {name: f"<{name}>" for name in private}
    if search is not None:
        config["filters"] = {**(config.get("filters") or {}), "entries": recorded_search.taken(search)}
        config[recorded_search.KEY] = search
    return config


def _unpinned(settings: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    """List inputs that a later run may not reproduce."""
    kind, varying = (settings.get("source") or {}).get("kind"), manifest.get("varying_files") or []
    sentences = [f"{path}: holds times" for path in varying if path not in _WITHOUT_HASH]
    if kind == "rcsb":
        sentences.append("structures: RCSB PDB serves the latest revision only; compare entries[].revision and sha256")
    elif kind in ("mirror", "files"):
        sentences.append(f"source.{kind}: the folder is yours to name")
    return sentences
