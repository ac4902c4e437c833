"""What Snakemake itself costs, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.tools.runs import ARCHIVE_IDS, ROOT, run_job

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


@pytest.mark.parametrize(("arguments", "limited"), [((), False), (("--max-jobs-per-timespan", "99/1s"), True)])
def test_scheduler_looks_at_waiting_jobs_when_one_has_ended(
    tmp_path: Path, arguments: tuple[str, ...], limited: bool
) -> None:
    """With a limit of new jobs in a second it does so every second, once for each job that has ended."""
    settings = {
        "target_name": "Demo",
        "search_query": "",
        "source": {"kind": "archive"},
        "filters": {"entries": list(ARCHIVE_IDS[:3])},
        "shards": {"entries_per_shard": 1},
    }
    lines = run_job(tmp_path / "job", settings, "--verbose", *arguments).checked().errors.splitlines()
    ended = sum(line.startswith("Finished jobid: ") for line in lines)
    looked = sum(line.startswith("Ready jobs: ") for line in lines)
    assert ended > 20
    assert (looked > ended) is limited


def test_run_that_is_asked_to_end_while_it_looks_after_a_job_ends(tmp_path: Path) -> None:
    settings = tmp_path / "job.yaml"
    settings.write_text(yaml.safe_dump({"target_name": "Demo", "search_query": "1hpv", "source": {"kind": "archive"}}))
    command = [sys.executable, "-c", _ENDED_WHILE_LOCKED, "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", str(settings), "--directory", str(tmp_path / "job"), "--cores", "1"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Will exit after finishing currently running jobs" in run.stderr
    assert run.returncode == 1
    assert (tmp_path / "job/search/entries.csv").exists()
    assert not (tmp_path / "job/job_result_manifest.json").exists()
