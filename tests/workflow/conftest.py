"""The demo job, run once for all tests that only look at it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.tools.runs import ROOT, JobRun, run_job


@pytest.fixture(scope="session")
def demo_settings() -> dict[str, Any]:
    """The configuration of `make demo`."""
    settings: dict[str, Any] = yaml.safe_load((ROOT / "config/demo.yaml").read_text(encoding="utf-8"))
    return settings


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, demo_settings: dict[str, Any]) -> JobRun:
    """The demo job as the plain command runs it: without profile, without logger, without PYTHONPATH."""
    folder = tmp_path_factory.mktemp("demo")
    return run_job(folder / "job", {**demo_settings, "cache_dir": str(folder / "cache")})
