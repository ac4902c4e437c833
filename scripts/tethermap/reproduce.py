"""Run a finished job again from its folder, and compare: ``tethermap reproduce <folder> --source <place>``.

The configuration that a job records has labels instead of paths, so the paths are arguments. The entries are those of
the recorded search, regardless of the results of a new search.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base import layout, recorded_search, tables
from tethermap.base.config import NO_PATH
from tethermap.base.errors import UserError
from tethermap.base.root import expanded
from tethermap.run.start import cores, snakemake_command

_NEEDS_PLACE = ("mirror", "files")


def configuration(job: Path, places: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that run a job again.

    Parameters
    ----------
    job : Path
        Folder of a finished job.
    places : mapping of str to str or list of str
        Paths by the names of the command's options: its mirror or its files as `source`, and its own definitions,
        reports and tables.

    Raises
    ------
    UserError
        If the folder is not that of a finished job, or a path is missing.
    """
    try:
        settings = json.loads((job / layout.JOB_CONFIG).read_text(encoding="utf-8"))
        query = json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))
        rows = list(tables.read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES, strict=False))
        source = dict(settings["source"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(
            f"{job} is no folder of a finished job ({reason}): give one that has {layout.JOB_CONFIG}."
        ) from None
    kind = source["kind"]
    if kind in _NEEDS_PLACE:
        if not (paths := [_absolute(place) for place in places.get("source") or ()]):
            raise UserError(f"The job used source.kind {kind}: give its current path with --source.")
        source[kind] = paths[0] if len(paths) == 1 else paths
        label = query["source"]["label"]
        if source["label"] is None and kind == "mirror" and Path(paths[0]).name != label:
            source["label"] = label  # the columns of the results
    for name in ("components", "validation", "affinity", "degraders"):
        if source.get(name) not in (None, *NO_PATH):
            if not (given := places.get(name)):
                noun = "current path" if name in ("components", "validation") else "tables"
                raise UserError(f"The job had source.{name}: give its {noun} with --{name}.")
            source[name] = _absolute(given) if isinstance(given, str) else list(map(_absolute, given))
    pinned = settings["filters"]["entries"]
    recorded = recorded_search.record_search(pinned, query, rows)
    return {**settings, "source": source, "cache_dir": None, recorded_search.KEY: recorded}


def differing(job: Path, again: Path) -> list[str]:
    """Return the result files that differ between a job and its rerun.

    Logs and times are ignored; the report, which lists the packages' versions, is ignored if these differ.
    """
    manifest, other = (json.loads((folder / layout.MANIFEST).read_text(encoding="utf-8")) for folder in (job, again))
    varying = set(manifest.get("varying_files", ()))
    if manifest["versions"] != other["versions"]:
        varying.add(layout.REPORT)
    return [
        path
        for path in sorted({str(row["path"]) for made in (manifest, other) for row in made["files"]})
        if path not in varying and _digest(again / path) != _digest(job / path)
    ]


def main(arguments: Sequence[str]) -> int:
    """Run the job; return 0 when all results are the same."""
    parser = argparse.ArgumentParser(prog="tethermap reproduce", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of a finished job")
    parser.add_argument("--source", nargs="*", default=[], help="its mirror, or its files")
    parser.add_argument("--components", help="its own component definitions")
    parser.add_argument("--validation", help="its folder of validation reports")
    parser.add_argument("--affinity", nargs="*", default=[], help="its tables of affinities")
    parser.add_argument("--degraders", nargs="*", default=[], help="its tables of published degraders")
    output = "folder of the rerun (default: NAME-again next to it); one that is complete is only compared"
    parser.add_argument("--output", type=Path, help=output)
    parser.add_argument("--cores", type=cores, default=os.cpu_count() or 1, help="processes at once (%(default)s)")
    given = parser.parse_args(arguments)
    job = expanded(given.folder).absolute()
    again = expanded(given.output or job.with_name(f"{job.name}-again")).absolute()
    if not (job / layout.MANIFEST).is_file():
        raise UserError(f"{job} is no folder of a finished job: it has no {layout.MANIFEST}.")
    if again.resolve() == job.resolve():
        raise UserError(f"--output {again} is the job to compare with: give another folder.")
    settings = configuration(job, vars(given)) | {"result_cache_mb": 0}  # it may have the results of this job
    try:
        command = snakemake_command(again, settings, given.cores)
    except OSError as error:
        raise UserError(f"The folder {again} can't be written ({error.strerror}): give another --output.") from error
    if status := subprocess.run(command, check=False).returncode:
        return status
    others = differing(job, again)
    for path in others:
        sys.stdout.write(f"differs: {path}\n")
    sys.stdout.write(f"{len(others)} result files differ.\n" if others else "All result files are the same.\n")
    return 1 if others else 0


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _absolute(place: str) -> str:
    return str(expanded(place).absolute())
