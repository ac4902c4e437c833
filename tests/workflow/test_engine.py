"""Cost and end of Snakemake."""

import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import yaml

from tests.tools.patience import patience, wait_until
from tests.tools.runs import LOCAL, ROOT, RunningJob, job_of
from tethermap.base import layout

_ENDED_WHILE_LOCKED = """
import os, signal, sys
from snakemake.cli import main
from snakemake.scheduling.job_scheduler import JobScheduler

finish = JobScheduler._finish_jobs


def finish_and_be_ended(scheduler):
    if scheduler._tofinish:
        assert scheduler._lock.locked()
        os.kill(os.getpid(), signal.SIGTERM)
    finish(scheduler)


JobScheduler._finish_jobs = finish_and_be_ended
main(sys.argv[1:])
"""
"""Snakemake that is asked to end just while it looks after a job that has ended."""

_TELLS_PROGRAMS = """
import os, sys
from snakemake.cli import main


def tell_program(event, arguments):
    if event == "subprocess.Popen":
        print("started", os.path.basename(os.fspath(arguments[0])))


sys.addaudithook(tell_program)
main(sys.argv[1:])
"""
"""Snakemake that prints the name of every program that it starts itself."""


def snakemake(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a job with a program around Snakemake."""
    settings = folder / "job.yaml"
    settings.write_text(yaml.safe_dump(job_of("Demo", "1hpv")))
    command = [sys.executable, "-c", code, "--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    command += ["--configfile", str(settings), "--directory", str(folder / "job"), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert (folder / "job/search/entries.csv").exists()
    return run


@pytest.mark.parametrize(("arguments", "solves"), [((), True), (LOCAL, False), ((*LOCAL, "--scheduler", "ilp"), True)])
def test_profile_skips_the_solver_unless_it_is_requested(
    tmp_path: Path, arguments: Sequence[str], *, solves: bool
) -> None:
    run = snakemake(tmp_path, _TELLS_PROGRAMS, "--until", "search_entries", *arguments)
    assert run.returncode == 0
    assert re.search("started (python|bash|sh)\\b", run.stdout)
    assert ("started cbc" in run.stdout) == solves


@pytest.mark.parametrize("arguments", [(), LOCAL], ids=["plain", "profile"])
def test_step_that_is_killed_is_named_and_so_is_the_likely_cause(tmp_path: Path, arguments: Sequence[str]) -> None:
    run = RunningJob(tmp_path / "job", job_of("x", "1hpv"), *arguments)

    def killed() -> bool:
        for process in psutil.Process(run.pid).children(recursive=True):
            with suppress(psutil.Error):
                if "clean_complexes" in f"{process.name()} {process.cmdline()}" and "sh" not in process.name():
                    process.kill()
                    return True
        return False

    wait_until(killed, 60, "clean_complexes to run")
    (*_, message) = run.wait().messages
    assert message == (
        "Tethermap: clean_complexes was killed from outside, for lack of memory perhaps; the end of its log is in"
        f" {layout.JOB_LOG}."
    )


def test_run_with_our_profile_that_is_asked_to_end_while_it_looks_after_a_job_ends(tmp_path: Path) -> None:
    run = snakemake(tmp_path, _ENDED_WHILE_LOCKED, *LOCAL, "--printshellcmds")
    assert "Will exit after finishing currently running jobs" in run.stderr
    assert run.returncode == 1
    assert not (tmp_path / "job/job_result_manifest.json").exists()
