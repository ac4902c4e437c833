"""Runs on a Slurm cluster give the bytes of runs on one machine, lose no node's work and leave no processes."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.cluster import VARIABLE, ClusterJob, LocalCluster, daemons, local_cluster
from tests.tools.patience import wait_until
from tests.tools.runs import LOCAL, SLURM, JobRun, RunningJob, difference, job_of, result_files
from tethermap.base import layout
from tethermap.run.logs import read_error

SHARD_RULES = {"clean_complexes", "match_ligands", "measure_sasa", "check_results", "find_cores"}

Start = Callable[..., RunningJob]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a job on the cluster: ``start("name", settings, *arguments)``."""

    def begin(name: str, settings: dict[str, Any], *arguments: str) -> RunningJob:
        own = {**settings, "cache_dir": str(tmp_path / "cache")}
        return RunningJob(tmp_path / name, own, *SLURM, *arguments, cores=None)

    return begin


@pytest.fixture
def egfr(mirror: Path) -> dict[str, Any]:
    """Six entries of EGFR on the large mirror, in two shards, with their own memory and time limit."""
    # A second or two a shard: long enough for its node to crash within a step.
    limits = {"filters": {"max_entries": 6}, "shards": {"entries_per_shard": 3}, "sasa": {"slices": 2000}}
    return job_of("EGFR", source=mirror, resources={"mem_mb": 700, "runtime": 20}) | limits


def first_running(cluster: LocalCluster, job: RunningJob) -> ClusterJob:
    """Return the first job of a run that a node works at."""
    found: list[ClusterJob] = wait_until(lambda: cluster.running(job.job), 60, f"{job.job.name} to be on a node")
    return found[0]


def crash_nodes(cluster: LocalCluster, *runs: RunningJob) -> None:
    """Let the nodes that work at some runs crash and start again."""
    nodes = {first_running(cluster, run).node for run in runs}
    for node in nodes:
        cluster.kill_node(node)
    for node in nodes:
        cluster.start_node(node)


def test_jobs_whose_nodes_die_give_the_bytes_of_local_runs(
    cluster: LocalCluster, demo: JobRun, demo_settings: dict[str, Any], egfr: dict[str, Any], start: Start,
    job_runner: Callable[..., JobRun], tmp_path: Path,
) -> None:  # fmt: skip
    local = job_runner(egfr, *LOCAL, name="local").checked()
    # Slurm itself runs the demo's lost step again; for the other job it may not, so that Snakemake has to.
    runs = [start("demo", demo_settings), start("egfr", egfr, "--slurm-no-requeue")]
    crash_nodes(cluster, *runs)
    while not any(job.state == "NODE_FAIL" for job in cluster.jobs(ended=True, folder=tmp_path / "egfr")):
        crash_nodes(cluster, runs[1])  # its step had ended before its node did
    on_cluster, egfr_on_cluster = [run.wait().checked() for run in runs]
    assert difference(result_files(on_cluster.job), result_files(demo.checked().job)) == []
    assert difference(result_files(egfr_on_cluster.job), result_files(local.job)) == []
    assert cluster.left() == []
    _check_what_ran(cluster.jobs(ended=True, folder=tmp_path / "egfr"))


def _check_what_ran(jobs: list[ClusterJob]) -> None:
    """Check that shards ran on the cluster with the job's own memory and time, each twice at most, the rest here."""
    rules = [job.rule for job in jobs]
    assert set(rules) == {*SHARD_RULES, "find_series"}
    assert {rules.count(rule) >= 2 for rule in SHARD_RULES} == {True}
    assert {(job.memory, job.limit) for job in jobs} == {("700M", "20:00")}
    states = [job.state for job in jobs]
    assert states.count("COMPLETED") == 2 * len(SHARD_RULES) + 1
    assert 1 <= states.count("NODE_FAIL") <= 2


def test_killed_and_interrupted_runs_leave_no_jobs_on_the_cluster_and_continue_elsewhere(
    cluster: LocalCluster, demo: JobRun, demo_settings: dict[str, Any], start: Start, job_runner: Callable[..., JobRun]
) -> None:
    killed = start("job", demo_settings)
    lost = first_running(cluster, killed)
    killed.kill()
    killed.wait()
    assert lost.number in [job.number for job in cluster.jobs()]
    start("job", demo_settings, "--unlock").wait().checked()
    again = start("job", demo_settings)
    wait_until(lambda: lost.number not in [job.number for job in cluster.jobs()], 60, "the lost job to be canceled")
    first_running(cluster, again)
    again.send(signal.SIGINT)
    assert again.wait().status == 1
    assert cluster.left() == []
    here = job_runner(demo_settings, *LOCAL).checked()
    assert difference(result_files(here.job), result_files(demo.checked().job)) == []


def test_job_that_fails_on_the_cluster_leaves_the_clusters_reason(
    cluster: LocalCluster, demo_settings: dict[str, Any], start: Start
) -> None:
    run = start("job", demo_settings, "--retries", "0")
    number = first_running(cluster, run).number
    subprocess.run(["scancel", number], check=True)
    ended = run.wait()
    assert ended.status == 1
    log = f"{layout.RULE_LOGS}/clean_complexes/0.cluster.log"
    error = read_error(run.job)
    assert error["message"].startswith(f"clean_complexes failed on the cluster: job {number} ended as CANCELLED (")
    assert (error["step"], error["kind"]) == ("clean_complexes", "pipeline")
    assert ended.messages[-1] == f"Tethermap: {error['message']}"
    assert f"--- on the cluster, job {number}\n" in (run.job / log).read_text()


def test_cluster_ends_after_any_action_of_a_test() -> None:
    if not os.environ.get(VARIABLE):
        pytest.skip(f"{VARIABLE} is not set")
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        place = Path(folder) / "c"
        with pytest.raises(ZeroDivisionError):
            _fail_on_a_cluster(place)
        assert (daemons(place), place.exists(), dict(os.environ)) == ([], False, before)


def _fail_on_a_cluster(place: Path) -> None:
    with local_cluster(place) as cluster:
        subprocess.run(["sbatch", "--quiet", "--wrap=sleep 60"], cwd=place, check=True)
        wait_until(cluster.running, 30, "the job to run")
        assert len(daemons(place)) >= 4
        raise ZeroDivisionError
