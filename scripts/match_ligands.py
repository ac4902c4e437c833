"""Turn the ligand instances of one shard into molecules."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("match_ligands", snakemake)
