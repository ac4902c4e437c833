# Additional actions of a standalone run: it owns the working folder, the process and its environment variables.
import signal

from tethermap.base.atomic import remove_leftovers, remove_leftovers_of
from tethermap.run.display import ProgressDisplay
from tethermap.run.logs import INTERRUPTED
from tethermap.run.recorder import RunRecorder
from tethermap.run.settings import (
    record_settings,
    refuse_changed_settings,
    refuse_read_only,
)
from tethermap.run.slurm import LOGS as SLURM_LOGS
from tethermap.run.slurm import cancel_slurm_jobs
from tethermap.run.software import prepare_environment

prepare_environment(HERE)

try:
    if workflow.is_main_process:
        refuse_read_only(Path())
        refuse_changed_settings(Path(), given)
except UserError as error:
    refuse(error)


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
    workflow.logger_manager.logger.addHandler(RunRecorder(display))


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


onstart:
    # Clear away what an earlier run left when it was stopped, and remember this run's settings.
    tell_interruption()
    if Path(SLURM_LOGS).is_dir():  # its jobs on the cluster may still write
        cancel_slurm_jobs(Path.cwd())
    Path(layout.ERROR).unlink(missing_ok=True)
    for folder in (layout.WORK, *layout.JOB_FOLDERS):
        remove_leftovers(Path(folder))
    # Other processes, such as a service, may write in the same folder.
    for name in layout.ROOT_FILES:
        remove_leftovers_of(Path(name))
    record_settings(Path(), given)
    fork_scripts()


attach_recorder()
