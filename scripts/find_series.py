"""Group the ligands of a job into series, find their cores, and describe each ligand."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from scripts.lib import layout
from scripts.lib.run.logs import logged_to
from scripts.lib.steps.cache import step_cache
from scripts.lib.steps.whole import repeat_or_compute


def main(
    molecules: Sequence[Path], series: Path, members: Path, ligands: Path, folder: Path, *, seconds: float
) -> None:
    """Write the series of a job; see `scripts.lib.series.write.write_series`."""
    from scripts.lib.series.write import write_series  # RDKit, needed for new ligands only

    write_series(molecules, series, members, ligands, folder, seconds=seconds)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    molecules = [Path(path) for path in snakemake.input.molecules]
    told = {name: Path(snakemake.output[name]) for name in ("series", "members", "ligands")}
    folder, seconds = Path(layout.SERIES_FOLDER), float(snakemake.params.seconds)
    with logged_to(snakemake.log[0]):
        repeat_or_compute(
            step_cache("find_series", seconds, snakemake.params.cache_dir, snakemake.resources.result_cache_mb),
            molecules,
            list(told.values()),
            partial(main, molecules, folder=folder, seconds=seconds, **told),
            folder,
        )
