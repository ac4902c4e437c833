"""Finish a job: link, log, removal of files that no step wrote, manifest."""

import hashlib
import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tethermap.base import layout, tables
from tethermap.base.atomic import read_json, replacing, write_parts, write_text
from tethermap.base.errors import PROGRAM_ERROR
from tethermap.base.identifiers import short_code
from tethermap.base.parquet import PARQUET_TABLES, write_parquet
from tethermap.base.records import part
from tethermap.base.root import ROOT
from tethermap.base.tables import FILES, Row, Value, read_table, split_cell
from tethermap.results.crate import crate_text
from tethermap.results.manifest import VARYING, Tally, manifest_parts
from tethermap.results.merging import entry_key, ligand_status_key, merge
from tethermap.run.job_log import job_log_text
from tethermap.run.program_errors import InstanceId, StatusCorrector, but_for, error_row
from tethermap.selfcheck.outcome import CheckOutcome, entry_rows, tallied

_SNAKEFILE = ROOT / "Snakefile"

log = logging.getLogger(__name__)

MOST_TOLD = 100
"""Maximum number of problems that are reported at the end of a run; the tables and the manifest contain all."""


def write_manifest(
    job: Path, shards: Sequence[str], *, settings: Mapping[str, Any], errors: Sequence[Row], left_out: AbstractSet[str]
) -> None:
    """Write the manifest, last of all, and its companion files.

    Parameters
    ----------
    job : Path
        The job folder.
    shards : sequence of str
        Numbers of its shards.
    settings : mapping
        Settings of the job from `tethermap.base.config.shown`.
    errors : sequence of Row
        Errors of all steps in single ligands and entries, rows of `tables.ERRORS`.
    left_out : set of str
        Instances and entries that are not counted.
    """
    errors = [*errors, *_entries_left_out(job, {row["pdb_id"] for row in errors})]
    kept = _kept_stems(job) if errors else set()
    lost = {str(row["stem"]) for row in errors if row["stem"]} - kept
    lists = (read_table(part(job, shard, "check_results/files"), FILES) for shard in shards)
    listed: dict[str, Row] = {str(row["path"]): row for rows in lists for row in rows}
    for path in [path for path in listed if lost and layout.stem_of_file(path) in lost]:
        del listed[path]
    listed.update(_series_files(job, shards, left_out))
    _remove_unlisted(job, listed)
    tally = _count(job, shards, errors, left_out)
    link(job / layout.RESULTS_DISPLAY, job / layout.RESULTS_DISPLAY_LINK)
    single = [
        layout.DATA_DICTIONARY,
        layout.RESULTS_DISPLAY_LINK,
        layout.LIGANDS_SDF,
        layout.REPORT,
        layout.SEARCH_ENTRIES,
    ]
    pages = len(list((job / layout.REPORT_PAGES).glob("*")))
    single += [layout.WORKFLOW, *map(layout.report_page, range(2, 2 + pages))]
    made = (table for table in PARQUET_TABLES if table in tables.RESULT_TABLES or (job / table.path).is_file())
    single += [path for table in made for path in (table.path, table.parquet)]
    write_text(job / layout.WORKFLOW, _SNAKEFILE.read_text(encoding="utf-8"))
    listed |= {path: file_row(job, path) for path in single}
    series = sum(1 for _ in read_table(job / layout.SERIES_TABLE, tables.SERIES))
    problems = chain(_problems(tally, errors, kept), _of_definitions(job))
    write_text(job / layout.PROBLEMS, json.dumps(list(islice(problems, MOST_TOLD))))
    write_text(job / layout.JOB_LOG, job_log_text(job))
    _link_pictures(job)
    date = str(json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["date"])
    write_text(job / layout.CRATE, crate_text(settings, date, listed))
    files = [listed[path] for path in sorted(listed) if path not in VARYING]
    write_parts(job / layout.MANIFEST, manifest_parts(settings, tally, series, files))


def mark_errors(job: Path, errors: Sequence[Row]) -> None:
    """Mark the ligands and entries on which its last step has failed in the status tables of a job."""
    if errors:
        status = StatusCorrector(errors, _kept_stems(job))
        for table, key, changed in (
            (tables.LIGAND_STATUS, ligand_status_key, status.ligand),
            (tables.ENTRY_STATUS, entry_key, status.entry),
        ):
            merge([job / table.path], job / table.path, table, key, changed=changed)
        write_parquet(job, (tables.LIGAND_STATUS, tables.ENTRY_STATUS))


def _entries_left_out(job: Path, listed: AbstractSet[Value]) -> list[Row]:
    """Return the errors of entries that only their status records: those of the search and the download."""
    names = ("pdb_id", "reason", "value")
    entries = read_table(job / layout.ENTRY_STATUS, tables.ENTRY_STATUS, names=names)
    failed = (row for row in entries if row["reason"] == PROGRAM_ERROR and row["pdb_id"] not in listed)
    return [error_row(InstanceId(str(row["pdb_id"])), str(row["value"])) for row in failed]


def _kept_stems(job: Path) -> set[str]:
    """Return the instances that have results."""
    results = tables.RESULTS_TABLE
    return {str(row["stem"]) for row in read_table(job / results.path, results, names={"stem"})}


def _problems(tally: Tally, errors: Iterable[Row], kept: AbstractSet[str]) -> Iterator[str]:
    """Yield a sentence on each ligand and entry that met an error of this program, and one on checks that failed."""
    for row in errors:
        name = str(row["stem"] or f"{row['pdb_id']} {row['ligand'] or ''}").strip()
        ending = "the results of other steps were written" if row["stem"] in kept else "it was left out"
        yield f"{name}: an error of this program ({row['value']}); {ending}."
    if failures := [row for row in tally.failures if row["check"] != "processed"]:
        first = failures[0]
        yield (
            f"{len(failures)} checks of the job on its own files failed, the first is {first['check']} of"
            f" {first['stem'] or 'the job'} ({first['detail']}): see self_check in {layout.MANIFEST}."
        )


def _of_definitions(job: Path) -> Iterator[str]:
    """Yield a sentence on each definition that does not fit its ligand or that no structure needs."""
    results = read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE, names={"Warhead", "flags"})
    unfit = Counter(str(row["Warhead"]) for row in results if "definition_unused" in split_cell(row["flags"]))
    for code, count in sorted(unfit.items()):
        yield f"The given definition of {code} does not fit its atoms and is not used ({count} of its molecules)."
    settings = read_json(job / layout.SETTINGS) or {"source": {}}  # none in a module of another workflow
    given = Path(settings["source"].get("components") or "")
    if given.parent != job / layout.WORK:  # tables for many jobs have more than a job needs
        return
    rows = read_table(job / layout.LIGAND_STATUS, tables.LIGAND_STATUS, names={"components"})
    found = {code for row in rows for code in str(row["components"]).split("+")}
    for line in given.read_text(encoding="utf-8").splitlines():
        code = line.partition(",")[0]  # a further column may follow the SMILES
        if short_code(code.upper()) not in map(str.upper, found):
            yield f"No structure has the ligand {code}; ligands: {', '.join(sorted(found)) or 'none'}."


def _series_files(job: Path, shards: Sequence[str], left_out: AbstractSet[str]) -> dict[str, Row]:
    """Return the depictions by path of the series and their ligands in the tables.

    A series has ``S001.svg``, and each ligand ``S001_LIG.svg``, with a number if its name occurs twice.
    """
    names = {"series", "Warhead", "stem", "pdb_id"}
    results = read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE, names=names)
    pairs = {(str(row["series"]), str(row["Warhead"])) for row in but_for(results, left_out) if row["series"]}
    drawn = {series for series, _ in pairs} | {f"{series}_{code}" for series, code in pairs}
    lists = (read_table(part(job, shard, "find_cores/files"), FILES) for shard in shards)
    rows = {str(row["path"]): row for rows in lists for row in rows}
    return {path: row for path, row in rows.items() if Path(path).stem.partition("-")[0] in drawn}


def _link_pictures(job: Path) -> None:
    """Link the folder of depictions into a separate one, which Snakemake's report takes as this step's output."""
    folder = job / layout.PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    (folder / "svg").symlink_to(f"../../{layout.MCS_SVG}")


def file_row(folder: Path, path: str) -> Row:
    """Return the row of `tables.FILES` of a file, whose path is relative to the folder."""
    with (folder / path).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"path": path, "sha256": digest, "bytes": (folder / path).stat().st_size}


def _remove_unlisted(job: Path, listed: Collection[str]) -> None:
    """Remove files of an earlier run from the folders of results, and empty folders of inputs for other programs."""
    folders = [(folder, names) for folder in layout.SHARED_FOLDERS for _, _, names in islice(os.walk(job / folder), 1)]
    inputs = os.walk(job / layout.PROTAC_FOLDER, topdown=False)
    folders += [(Path(place).relative_to(job).as_posix(), names) for place, _, names in inputs]
    for folder, names in folders:
        for name in names:
            path = f"{folder}/{name}"
            if path not in listed and path != layout.PROTAC_INPUTS and not (job / path).is_symlink():
                log.info("%s is of an earlier run and removed", path)
                (job / path).unlink()
        if folder.startswith(f"{layout.PROTAC_FOLDER}/"):
            with suppress(OSError):  # not empty
                (job / folder).rmdir()


def _count(job: Path, shards: Sequence[str], errors: Iterable[Row], left_out: AbstractSet[str]) -> Tally:
    def rows(table: tables.Table, *names: str) -> Iterable[Row]:
        return but_for(read_table(job / table.path, table, names={"pdb_id", "stem", *names}), left_out)

    components: Counter[str] = Counter()
    bond_sources: Counter[str] = Counter()
    for row in rows(tables.RESULTS_TABLE, "Warhead", "bond_source"):
        components[str(row["Warhead"])] += 1
        bond_sources[str(row["bond_source"])] += 1
    entries, ligands = (_reasons(rows(table, "reason")) for table in (tables.ENTRY_STATUS, tables.LIGAND_STATUS))
    of_shards = (read_table(part(job, shard, "check_results/checks"), tables.CHECKS) for shard in shards)
    checks = but_for(chain.from_iterable(of_shards), left_out)
    return Tally(
        entries, ligands, components, bond_sources, *tallied(_with_errors(chain(checks, [_entry_rows(job)]), errors))
    )


def _reasons(rows: Iterable[Row]) -> Counter[str]:
    return Counter(str(row["reason"]) for row in rows)


def _with_errors(checks: Iterable[Row], errors: Iterable[Row]) -> Iterator[Row]:
    """Yield checks, and a failed one of each ligand and entry that met an error of this program after them."""
    counted = set()
    for row in checks:
        yield row
        if row["check"] == "processed" and row["passed"] is not True:
            counted.add(row["stem"])
    for row in errors:
        if (name := str(row["stem"] or row["pdb_id"])) not in counted:
            yield CheckOutcome("processed", False, "", str(row["value"])).row(name)
            counted.add(name)


def _entry_rows(job: Path) -> Row:
    """Check that no entry got lost between the search and the tables."""
    names = {"pdb_id", "requested_id"}
    searched = read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES, names=names)
    statuses = read_table(job / layout.ENTRY_STATUS, tables.ENTRY_STATUS, names=names)
    requested = ([str(row["requested_id"] or row["pdb_id"]) for row in rows] for rows in (searched, statuses))
    return entry_rows(*requested).row("")


def link(target: Path, name: Path) -> None:
    """Give a file a second name: a hard link, or a copy if the file system has no links."""
    with replacing(name) as temporary:
        try:
            os.link(target, temporary)
        except OSError:
            shutil.copyfile(target, temporary)
