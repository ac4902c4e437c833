"""Kill parts of a job at random moments: when resumed, it must give the bytes of an undisturbed one.

The moments come from a seed: the same seed on the same machine gives about the same run.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from tests.service.core import MIXED, LiveService
from tests.tools.cluster import LocalCluster
from tests.tools.patience import wait_until
from tests.tools.runs import LOCAL, SLURM, RunningJob, difference, job_results, run_job
from tethermap.base import layout
from tethermap.run.events import read_events

SETTINGS: Mapping[str, Any] = MIXED
SERVER = "tethermap.run.script_server"


class CrashSite(ExitStack):
    """Folder in which jobs are run and killed.

    Parameters
    ----------
    folder : Path
        Everything is written below.
    seed : int
        Seed of the moments.
    of_service : Path
        A job that a service has run undisturbed.
    cluster : LocalCluster or None
        The cluster whose nodes are killed.
    """

    def __init__(self, folder: Path, seed: int, of_service: Path, cluster: LocalCluster | None) -> None:
        super().__init__()
        self._folder = folder
        self._cluster = cluster
        self._random = random.Random(seed)
        self._number = 0
        self._killed = (0.0, "")
        base = {**SETTINGS, "source": {"kind": "archive"}, "cache_dir": str(folder / "cache")}
        self._settings = {**base, "shards": {"entries_per_shard": 2}}
        undisturbed = run_job(folder / "undisturbed", self._settings, *LOCAL).checked()
        self._expected, self._events = job_results(undisturbed.job), event_count(undisturbed.job)
        self._pause = undisturbed.seconds / self._events
        self._expected_of_service = job_results(of_service)

    def crash(self, point: str) -> list[str]:
        """Kill a part of a job, resume the job and report the outcome.

        Parameters
        ----------
        point : {'snakemake', 'worker', 'server', 'all', 'service', 'node'}
            Snakemake, whose scripts continue; a script process; the process that scripts are forked from; Snakemake and
            all its scripts at once; the service; a node of the cluster.

        Returns
        -------
        list of str
            Result files that differ from those of the undisturbed job, and files that were left half-written.
        """
        kills: dict[str, Callable[[RunningJob], None]] = {
            "snakemake": lambda run: run.send(signal.SIGKILL),
            "worker": lambda run: self._kill_one(run, script_processes),
            "server": lambda run: self._kill_one(run, lambda group: [server.pid for server in script_servers(group)]),
            "all": RunningJob.kill,
        }
        others = {"service": self._serving, "node": self._node}
        job = None
        while job is None:  # the job had ended before the moment
            self._number += 1
            name = f"{point}{self._number}"
            job = others[point](name) if point in others else self._run(name, kills[point])
        different = difference(job_results(job), self._expected_of_service if point == "service" else self._expected)
        different += [str(path.relative_to(job)) for path in job.rglob("*.part")]
        seconds, step = self._killed
        outcome = f"DIFFERENT: {', '.join(different)}" if different else "same bytes"
        sys.stdout.write(f"{point} killed at {seconds:.2f} s, {step or 'before the first step'}: {outcome}\n")
        sys.stdout.flush()
        return different

    def _run(self, name: str, kill: Callable[[RunningJob], None]) -> Path | None:
        """Run and resume a job like its user; None if no work was lost."""
        run = RunningJob(self._folder / name, self._settings, *LOCAL)
        self._moment(run.job, run)
        kill(run)
        status = run.wait().status
        if status == 0:
            return None
        if status < 0:  # killed itself
            run_job(run.job, self._settings, *LOCAL, "--unlock").checked()
        run_job(run.job, self._settings, *LOCAL).checked()
        wait_until(lambda: not script_processes(run.pid), 120, "the scripts of the killed run to end")
        return run.job

    def _kill_one(self, run: RunningJob, parts: Callable[[int], list[int]]) -> None:
        """Kill one of the processes of a run, found by its group."""
        living = wait_until(lambda: parts(run.pid) or run.ended, 60, "a process to kill")
        if living is not True:
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(living), signal.SIGKILL)

    @cached_property
    def _service(self) -> LiveService:
        return self.enter_context(LiveService(self._folder / "service", MAX_RUNNING_JOBS="1"))

    def _serving(self, _: str) -> Path | None:
        service = self._service
        job = service.submit(SETTINGS)
        self._moment(service.jobs / job, None)
        early = service.record(job)["status"] != "completed"
        service.restart()
        body = service.ended(job, 120)
        assert (body["status"], body["attempt"]) == ("completed", 1), body
        return service.jobs / job if early else None

    def _node(self, name: str) -> Path | None:
        cluster, job = self._cluster, self._folder / name
        assert cluster is not None
        retry = ("--slurm-no-requeue",) if self._number % 2 else ()
        run = RunningJob(job, self._settings, *SLURM, *retry, cores=None)
        seconds = self._random.uniform(0.0, 45.0)
        time.sleep(seconds)
        running = wait_until(lambda: cluster.running(job) or run.ended, 120, "the cluster to have work")
        if running is not True:
            node = self._random.choice(running).node
            cluster.kill_node(node)
            self._killed = seconds, last_step(job)
            cluster.start_node(node)
        run.wait().checked()
        assert cluster.left() == []
        return None if running is True else job

    def _moment(self, job: Path, run: RunningJob | None) -> None:
        """Wait for a random moment of a job that has just begun.

        It is after one of its events, each with the same probability, at any speed of the machine.
        """
        began = time.monotonic()
        events = self._random.randrange(self._events)

        def come() -> bool:
            over = (job / layout.MANIFEST).exists() or (run is not None and run.ended)
            return over or event_count(job) >= events

        wait_until(come, 600, "the moment to come")
        time.sleep(self._random.uniform(0.0, 2.0) * self._pause)
        self._killed = time.monotonic() - began, last_step(job)


def script_processes(group: int) -> list[int]:
    """Return the numbers of the script processes in a process group: the children of the server that forks them."""
    return [child.pid for server in script_servers(group) for child in _children(server)]


def script_servers(group: int) -> list[psutil.Process]:
    """Return the processes of a process group that scripts are forked from."""
    servers = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and SERVER in process.cmdline():
                servers.append(process)
    forked = {child.pid for server in servers for child in _children(server)}
    return [server for server in servers if server.pid not in forked]


def _children(process: psutil.Process) -> list[psutil.Process]:
    """Return the children of a process; none for one that has just ended."""
    try:
        return list(process.children())
    except psutil.NoSuchProcess:
        return []


def event_count(job: Path) -> int:
    """Return how many events of a job are on disk."""
    return sum(1 for _ in read_events(job / layout.EVENTS))


def last_step(job: Path) -> str:
    """Return the rule of a job that began last; empty when none has."""
    started = [str(event["rule"]) for event in read_events(job / layout.EVENTS) if event["event"] == "job_started"]
    return started[-1] if started else ""
