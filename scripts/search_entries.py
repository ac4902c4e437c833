"""Find the entries of a job, with the reason for each rejected entry, and distribute the selected ones over shards."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("search_entries", snakemake)
