"""Kill parts of a job at random moments: when resumed, it must give the bytes of an undisturbed one.

``make crashes`` does so many times and writes what came of it into the file of figures; the tests do it a few
times. The moments come from a seed, which is printed: the same seed on the same machine gives about the same run.
"""

import os
import random
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import psutil

from tests.service.core import MIXED, LiveService
from tests.tools.cluster import VARIABLE, LocalCluster, local_cluster
from tests.tools.figures import Figure, Section, measure_section
from tests.tools.patience import wait_until
from tests.tools.runs import LOCAL, SLURM, RunningJob, difference, grouped, job_results, run_job
from tethermap.base import layout
from tethermap.run.events import read_events

SETTINGS: Mapping[str, Any] = MIXED
SERVER = "tethermap.run.script_server"
KILLED = {
    "snakemake": "Snakemake, whose scripts continue",
    "worker": "a script process",
    "server": "the process that scripts are forked from",
    "all": "Snakemake and all its scripts at once",
    "service": "the service",
    "node": "a node of the cluster",
}


@dataclass(frozen=True)
class Crash:
    """One job that was disturbed.

    Parameters
    ----------
    point : str
        Killed part, one of `KILLED`.
    seconds : float
        When, after the job's start.
    step : str
        The rule that had begun last.
    different : list of str
        Result files that differ from those of the undisturbed job.
    """

    point: str
    seconds: float
    step: str
    different: list[str]


class CrashSite:
    """Folder in which jobs are run and killed.

    Parameters
    ----------
    folder : Path
        Everything is written below.
    seed : int
        Seed of the moments.
    of_service : Path or None
        A job that a service has run undisturbed; None makes one.
    """

    def __init__(self, folder: Path, seed: int, of_service: Path | None = None) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self._number = 0
        self._stack = ExitStack()
        self._service: LiveService | None = None
        self._cluster: LocalCluster | None = None
        base = {**SETTINGS, "source": {"kind": "archive"}, "cache_dir": str(folder / "cache")}
        self._settings = {**base, "shards": {"entries_per_shard": 2}}
        began = time.monotonic()
        undisturbed = run_job(folder / "undisturbed", self._settings, *LOCAL).checked().job
        self._expected, self._events = job_results(undisturbed), event_count(undisturbed)
        self._pause = (time.monotonic() - began) / self._events
        if of_service is None:  # as the service runs it, in one shard
            of_service = run_job(folder / "whole", base, *LOCAL).checked().job
        self._expected_of_service = job_results(of_service)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def crash(self, point: str) -> Crash:
        """Run a job, kill one of its parts, take the job up again and compare its results."""
        actions: dict[str, Callable[[Path], Crash | None]] = {
            "snakemake": partial(self._engine, "snakemake", lambda run: run.send(signal.SIGKILL)),
            "worker": partial(self._part, "worker", script_processes),
            "server": partial(self._part, "server", lambda run: [server.pid for server in script_servers(run)]),
            "all": partial(self._engine, "all", RunningJob.kill),
            "service": self._serving,
            "node": self._node,
        }
        while True:
            self._number += 1
            crash = actions[point](self._folder / f"{point}{self._number}")
            if crash is not None:  # otherwise the job had ended before the moment
                return crash

    def _engine(self, point: str, kill: Callable[[RunningJob], None], job: Path) -> Crash | None:
        run = RunningJob(job, self._settings, *LOCAL)
        seconds = self._moment(job, run)
        kill(run)
        return self._resumed(point, run, seconds, locked=True)

    def _part(self, point: str, parts: Callable[[int], list[int]], job: Path) -> Crash | None:
        """Kill one of the processes of a run, found by its group."""
        run = RunningJob(job, self._settings, *LOCAL)
        began = time.monotonic()
        self._moment(job, run)
        living = wait_until(lambda: parts(run.pid) or run.ended, 60, "a process to kill")
        if living is not True:
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(living), signal.SIGKILL)
        return self._resumed(point, run, time.monotonic() - began, locked=False)

    def _resumed(self, point: str, run: RunningJob, seconds: float, *, locked: bool) -> Crash | None:
        """Resume a job like its user; None if no work was lost."""
        step = last_step(run.job)
        if run.wait().status == 0:
            return None
        if locked:
            run_job(run.job, self._settings, *LOCAL, "--unlock").checked()
        run_job(run.job, self._settings, *LOCAL).checked()
        wait_until(lambda: not script_processes(run.pid), 120, "the scripts of the killed run to end")
        return self._compared(Crash(point, seconds, step, []), run.job, self._expected)

    def _serving(self, _: Path) -> Crash | None:
        if self._service is None:
            service = LiveService(self._folder / "service", MAX_RUNNING_JOBS="1")
            self._service = self._stack.enter_context(service)
        service = self._service
        job = service.submit(SETTINGS)
        folder = service.jobs / job
        seconds = self._moment(folder, None)
        step = last_step(folder)
        early = service.record(job)["status"] != "completed"
        service.restart()
        body = service.ended(job, 120)
        assert (body["status"], body["attempt"]) == ("completed", 1), body
        crash = self._compared(Crash("service", seconds, step, []), folder, self._expected_of_service)
        return crash if early else None

    def _node(self, job: Path) -> Crash | None:
        if self._cluster is None:
            place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm"))
            self._cluster = self._stack.enter_context(local_cluster(Path(place) / "c"))
        cluster = self._cluster
        retry = ("--slurm-no-requeue",) if self._number % 2 else ()
        run = RunningJob(job, self._settings, *SLURM, *retry, cores=None)
        began = time.monotonic()
        time.sleep(self._random.uniform(0.0, 45.0))
        running = wait_until(lambda: cluster.running(job) or run.ended, 120, "the cluster to have work")
        if running is not True:
            node = self._random.choice(running).node
            cluster.kill_node(node)
            seconds, step = time.monotonic() - began, last_step(job)
            cluster.start_node(node)
        done = run.wait().checked()
        assert cluster.left() == []
        if running is True:
            return None
        return self._compared(Crash("node", seconds, step, []), done.job, self._expected)

    def _moment(self, job: Path, run: RunningJob | None) -> float:
        """Wait for a random moment of a job that has just begun and return when it was.

        It is after one of its events, each with the same probability, at any speed of the machine.
        """
        began = time.monotonic()
        events = self._random.randrange(self._events)

        def come() -> bool:
            over = (job / layout.MANIFEST).exists() or (run is not None and run.ended)
            return over or event_count(job) >= events

        wait_until(come, 600, "the moment to come")
        time.sleep(self._random.uniform(0.0, 2.0) * self._pause)
        return time.monotonic() - began

    def _compared(self, crash: Crash, job: Path, expected: Mapping[str, str]) -> Crash:
        left = [str(path.relative_to(job)) for path in job.rglob("*.part")]
        different = difference(job_results(job), expected)
        return Crash(crash.point, crash.seconds, crash.step, different + left)


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


def crashes(site: CrashSite, times: Mapping[str, int]) -> Iterator[Crash]:
    """Kill each part the given number of times, report each outcome at once, and yield it."""
    for point, count in times.items():
        for number in range(count):
            crash = site.crash(point)
            outcome = f"DIFFERENT: {', '.join(crash.different)}" if crash.different else "same bytes"
            where = crash.step or "before the first step"
            sys.stdout.write(f"{point} {number + 1}/{count} killed at {crash.seconds:.2f} s, {where}: {outcome}\n")
            sys.stdout.flush()
            yield crash


def measure(folder: Path) -> Section:
    """Kill all parts many times. The one argument of the program is a seed."""
    seed = int(sys.argv[1]) if sys.argv[1:] else secrets.randbelow(10**8)
    times = dict.fromkeys(KILLED, 20) | {"node": 3}
    if VARIABLE not in os.environ:
        sys.stdout.write(f"{VARIABLE} is not set: no node is killed\n")
        del times["node"]
    sys.stdout.write(f"seed {seed}\n")
    with CrashSite(folder, seed) as site:
        found = grouped(crashes(site, times), lambda crash: crash.point)
    figures = []
    for point, crashed in found.items():
        name = f"{KILLED[point]}: share of jobs with identical results"
        same = sum(not crash.different for crash in crashed)
        figures.append(Figure(name, same / len(crashed), "", "share", at_least=1.0))
    note = f"Jobs of three entries ({SETTINGS['search_query']}), killed at random moments and resumed; seed {seed}."
    return figures, (), [note]


if __name__ == "__main__" and measure_section("crash", "make crashes", measure):
    sys.exit("results differ from those of an undisturbed job")
