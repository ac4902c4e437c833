"""Merge what the shards found into the tables of the result folder."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("build_tables", snakemake)
