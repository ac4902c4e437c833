"""A running service for tests that only read, with one job of each kind."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from tests.service.core import REFUSED, LiveService

MIXED = {"target_name": "Mixed", "search_query": "1HPV 4CUP 1GBT"}


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service over the embedded archive."""
    with LiveService(tmp_path_factory.mktemp("live"), METRICS="true", MAX_RUNNING_JOBS="2") as service:
        yield service


@pytest.fixture(scope="session")
def http(live: LiveService) -> Iterator[httpx2.Client]:
    """A client of it."""
    with httpx2.Client(base_url=f"http://127.0.0.1:{live.port}", timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def done_job(live: LiveService) -> str:
    """A job that has run to its end, with three ligands."""
    job_id = live.submit(MIXED)
    assert live.ended(job_id, 120)["status"] == "completed"
    return job_id


@pytest.fixture(scope="session")
def failed_job(live: LiveService) -> str:
    """A job that its source refuses."""
    job_id = live.submit(REFUSED)
    assert live.ended(job_id, 120)["status"] == "failed"
    return job_id


@pytest.fixture
def queued_job(live: LiveService) -> Iterator[str]:
    """A job that waits: the second of a batch with a pause of half a minute."""
    status, batch = live.call("POST", "/api/batches", {"jobs": [REFUSED, REFUSED], "delay_seconds": 30})
    assert status == 202, batch
    yield batch["jobs"][1]["job_id"]
    live.call("POST", f"/api/batches/{batch['batch_id']}/cancel")
