"""Scripts forked from a process that has loaded their imports: the one module that changes Snakemake.

Snakemake starts a shell and in it Python for each script; the imports take longer than an entry. `rules/run.smk` calls
`start` if a profile sets ``logger-tethermap-fork-scripts``; otherwise Snakemake runs unchanged.
"""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from snakemake import benchmark
from snakemake.script import PythonScript

from tethermap.run.warm_scripts import AVAILABLE, WarmScripts

if TYPE_CHECKING:
    from snakemake.workflow import Workflow

_BENCHMARK_SECONDS = 2.0
"""A sample of a script's memory takes 10 ms, as it walks through all processes for children; Snakemake's default is
0.5 s."""


def start(workflow: Workflow) -> None:
    """Fork the scripts of a run, and save Snakemake repeated work, as its `onstart` hook."""
    _lift_rate_limit(workflow)
    _end_in_thread(workflow)
    if AVAILABLE:
        _fork_scripts()


def _lift_rate_limit(workflow: Workflow) -> None:
    """Lift Snakemake's default limit of 100 new jobs per second; a limit that the user sets is kept.

    With a limit, each job that ends makes the scheduler check all waiting jobs again a second later: the time grows
    with the square of the number of jobs. No option of Snakemake lifts it.
    """
    limiter = workflow.scheduler.job_rate_limiter
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def _end_in_thread(workflow: Workflow) -> None:
    """Run Snakemake's handler of SIGTERM in a separate thread.

    It acquires a lock of the scheduler that the main thread may own: called in the main thread, it would deadlock.
    """
    end = workflow.scheduler.exit_gracefully
    if signal.getsignal(signal.SIGTERM) == end:
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=end, daemon=True).start())


def _fork_scripts() -> None:
    warm, started = WarmScripts(), PythonScript.execute_script
    benchmark.BENCHMARK_INTERVAL_SHORT = _BENCHMARK_SECONDS
    atexit.register(warm.close)

    def execute_script(script: PythonScript, path: str, edit: bool = False) -> Any:
        elsewhere = script.conda_env or script.container_img or script.env_modules or script.shadow_dir
        status = None
        if not (edit or elsewhere or script.resources.get("shell_exec")):
            temporary = script.resources.get("tmpdir")  # Snakemake sets the same variables
            variables = dict.fromkeys(("TMPDIR", "TMP", "TEMPDIR", "TEMP"), temporary) if temporary else {}
            record = script.bench_record
            status = warm.run(path, variables, lambda pid: benchmark.benchmarked(pid if record else False, record))
        if status is None:
            started(script, path, edit=edit)
        elif status:
            raise CalledProcessError(status, f"{sys.executable} {path}")

    PythonScript.execute_script = execute_script
