"""Jobs shared by all workers of a test session: many tests read them and none changes them."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.tools.runs import LOCAL, JobRun, job_of, run_job
from tethermap.base.atomic import write_text
from tethermap.sources.locks import file_lock


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], str]) -> tuple[Path, str]:
    """Return a folder and the result of `make`, called by the first worker that needs it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared" / name
    folder.mkdir(parents=True, exist_ok=True)
    said = folder / "said"
    with file_lock(folder / "lock", patience=math.inf):
        if not said.exists():
            write_text(said, make(folder))
    return folder, said.read_text(encoding="utf-8")


def shared_run(factory: pytest.TempPathFactory, name: str, settings: Mapping[str, Any], *arguments: str) -> JobRun:
    """Return a shared run of the workflow, made by the first worker that needs it; it has its own cache."""

    def make(folder: Path) -> str:
        run = run_job(folder / "job", {**settings, "cache_dir": str(folder / "cache")}, *arguments)
        return json.dumps({**asdict(run), "job": str(run.job)})

    values = json.loads(shared(factory, name, make)[1])
    return JobRun(**{**values, "job": Path(values["job"])})


def target_run(factory: pytest.TempPathFactory, mirror: Path, name: str) -> JobRun:
    """Return the job over all entries of a target in the large mirror."""
    return shared_run(factory, name, job_of(name, source=mirror), *LOCAL).checked()
