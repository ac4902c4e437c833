"""Merge what the shards found into the tables of the result folder."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from scripts.lib.results.searched import search_source
from scripts.lib.run.logs import logged_to
from scripts.lib.steps.cache import step_cache
from scripts.lib.steps.whole import repeat_or_compute


def main(job: Path, shards: Sequence[str], *, target_name: str, protac_inputs: Sequence[Path] = ()) -> None:
    """Write all tables and the one SDF of a job; see `scripts.lib.results.write.write_tables`."""
    from scripts.lib.results.write import write_tables  # RDKit, needed for new instances only

    write_tables(job, shards, target_name=target_name, protac_inputs=protac_inputs)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    shards = [Path(path).parent.name for path in snakemake.input.instances]
    target_name, source = snakemake.params.target_name, search_source(Path())
    known = step_cache(
        "build_tables", [target_name, source], snakemake.params.cache_dir, snakemake.resources.result_cache_mb
    )
    with logged_to(snakemake.log[0]):
        repeat_or_compute(
            known,
            list(map(Path, snakemake.input)),
            list(map(Path, snakemake.output)),
            partial(
                main,
                Path(),
                shards,
                target_name=target_name,
                protac_inputs=[Path(path) for path in snakemake.input.protac_inputs],
            ),
        )
