"""A service whose jobs run on a Slurm cluster: canceled, killed and finished, no job is lost or continues there."""

import os
import signal
from pathlib import Path

import pytest

from service.runs.runner import read_state
from tests.service.core import HPV, LiveService, living
from tests.tools.cluster import LocalCluster
from tests.tools.patience import wait_until
from tests.tools.runs import LOCAL, ROOT, difference, job_results, run_job

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")

SECONDS = 480
"""The most that a job on the cluster of tests may take."""


def service_on(cluster: LocalCluster, folder: Path) -> LiveService:
    """Return a service, not started yet, whose jobs run on the cluster."""
    assert cluster.left() == []
    return LiveService(folder, PROFILE=str(ROOT / "config" / "profiles" / "slurm"), MAX_RUNNING_JOBS="2")


def on_cluster(cluster: LocalCluster, service: LiveService, job: str) -> list[str]:
    """Wait until a job has jobs on the cluster and return their numbers."""
    folder = service.jobs / job
    wait_until(lambda: cluster.running(folder), 60, f"{job} to be on the cluster")
    return [one.number for one in cluster.jobs(folder=folder)]


def test_canceled_job_and_ended_service_leave_nothing_on_the_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    with service_on(cluster, tmp_path) as service:
        canceled, interrupted = service.submit(), service.submit()
        for job in (canceled, interrupted):
            on_cluster(cluster, service, job)
        assert service.call("POST", f"/api/jobs/{canceled}/cancel")[0] == 202
        assert service.ended(canceled)["status"] == "canceled"
        assert cluster.jobs(folder=service.jobs / canceled) == []
        on_cluster(cluster, service, interrupted)
        service.terminate()
        assert service.record(interrupted)["status"] == "running"
        assert cluster.left() == []
        assert (living(service.jobs / canceled), living(service.jobs / interrupted)) == ([], [])


def test_killed_service_resumes_its_run_and_a_killed_run_is_started_again(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    with service_on(cluster, tmp_path / "service") as service:
        job = service.submit()
        folder = service.jobs / job
        begun = on_cluster(cluster, service, job)
        service.restart()
        assert (service.job(job)["status"], service.job(job)["attempt"]) == ("running", 1)
        assert {one.number for one in cluster.jobs(folder=folder, ended=True)} >= set(begun)
        state = read_state(folder)
        assert state is not None
        assert state.pid is not None
        begun = on_cluster(cluster, service, job)
        os.kill(state.pid, signal.SIGKILL)
        wait_until(lambda: service.job(job)["attempt"] == 2, 60, "the run to be begun again")
        assert not set(begun) & {one.number for one in cluster.jobs(folder=folder)}
        service.restart()
        body = service.ended(job, SECONDS)
        assert (body["status"], body["attempt"]) == ("completed", 2)
        assert cluster.left() == []
        assert living(folder) == []
        expected = run_job(
            tmp_path / "local", {**HPV, "source": {"kind": "archive"}, "cache_dir": str(tmp_path / "c")}, *LOCAL
        )
        assert difference(job_results(folder), job_results(expected.checked().job)) == []
