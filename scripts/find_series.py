"""Group the ligands of a job into series, and describe each ligand."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("find_series", snakemake)
