"""Finish a job: link, log, removal of what no step wrote, manifest; fail it on a program error."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from scripts.lib import layout, tables
from scripts.lib.atomic import replacing, write_parts, write_text
from scripts.lib.check.status import entry_rows
from scripts.lib.errors import UserError
from scripts.lib.results.crate import crate_text
from scripts.lib.results.manifest import VARYING, Tally, manifest_parts
from scripts.lib.run.job_log import job_log_text
from scripts.lib.tables import FILES, Row

_SNAKEFILE = Path(__file__).resolve().parents[3] / "Snakefile"

log = logging.getLogger(__name__)

SHARED_FOLDERS = (layout.WAR_PDB, layout.MCS_SDF, layout.MCS_SVG, layout.SERIES_FOLDER)
"""Folders into which many steps write; what none of them lists comes from an earlier run."""


def write_manifest(job: Path, shards: Sequence[str], manifest: Path, *, settings: Mapping[str, Any]) -> None:
    """Write the manifest and what goes with it.

    Parameters
    ----------
    job : Path
        The job folder.
    shards : sequence of str
        Numbers of its shards.
    manifest : Path
        The file to write, last of all.
    settings : mapping
        What it says of the job's settings, `scripts.lib.config.shown`.

    Raises
    ------
    UserError
        If a check failed that only an error in this program can make fail; the report names all.
    """
    listed = {str(row["path"]): row for shard in shards for row in _shard_rows(job, shard, "files", FILES)}
    for path in _series_files(job):
        listed[path] = _file_row(job, path)
    _remove_unlisted(job, listed)
    tally = _count(job, shards)
    _refuse_program_errors(tally)
    link(job / layout.RESULTS_DISPLAY, job / layout.RESULTS_DISPLAY_LINK)
    single = [table.path for table in tables.RESULT_TABLES]
    single += [layout.RESULTS_DISPLAY_LINK, layout.LIGANDS_SDF, layout.REPORT, layout.SEARCH_ENTRIES, layout.WORKFLOW]
    write_text(job / layout.WORKFLOW, _SNAKEFILE.read_text(encoding="utf-8"))
    for path in single:
        listed[path] = _file_row(job, path)
    series = sum(1 for _ in tables.read_table(job / layout.SERIES_TABLE, tables.SERIES))
    write_text(job / layout.JOB_LOG, job_log_text(job))
    date = str(json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["date"])
    write_text(job / layout.CRATE, crate_text(settings, date, listed))
    files = [listed[path] for path in sorted(listed) if path not in VARYING]
    write_parts(manifest, manifest_parts(settings, tally, series, files))


def _shard_rows(job: Path, shard: str, name: str, table: tables.Table) -> Iterator[Row]:
    return tables.read_table(job / layout.shard_file(shard, name), table)


def _series_files(job: Path) -> list[str]:
    """Return the depictions that are there of the series and their ligands in the tables.

    A series has ``S001.svg`` and for each ligand ``S001_LIG.svg``, with a number for a second of its name.
    """
    results = tables.read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE)
    pairs = {(str(row["series"]), str(row["Warhead"])) for row in results if row["series"]}
    names = {series for series, _ in pairs} | {f"{series}_{code}" for series, code in pairs}
    folder = job / layout.SERIES_FOLDER
    paths = sorted(path for path in folder.glob("*.svg")) if folder.is_dir() else []
    return [f"{layout.SERIES_FOLDER}/{path.name}" for path in paths if path.stem.partition("-")[0] in names]


def _file_row(job: Path, path: str) -> Row:
    data = hashlib.sha256()
    with (job / path).open("rb") as stream:
        while block := stream.read(1 << 20):
            data.update(block)
    return {"path": path, "sha256": data.hexdigest(), "bytes": (job / path).stat().st_size}


def _remove_unlisted(job: Path, listed: Collection[str]) -> None:
    """Remove files of the shared folders that no step of this run wrote; links are not followed."""
    _remove_unlisted_inputs(job, listed)
    for folder in SHARED_FOLDERS:
        if not (job / folder).is_dir():
            continue
        for entry in os.scandir(job / folder):
            path = f"{folder}/{entry.name}"
            if path not in listed and entry.is_file(follow_symlinks=False):
                log.info("%s is of an earlier run and removed", path)
                (job / path).unlink()


def _remove_unlisted_inputs(job: Path, listed: Collection[str]) -> None:
    """Do the same below the folder of inputs, each ligand's in its own, and remove the folders left empty."""
    for place, _, names in os.walk(job / layout.PROTAC_FOLDER, topdown=False):
        folder = Path(place).relative_to(job).as_posix()
        for name in names:
            path = f"{folder}/{name}"
            if path not in listed and path != layout.PROTAC_INPUTS and not (job / path).is_symlink():
                log.info("%s is of an earlier run and removed", path)
                (job / path).unlink()
        if folder != layout.PROTAC_FOLDER:
            with suppress(OSError):  # not empty
                Path(place).rmdir()


def _count(job: Path, shards: Sequence[str]) -> Tally:
    tally = Tally()
    tally.count_status(
        tables.read_table(job / layout.ENTRY_STATUS, tables.ENTRY_STATUS),
        tables.read_table(job / layout.LIGAND_STATUS, tables.LIGAND_STATUS),
    )
    tally.count_results(tables.read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE))
    for shard in shards:
        tally.count_checks(_shard_rows(job, shard, "checks", tables.CHECKS))
    tally.count_checks([_entry_rows(job)])
    return tally


def _entry_rows(job: Path) -> Row:
    """Check that no entry got lost between the search and the tables."""
    searched = tables.read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES)
    told = tables.read_table(job / layout.ENTRY_STATUS, tables.ENTRY_STATUS)
    asked = ([str(row["requested_id"] or row["pdb_id"]) for row in rows] for rows in (searched, told))
    return entry_rows(*asked).row("")


def _refuse_program_errors(tally: Tally) -> None:
    if fatal := tally.fatal:
        first = fatal[0]
        raise UserError(
            f"{len(fatal)} of the job's checks on itself failed, which is an error in Tethermap: the first is"
            f" {first['check']} of {first['stem']} ({first['detail']}). {layout.REPORT} lists them all; please"
            " report it.",
            kind="pipeline",
        )


def link(target: Path, name: Path) -> None:
    """Give a file a second name: a hard link, or a copy where the file system has none."""
    with replacing(name) as temporary:
        try:
            os.link(target, temporary)
        except OSError:
            shutil.copyfile(target, temporary)
