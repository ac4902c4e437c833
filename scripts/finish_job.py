"""Finish a job: report, removal of what no step wrote, manifest; fail it on a program error."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.lib import layout
from scripts.lib.report.write import write_report
from scripts.lib.results.finish import write_manifest
from scripts.lib.run.logs import logged_to


def main(job: Path, checks: Sequence[Path], manifest: Path, *, settings: Mapping[str, Any]) -> None:
    """Write the report and, last of all, the manifest.

    Parameters
    ----------
    job : Path
        The job folder.
    checks : sequence of Path
        Outcome of the checks of each shard.
    manifest : Path
        The file to write; the report goes to its place in the job folder.
    settings : mapping
        What they say of the job's settings, `scripts.lib.config.shown`.

    Raises
    ------
    UserError
        If a check failed that only an error in this program can make fail; the report names all.
    """
    write_report(job, checks, job / layout.REPORT, settings=settings)
    write_manifest(job, [path.parent.name for path in checks], manifest, settings=settings)


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
