"""Merge what the shards found into the tables of the result folder."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tethermap.base import layout
from tethermap.base.tables import ENTRIES, LIGAND_STATUS, Row, read_table
from tethermap.results.searched import search_source
from tethermap.run.logs import logged_to
from tethermap.run.program_errors import InstanceId, LeftOut, instances_of, without_failing
from tethermap.steps.cache import step_cache
from tethermap.steps.whole import repeat_or_compute


def main(job: Path, shards: Sequence[str], *, target_name: str, protac_inputs: Sequence[Path] = ()) -> list[Row]:
    """Write all tables and the one SDF of a job but for ligands on which that fails, which are returned.

    See `tethermap.results.write.write_tables`.
    """
    from tethermap.results.write import write_tables  # RDKit, needed for new instances only

    def write(left_out: LeftOut) -> None:
        write_tables(job, shards, target_name=target_name, protac_inputs=protac_inputs, left_out=left_out)

    def members() -> list[InstanceId]:
        paths = [job / layout.shard_file(shard, "ligand_status") for shard in shards]
        searched = [InstanceId(str(row["pdb_id"])) for row in read_table(job / layout.SEARCH_ENTRIES, ENTRIES)]
        found = [one for path in paths for one in instances_of(read_table(path, LIGAND_STATUS))]
        return list(dict.fromkeys([*searched, *found]))

    return without_failing("build_tables", members, write, job / layout.TABLES_ERRORS)


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
