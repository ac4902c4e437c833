"""Finish a job: report, removal of files that no step wrote, manifest."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("finish_job", snakemake)
