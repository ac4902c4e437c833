# Settings and helpers of all rules, for a run and for a module of another workflow: nothing of the process is changed.
import json
import os
import sys
from pathlib import Path

from snakemake.settings.types import DeploymentMethod

HERE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent

# Last, as for scripts: an installed package comes first.
sys.path.append(f"{HERE}/scripts")
from tethermap.base.root import ROOT

sys.path.pop()

if (HERE / "scripts").is_dir() and HERE.resolve() != ROOT:
    sys.exit(
        f"Tethermap: this Python environment belongs to another copy of Tethermap, {ROOT}:"
        f" use the one that make sets up in {HERE}."
    )

import yaml

from tethermap.base import layout
from tethermap.base.config import FOLDER, resolve
from tethermap.base.errors import UserError
from tethermap.run.logs import record_error
from tethermap.run.settings import file_states
from tethermap.run.steps import STEP, load

if DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method:
    os.environ.setdefault("TETHERMAP_ROOT", str(HERE))  # for environment.post-deploy.sh


def refuse(error):
    """End with one sentence, which is left in the job folder too if the run is that of a job."""
    if workflow.modifier.is_main_snakefile():
        record_error(error.message, step="", kind=error.kind)
    sys.exit(f"Tethermap: {error.message}")


without_settings = not config
try:  # without settings, use the demo settings, for tools that only read the rules
    given = resolve(
        config or yaml.safe_load((FOLDER / "demo.yaml").read_text(encoding="utf-8"))
    )
except UserError as error:
    refuse(error)


# Lookup of resources for the rules; the Snakefile removes it before scripts get the config. It is small because `lookup`
# walks through all of it at each call.
config = {name: given[name] for name in ("resources", "shards", "result_cache_mb")}


# Content of Snakemake's report, by category, besides the depictions of exits.
TABLES = (
    layout.RESULTS_DISPLAY,
    layout.EXIT_ANSWERS,
    layout.OBSERVED_EXITS,
    layout.LIGAND_METADATA,
    layout.ENTRY_STATUS,
    layout.LIGAND_STATUS,
)
CATEGORIES = {layout.REPORT: "Report", **dict.fromkeys(TABLES, "Tables")}


wildcard_constraints:
    shard=r"\d+",


def refuse_without_settings(wildcards):
    """Refuse a job without any settings; the search needs no files."""
    if without_settings:
        sys.exit(
            "Tethermap: no settings are given: name the job's file with --configfile (config/README.md)."
        )
    return []


def reads(name):
    """Return what a step reads: of its shard, or of all once the checkpoint has divided the entries."""
    step = STEP[name]
    others = [ancient(path) for path in step.ahead]
    if step.parts:
        return [*step.inputs(["{shard}"], given), *others]
    others += step.user_files(given)
    return lambda wildcards: [*step.inputs(shards(wildcards), given), *others]


def writes(name):
    """Return the files that a step writes."""
    return STEP[name].outputs("{shard}")


def step_settings(name):
    """Return a step's settings; as a function, lest Snakemake takes their braces for wildcards.

    Snakemake compares the values of a rule's params without their names: this is the only one.
    """
    value = load(STEP[name].settings)(given)
    if states := file_states(Path(), name, given):
        value = {**value, "files": states}
    return lambda wildcards: value


def planned_cores():
    """Return how many processes the run may have at once: cores here, jobs on a cluster."""
    available = workflow.resource_settings
    return available.cores or available.nodes or 1


def shards(wildcards):
    """Return the names of all shards, known once the checkpoint has divided the entries."""
    plan = Path(checkpoints.search_entries.get().output[0])
    return sorted(json.loads(plan.read_text(encoding="utf-8")), key=int)


def shown(path):
    """Return a result file as Snakemake's report shows it; others as they are."""
    if path not in CATEGORIES:
        return path
    labels = {"target": target_label(), "file": Path(path).name}
    return report(path, category=CATEGORIES[path], labels=labels)


def target_label():
    """Return the name of the target as a label of Snakemake's report, in which braces would be wildcards."""
    return given["target_name"].translate({ord("{"): "(", ord("}"): ")"})
