"""Clean the entries of one shard: decide on every het group, write the complexes that are kept."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("clean_complexes", snakemake)
