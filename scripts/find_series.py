"""Group the ligands of a job into series, find their cores, and describe each ligand."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from tethermap.base import layout
from tethermap.base.records import named_records, unpacked
from tethermap.base.tables import Row
from tethermap.run.logs import logged_to
from tethermap.run.program_errors import InstanceId, LeftOut, without_failing
from tethermap.steps.cache import step_cache
from tethermap.steps.whole import repeat_or_compute


def main(
    molecules: Sequence[Path],
    series: Path,
    members: Path,
    ligands: Path,
    folder: Path,
    *,
    seconds: float,
    errors: Path | None = None,
) -> list[Row]:
    """Write the series of a job but for ligands on which that fails; see `tethermap.series.write.write_series`.

    Parameters
    ----------
    errors : Path or None
        Written: the ligands on which the step fails, which are returned too.
    """
    from tethermap.series.write import write_series  # RDKit, needed for new ligands only

    def write(left_out: LeftOut) -> None:
        write_series(molecules, series, members, ligands, folder, seconds=seconds, left_out=left_out.keys())

    def instances() -> list[InstanceId]:
        records = chain.from_iterable(map(named_records, molecules))
        return [InstanceId("", stem, unpacked(record)[0]["component_names"]) for stem, record in records]

    return without_failing("find_series", instances, write, errors)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    molecules = [Path(path) for path in snakemake.input.molecules]
    told = {name: Path(snakemake.output[name]) for name in ("series", "members", "ligands", "errors")}
    folder, seconds = Path(layout.SERIES_FOLDER), float(snakemake.params.seconds)
    with logged_to(snakemake.log[0]):
        repeat_or_compute(
            step_cache("find_series", seconds, snakemake.params.cache_dir, snakemake.resources.result_cache_mb),
            molecules,
            list(told.values()),
            partial(main, molecules, folder=folder, seconds=seconds, **told),
            folder,
        )
