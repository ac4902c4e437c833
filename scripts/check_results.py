"""Read back what one shard wrote and check it against the deposited entries."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("check_results", snakemake)
