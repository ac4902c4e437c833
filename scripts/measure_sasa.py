"""Measure the exposure of the ligands of one shard, and rank their exits."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("measure_sasa", snakemake)
