"""Tests that Snakemake generates from a job pass: each rule declares all that it reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.tools.patience import patience
from tests.tools.runs import ROOT
from tethermap.run.steps import STEPS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a job and the generated tests; Snakemake wants the rules below it."""
    (tmp_path / "tethermap").symlink_to(ROOT)
    settings = {"target_name": "BAZ2B", "search_query": "4CUP", "source": {"kind": "archive"}, "result_cache_mb": 0}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(settings))
    started_in(tmp_path, "snakemake", *RUN, "--cores", "2")
    started_in(tmp_path, "snakemake", *RUN, "--generate-unit-tests", str(tmp_path / "unit"))
    return tmp_path


RUN = ("--snakefile", "tethermap/Snakefile", "--configfile", "job.yaml", "--directory", "job")


def started_in(folder: Path, module: str, *arguments: str) -> str:
    """Run a module of Python in a folder and return its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # the tests call `python`
    command = [sys.executable, "-m", module, *arguments]
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=patience(300),
        check=False,
    )
    assert ended.returncode == 0, f"{ended.stdout[-4000:]}\n{ended.stderr[-4000:]}"
    return ended.stdout


def test_generated_tests_pass(folder: Path) -> None:
    steps = sum(not step.switch for step in STEPS)
    assert f"{steps} passed" in started_in(folder, "pytest", "-q", "-p", "no:xdist", "-c", os.devnull, "unit")
