"""What Snakemake itself costs, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

from tests.tools.patience import patience
from tests.tools.runs import ROOT

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


def test_run_that_is_asked_to_end_while_it_looks_after_a_job_ends(tmp_path: Path) -> None:
    settings = tmp_path / "job.yaml"
    settings.write_text(yaml.safe_dump({"target_name": "Demo", "search_query": "1hpv", "source": {"kind": "archive"}}))
    command = [sys.executable, "-c", _ENDED_WHILE_LOCKED, "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", str(settings), "--directory", str(tmp_path / "job"), "--cores", "1"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert "Will exit after finishing currently running jobs" in run.stderr
    assert run.returncode == 1
    assert (tmp_path / "job/search/entries.csv").exists()
    assert not (tmp_path / "job/job_result_manifest.json").exists()
