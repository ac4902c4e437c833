# Tethermap: from a target name to cleaned, ligand-bound PDB structures. One run is one job:
#   snakemake --snakefile <here>/Snakefile --directory <job folder> --configfile <job.yaml> --cores 2
# or a job of another workflow: module, with its config and a prefix for its folder (config/README.md).
from snakemake.utils import min_version

min_version("9.27")


include: "rules/common.smk"


if workflow.modifier.is_main_snakefile():

    include: "rules/run.smk"


rule all:
    input:
        layout.MANIFEST,
    localrule: True


include: "rules/search.smk"
include: "rules/structures.smk"
include: "rules/ligands.smk"
include: "rules/exposure.smk"
include: "rules/exits.smk"
include: "rules/results.smk"


config = {}  # no script is handed what the rules have not looked up for it
