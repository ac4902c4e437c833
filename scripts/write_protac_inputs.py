"""Write inputs for programs that model degraders at the best exit sites of the ligands of one shard."""

from snakemake.iocontainers import Snakemake

from tethermap.run.task import run

if __name__ == "__main__":
    snakemake: Snakemake
    run("write_protac_inputs", snakemake)
