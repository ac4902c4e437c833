"""Data that many tests read in place: the large mirror, the embedded archive, the component index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.runs import ROOT, JobRun, run_job


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Folder of the large mirror of real entries, `<id>.cif.gz` and `<id>.pdb.gz`."""
    return _folder("TETHERMAP_TEST_MIRROR")


@pytest.fixture(scope="session")
def rcsb_recordings() -> Path:
    """Folder of recorded answers and schemas of the RCSB services."""
    return _folder("TETHERMAP_TEST_RCSB_API")


@pytest.fixture(scope="session")
def archive() -> Path:
    """Folder of the embedded archive."""
    return ROOT / "data" / "archive"


@pytest.fixture(scope="session")
def component_index() -> Path:
    """The component index that set-up has built, or a new one."""
    from scripts.lib.molecule.components import default_index

    path = default_index()
    if not path.is_file():
        subprocess.run([sys.executable, "-m", "scripts.build_component_index"], cwd=ROOT, check=True)
    return path


@pytest.fixture
def job_runner(tmp_path: Path) -> Callable[..., JobRun]:
    """Run a job in a folder of its own: ``job_runner(settings, *arguments, name="job", cores=2)``."""

    def run(settings: dict[str, Any], *arguments: str, name: str = "job", **options: Any) -> JobRun:
        return run_job(tmp_path / name, {"cache_dir": str(tmp_path / "cache"), **settings}, *arguments, **options)

    return run


def _folder(variable: str) -> Path:
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"{variable} is not set")
    return Path(folder)
