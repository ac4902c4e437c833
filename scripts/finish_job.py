"""Finish a job: report, removal of what no step wrote, manifest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.tables import ENTRY_STATUS, LIGAND_STATUS, Row, read_table
from tethermap.report.write import write_report
from tethermap.results.finish import mark_errors, write_manifest
from tethermap.run.logs import logged_to
from tethermap.run.program_errors import InstanceId, LeftOut, instances_of, without_failing


def main(job: Path, checks: Sequence[Path], manifest: Path, *, settings: Mapping[str, Any]) -> None:
    """Write the report and, last of all, the manifest, both but for ligands on which that fails.

    Parameters
    ----------
    job : Path
        The job folder.
    checks : sequence of Path
        Outcome of the checks of each shard.
    manifest : Path
        The file to write; the report goes to its place in the job folder.
    settings : mapping
        What they say of the job's settings, `tethermap.base.config.shown`.
    """
    shards = [path.parent.name for path in checks]
    found: list[Row] = []

    def report(left_out: LeftOut) -> None:
        write_report(job, checks, job / layout.REPORT, settings=settings, left_out=left_out.keys())

    def finish(left_out: LeftOut) -> None:
        errors = [*found, *left_out.values()]
        write_manifest(job, shards, manifest, settings=settings, errors=errors, left_out=left_out.keys())

    def members() -> list[InstanceId]:
        entries = [InstanceId(str(row["pdb_id"])) for row in read_table(job / layout.ENTRY_STATUS, ENTRY_STATUS)]
        return list(dict.fromkeys([*entries, *instances_of(read_table(job / layout.LIGAND_STATUS, LIGAND_STATUS))]))

    found += without_failing("finish_job", members, report)
    mark_errors(job, found)
    if late := without_failing("finish_job", members, finish):
        mark_errors(job, late)
        finish({str(row["stem"] or row["pdb_id"]): row for row in late})


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            Path(),
            [Path(path) for path in snakemake.input.checks],
            Path(snakemake.output.manifest),
            settings=snakemake.params.settings,
        )
