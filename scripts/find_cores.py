"""Find the cores of the series of one shard."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("find_cores", snakemake)
