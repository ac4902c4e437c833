"""A running service for tests that only read, with one job of each kind.

Its jobs are those of the stand-in pipeline, but for one that another service has run with the real Snakemake.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.service.core import REFUSED, LiveService, waiting_job
from tests.service.proxy import proxied
from tests.standin.fixtures import served, standin

__all__ = ["proxied", "served", "standin"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop of tests that are coroutines."""
    return "asyncio"


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[LiveService]:
    """A service over the embedded archive."""
    folder = tmp_path_factory.mktemp("live")
    shutil.copytree(mixed, folder / "jobs" / mixed.name)
    with LiveService(folder, quick=True, METRICS="true", MAX_RUNNING_JOBS="2") as service:
        yield service


@pytest.fixture(scope="session")
def http(live: LiveService) -> httpx2.Client:
    """A client of it."""
    return live.http


@pytest.fixture(scope="session")
def done_job(mixed: Path) -> str:
    """A job that has run to its end, with three ligands."""
    return mixed.name


@pytest.fixture(scope="session")
def failed_job(live: LiveService) -> str:
    """A job that its source refuses."""
    job_id = live.submit(REFUSED)
    assert live.ended(job_id)["status"] == "failed"
    return job_id


@pytest.fixture
def queued_job(live: LiveService) -> Iterator[str]:
    """A job that waits."""
    with waiting_job(live, REFUSED) as job_id:
        yield job_id
