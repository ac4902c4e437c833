"""Find the entries of a job, the reason for each entry left out, and deal those taken into shards."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("search_entries", snakemake)
