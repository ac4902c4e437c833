# Settings, the environment of the scripts, the recording of the run, and helpers of all rules.
import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, f"{workflow.basedir}/scripts")

import tethermap

if Path(tethermap.__file__).parents[2].resolve() != Path(workflow.basedir).resolve():
    sys.exit(
        f"Tethermap: this Python environment belongs to another copy of Tethermap, {Path(tethermap.__file__).parents[2]}:"
        " use the one that make sets up beside this Snakefile."
    )

from tethermap.base import layout
from tethermap.base.atomic import remove_leftovers, remove_leftovers_of
from tethermap.base.config import resolve
from tethermap.base.errors import UserError
from tethermap.run.display import ProgressDisplay
from tethermap.run.software import prepare_environment
from tethermap.run.logs import INTERRUPTED, record_error
from tethermap.run.recorder import RecordingHandler, RunRecorder
from tethermap.run.settings import (
    record_settings,
    refuse_changed_settings,
    refuse_read_only,
)
from tethermap.run.slurm import LOGS as SLURM_LOGS
from tethermap.run.slurm import cancel_slurm_jobs
from tethermap.run.steps import STEP, load

prepare_environment(Path(workflow.basedir))

try:
    given = resolve(config)
    if workflow.is_main_process:
        refuse_read_only(Path())
        refuse_changed_settings(Path(), given)
except UserError as error:
    record_error(error.message, step="", kind=error.kind)
    sys.exit(f"Tethermap: {error.message}")


# What the rules look resources up in; the Snakefile takes it away from the scripts. `lookup` walks through all of it
# each time.
config = {name: given[name] for name in ("resources", "shards", "result_cache_mb")}


wildcard_constraints:
    shard=r"\d+",


def attach_recorder():
    """Record the run's events and show progress, unless the logger plugin does it."""
    settings = workflow.output_settings
    if (
        settings.dryrun
        or not workflow.is_main_process
        or "tethermap" in settings.log_handler_settings
    ):
        return
    quiet = {str(name) for name in settings.quiet or ()} & {"all", "progress"}
    display = None if quiet else ProgressDisplay(sys.stderr, live=False)
    workflow.logger_manager.logger.addHandler(RecordingHandler(RunRecorder(display)))


def tell_interruption():
    """Leave the reason when somebody interrupts the run, before Snakemake stops it."""
    stop = signal.getsignal(signal.SIGINT)

    def interrupted(*arguments):
        record_error(INTERRUPTED, step="", kind="interrupted")
        if callable(stop):
            stop(*arguments)

    signal.signal(signal.SIGINT, interrupted)


def fork_scripts():
    """Have scripts forked if the profile says so (`snakemake_logger_plugin_tethermap.fork_scripts`)."""
    settings = workflow.output_settings.log_handler_settings.get("tethermap")
    if settings is not None and settings.fork_scripts:
        from snakemake_logger_plugin_tethermap.fork_scripts import start

        start(workflow)


def begin_run():
    """Clear away what an earlier run left when it was stopped, and remember this run's settings."""
    tell_interruption()
    if Path(SLURM_LOGS).is_dir():  # its jobs on the cluster may still write
        cancel_slurm_jobs(Path.cwd())
    Path(layout.ERROR).unlink(missing_ok=True)
    for folder in (layout.WORK, layout.RESULTS, "search", "logs"):
        remove_leftovers(Path(folder))
    for name in layout.ROOT_FILES:  # beside them others may write, such as a service
        remove_leftovers_of(Path(name))
    record_settings(Path(), given)
    fork_scripts()


def end_run():
    """Forget the error of a step that succeeded when it was tried again."""
    Path(layout.ERROR).unlink(missing_ok=True)


def reads(name):
    """Return the files that a step reads: of its shard, or of all once the checkpoint has divided the entries."""
    step = STEP[name]
    if step.parts:
        return step.inputs(["{shard}"], given)
    return lambda wildcards: step.inputs(shards(wildcards), given)


def writes(name):
    """Return the files that a step writes."""
    return STEP[name].outputs("{shard}")


def step_settings(name):
    """Return a step's settings; as a function, lest Snakemake takes their braces for wildcards.

    Snakemake compares the values of a rule's params without their names: this is the only one.
    """
    value = load(STEP[name].settings)(given)
    return lambda wildcards: value


def planned_cores():
    """Return how many processes the run may have at once: cores here, jobs on a cluster."""
    available = workflow.resource_settings
    return available.cores or available.nodes or 1


def shards(wildcards):
    """Return the names of all shards, known once the checkpoint has divided the entries."""
    checkpoints.search_entries.get()
    plan = Path(layout.SHARD_PLAN)
    return sorted(json.loads(plan.read_text(encoding="utf-8")), key=int)


attach_recorder()
