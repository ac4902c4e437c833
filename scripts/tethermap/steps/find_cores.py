"""Find the cores of a shard's series, draw their ligands aligned on them, and describe these."""

import hashlib
from collections.abc import Sequence
from functools import partial

from tethermap.base import layout
from tethermap.base.records import ArchivePart, read_records
from tethermap.run.program_errors import InstanceId, LeftOut, without_failing
from tethermap.run.shard_step import ShardStep
from tethermap.run.task import Task


def make(task: Task) -> None:
    """Write rows, instances, ligands and pictures of a shard's series, without ligands on which that fails."""
    from tethermap.series.cores import SeriesResults, series_results
    from tethermap.series.ligands import Series, read_series

    seconds = float(task.settings["seconds"])
    plan = list(read_series(read_records(ArchivePart(task.job / layout.SERIES_PLAN, task.shard))))
    with ShardStep(task, task.cache(seconds), of_entries=False) as step:

        def compute(series: Series) -> None:
            found: list[SeriesResults] = []

            def find(left_out: LeftOut) -> None:
                left = series.without(frozenset(left_out))
                found[:] = [series_results(left, seconds, draws=task.draws)] if left.ligands else []

            ids = [InstanceId("", stem, components) for stem, components in series.instances]
            for row in without_failing(task.step.name, lambda: ids, find):
                step.forget()
                step.add("errors", row)
            for results in found:
                if results.row is not None:
                    step.add("series", results.row)
                step.add_all("ligands", results.ligands)
                step.add_all("members", results.members)
                for path, picture in results.pictures.items():
                    step.write(path, picture)

        for series, records in plan:
            stems = [stem for stem, _ in series.instances]
            step.entry(series.name, partial(_digest, records), partial(compute, series), stems=stems)


def _digest(records: Sequence[bytes]) -> str:
    return hashlib.sha256(b"".join(records)).hexdigest()
