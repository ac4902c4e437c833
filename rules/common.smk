# Settings, the environment of the scripts, the recording of the run, and helpers of all rules.
import _thread
import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)

import scripts

if Path(scripts.__file__).parents[1].resolve() != Path(workflow.basedir).resolve():
    sys.exit(
        f"Tethermap: this Python environment belongs to another copy of Tethermap, {Path(scripts.__file__).parents[1]}:"
        " use the one that make sets up beside this Snakefile."
    )

from scripts.lib import layout, recorded_search
from scripts.lib.atomic import remove_leftovers, remove_leftovers_of
from scripts.lib.config import NOT_COMPARED, resolve
from scripts.lib.environment import prepare_environment
from scripts.lib.errors import UserError
from scripts.lib.job_settings import record_settings, refuse_changed_settings
from scripts.lib.logs import record_error
from scripts.lib.progress import progress_file
from scripts.lib.progress_display import ProgressDisplay
from scripts.lib.run_recorder import RecordingHandler, RunRecorder
from scripts.lib.slurm_jobs import LOGS as SLURM_LOGS
from scripts.lib.slurm_jobs import cancel_slurm_jobs

prepare_environment(Path(workflow.basedir))

try:
    given = resolve(config)
    if workflow.is_main_process:
        refuse_changed_settings(Path(), given)
except UserError as error:
    record_error(error.message, step="", kind=error.kind)
    sys.exit(f"Tethermap: {error.message}")


# Each script is handed `config`: without the recorded search and the entries named, which only the search needs
# and which grow with the job.
config = {key: value for key, value in given.items() if key != recorded_search.KEY}
config["filters"] = {
    key: value for key, value in given["filters"].items() if key != "entries"
}


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


def lift_rate_limit():
    """Lift Snakemake's default limit of 100 new jobs a second; a limit that the user gives stays.

    No run of ours comes near it, but with a limit every job that ends makes the scheduler look at all
    waiting jobs once more in each second to come: time that grows with the square of the jobs.
    """
    limiter = workflow.scheduler.job_rate_limiter
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def end_when_asked():
    """Let Snakemake's handler of SIGTERM run in a thread of its own.

    It takes a lock of the scheduler, which the main thread holds while it looks after jobs that have ended:
    interrupted there, it would wait for itself.
    """
    end = workflow.scheduler.exit_gracefully
    if signal.getsignal(signal.SIGTERM) == end:
        signal.signal(signal.SIGTERM, lambda *_: _thread.start_new_thread(end, ()))


def begin_run():
    """Clear away what an earlier run left when it was stopped, and remember this run's settings."""
    lift_rate_limit()
    end_when_asked()
    if Path(SLURM_LOGS).is_dir():  # its jobs on the cluster may still write
        cancel_slurm_jobs(Path.cwd())
    Path(layout.ERROR).unlink(missing_ok=True)
    for folder in (layout.WORK, layout.RESULTS, "search", "logs"):
        remove_leftovers(Path(folder))
    for name in layout.ROOT_FILES:  # beside them others may write, such as a service
        remove_leftovers_of(Path(name))
    record_settings(Path(), given)


def end_run():
    """Forget the error of a step that succeeded when it was tried again."""
    Path(layout.ERROR).unlink(missing_ok=True)


def text_setting(dpath):
    """Look up a setting of free text, whose braces Snakemake would otherwise take for wildcards."""
    value = lookup(dpath=dpath, within=config)
    return lambda wildcards: value


def result_settings(wildcards):
    """Return the settings that can change results: scripts take them whole, a change runs them again."""
    return {key: value for key, value in config.items() if key not in NOT_COMPARED}


def source_settings(wildcards):
    """Return the settings for steps that ask the source: those of results and the cache's place."""
    return {**result_settings(wildcards), "cache_dir": config["cache_dir"]}


def search_settings(wildcards):
    """Return the settings for the search: those for its source and, in a rerun, what was found before."""
    whole = {key: given[key] for key in ("filters", recorded_search.KEY)}
    return {**source_settings(wildcards), **whole}


def planned_cores():
    """Return how many processes the run may have at once: cores here, jobs on a cluster."""
    available = workflow.resource_settings
    return available.cores or available.nodes or 1


def shards(wildcards):
    """Return the names of all shards, known once the checkpoint has divided the entries."""
    plan = Path(checkpoints.plan_shards.get().output.plan)
    return sorted(json.loads(plan.read_text(encoding="utf-8")), key=int)


def of_all_shards(name):
    """Return an input function for one kind of intermediate of all shards."""

    def paths(wildcards):
        return [layout.shard_file(shard, name) for shard in shards(wildcards)]

    return paths


attach_recorder()
