"""Steps over the whole job: series, tables, report and manifest."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from pathlib import Path

from tethermap.base import layout
from tethermap.base.atomic import write_bytes
from tethermap.base.recorded_search import search_source
from tethermap.base.records import Source, named_records, unpacked
from tethermap.base.tables import ENTRIES, ENTRY_STATUS, LIGAND_STATUS, POSES, Row, read_table
from tethermap.run.cache import EntryResult, ResultCache
from tethermap.run.program_errors import InstanceId, LeftOut, instances_of, read_errors, without_failing
from tethermap.run.settings import write_job_config
from tethermap.run.task import Task


def find_series(task: Task) -> None:
    """Write the series of a job without ligands on which that fails; see `tethermap.series.write.write_series`."""
    plan, errors = task.outputs()
    molecules = list(task.parts("match_ligands/molecules"))

    def compute() -> list[Row]:
        from tethermap.series.write import write_series  # RDKit, needed for new ligands only

        def write(left_out: LeftOut) -> None:
            write_series(molecules, task.shards, plan, left_out=left_out.keys())

        def instances() -> list[InstanceId]:
            records = chain.from_iterable(map(named_records, molecules))
            return [InstanceId("", stem, unpacked(record)[0]["component_names"]) for stem, record in records]

        return without_failing(task.step.name, instances, write, errors)

    repeat_or_compute(task.cache(), task.sources(), task.outputs(), compute)


def build_tables(task: Task) -> None:
    """Write all tables and the one SDF of a job without ligands on which that fails.

    See `tethermap.results.write.write_tables`.
    """
    job, target_name = task.job, task.settings["target_name"]
    of_user = {name: task.settings[name] for name in ("affinity", "degraders")}

    def compute() -> list[Row]:
        from tethermap.results.write import write_tables  # RDKit, needed for new instances only

        def write(left_out: LeftOut) -> None:
            errors = [*read_errors([*task.parts("*/errors"), job / layout.SERIES_ERRORS]), *left_out.values()]
            inputs = task.parts("write_protac_inputs/protac_inputs")
            write_tables(
                job, task.shards, target_name=target_name, protac_inputs=inputs, errors=errors, left_out=left_out,
                **of_user,
            )  # fmt: skip

        def members() -> list[InstanceId]:
            searched = [InstanceId(str(row["pdb_id"])) for row in read_table(job / layout.SEARCH_ENTRIES, ENTRIES)]
            status = task.parts("clean_complexes/ligand_status")
            found = [one for path in status for one in instances_of(read_table(path, LIGAND_STATUS))]
            return list(dict.fromkeys([*searched, *found]))

        return without_failing(task.step.name, members, write, job / layout.TABLES_ERRORS)

    about = [target_name, search_source(job)]
    cache = None if any(of_user.values()) else task.cache(about)  # the user's tables may have millions of rows
    repeat_or_compute(cache, task.sources(), [*task.outputs(), job / POSES.path], compute)


def finish_job(task: Task) -> None:
    """Write tables as Parquet, the report and, last, the manifest; the last two without ligands on which that fails.

    Parquet is first, so that DuckDB's memory is free before the report is written.
    """
    from tethermap.base.parquet import write_parquet

    write_parquet(task.job)
    from tethermap.report.write import write_report
    from tethermap.results.finish import mark_errors, write_manifest

    job, settings = task.job, task.settings
    # A direct run has written them at its start, but a module has no start.
    write_job_config(job, {**settings, "shards": {"entries_per_shard": task.resources["entries_per_shard"]}})
    recorded = read_errors([*task.parts("*/errors"), job / layout.SERIES_ERRORS, job / layout.TABLES_ERRORS])
    found: list[Row] = []

    def report(left_out: LeftOut) -> None:
        checks = task.parts("check_results/checks")
        write_report(job, checks, settings=settings, left_out=left_out.keys())

    def finish(left_out: LeftOut) -> None:
        errors = [*recorded, *found, *left_out.values()]
        write_manifest(job, task.shards, settings=settings, errors=errors, left_out=left_out.keys())

    def members() -> list[InstanceId]:
        entries = [InstanceId(str(row["pdb_id"])) for row in read_table(job / layout.ENTRY_STATUS, ENTRY_STATUS)]
        return list(dict.fromkeys([*entries, *instances_of(read_table(job / layout.LIGAND_STATUS, LIGAND_STATUS))]))

    found += without_failing(task.step.name, members, report)
    mark_errors(job, found)
    if late := without_failing(task.step.name, members, finish):
        mark_errors(job, late)
        finish({str(row["stem"] or row["pdb_id"]): row for row in late})
    (job / layout.ERROR).unlink(missing_ok=True)  # left by an attempt that was repeated


def repeat_or_compute(
    cache: ResultCache | None, inputs: Iterable[Source], outputs: Sequence[Path], compute: Callable[[], Collection[Row]]
) -> None:
    """Run a step, or write its cached output for inputs of the same bytes.

    Parameters
    ----------
    cache : ResultCache or None
        Results of earlier jobs.
    inputs, outputs : iterable of Source, sequence of Path
        All inputs of the step and its possible outputs, in an order that is the same in each job.
    compute : callable
        Runs the step; returns the errors in single ligands, with which nothing is cached for other jobs.
    """
    if cache is None:
        compute()
        return
    key = cache.key(_digest(inputs))
    result = cache.get(key)
    if result is None:
        if compute():
            return
        written = {str(number): path for number, path in enumerate(outputs) if path.is_file()}
        if sum(path.stat().st_size for path in written.values()) <= cache.largest:
            cache.put(key, EntryResult(None, {number: path.read_bytes() for number, path in written.items()}))
        return
    for number, path in enumerate(outputs):
        if str(number) in result.streams:
            write_bytes(path, result.streams[str(number)])
        else:
            path.unlink(missing_ok=True)


def _digest(paths: Iterable[Source]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
