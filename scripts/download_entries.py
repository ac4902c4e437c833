"""Get the structure file of each entry of a shard, checked, with its checksum and revision."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("download_entries", snakemake)
