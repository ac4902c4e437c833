# Tethermap: from a target name to cleaned, ligand-bound PDB structures. One run is one job:
#   snakemake --snakefile <here>/Snakefile --directory <job folder> --configfile <job.yaml> --cores 2
from snakemake.utils import min_version

min_version("9.27")


include: "rules/common.smk"
include: "rules/search.smk"
include: "rules/structures.smk"
include: "rules/ligands.smk"
include: "rules/exposure.smk"
include: "rules/exits.smk"
include: "rules/results.smk"


localrules:
    all,
    search_entries,
    download_entries,
    build_tables,
    finish_job,


rule all:
    default_target: True
    input:
        layout.MANIFEST,


config = {}  # no script is handed what the rules have not looked up for it


onstart:
    begin_run()


onsuccess:
    end_run()
