"""A throw-away Slurm cluster of several nodes on this machine.

The script in ``TETHERMAP_TEST_SLURM`` makes it; the script has the commands ``start``, ``stop``, ``env``, ``kill-node
N`` and ``start-node N`` and reads its settings from ``LOCAL_SLURM_*``.
"""

import os
import random
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import psutil

from tests.tools.patience import wait_until

VARIABLE = "TETHERMAP_TEST_SLURM"
NODES = 3
REQUEUE_SECONDS = 5
"""Delay before the cluster requeues a job of a dead node; two minutes on a real one."""

_FIRST_PORTS = range(20_000, 30_000, NODES + 1)  # below those that systems give out themselves


@dataclass(frozen=True)
class ClusterJob:
    """A job in the cluster's list: number, state, node, job folder, rule, memory and time limit as text."""

    number: str
    state: str
    node: str
    folder: Path
    rule: str
    memory: str
    limit: str


class LocalCluster:
    """A running cluster, to which the environment of this process points.

    Parameters
    ----------
    script : Path
        Script that starts and stops the cluster.
    folder : Path
        Everything it writes is below.
    """

    def __init__(self, script: Path, folder: Path) -> None:
        self._script = script
        self.folder = folder

    def jobs(self, *, ended: bool = False, folder: Path | None = None) -> list[ClusterJob]:
        """Return the jobs that wait or run.

        Parameters
        ----------
        ended : bool
            Whether to list those that have ended as well.
        folder : Path or None
            Limit to one job folder.
        """
        command = ["squeue", "--noheader", "--format=%i|%T|%N|%Z|%k|%m|%l", *["--states=all"] * ended]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = []
        for line in listed.splitlines():
            number, state, node, place, comment, *limits = line.strip().split("|")
            rule = comment.removeprefix("rule_").partition("_wildcards_")[0]
            found.append(ClusterJob(number, state, node, Path(place), rule, *limits))
        return [job for job in found if folder is None or job.folder == folder.resolve()]

    def running(self, folder: Path | None = None) -> list[ClusterJob]:
        """Return the jobs that run on a node."""
        return [job for job in self.jobs(folder=folder) if job.state == "RUNNING"]

    def left(self) -> list[ClusterJob]:
        """Return the jobs that stay: one that has ended is listed for a moment, until its node has cleared it away."""
        with suppress(TimeoutError):
            wait_until(lambda: not self.jobs(), 30, "the queue of the cluster to be empty")
        return self.jobs()

    def kill_node(self, node: str) -> None:
        """Let a node crash, with all that runs on it."""
        self._run("kill-node", node.removeprefix("n"))

    def start_node(self, node: str) -> None:
        """Start a node that has crashed, after the cluster has noticed the crash."""
        wait_until(lambda: "down" in _node_state(node), 60, f"{node} to be down")
        self._run("start-node", node.removeprefix("n"))
        wait_until(lambda: _node_state(node) in ("idle", "mixed", "allocated"), 60, f"{node} to be up")

    def _run(self, *arguments: str) -> str:
        run = subprocess.run([str(self._script), *arguments], capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{self._script.name} {' '.join(arguments)}: {run.stderr[-1000:]}")
        return run.stdout


@contextmanager
def local_cluster(folder: Path) -> Iterator[LocalCluster]:
    """Run a cluster for the time of the block, however that ends.

    Parameters
    ----------
    folder : Path
        Writable folder; removed afterwards. A short path, because sockets are below it.

    Raises
    ------
    RuntimeError
        If it can't be started, or leaves remains.
    """
    cluster = LocalCluster(Path(os.environ[VARIABLE]), folder)
    settings = {"DIR": folder, "NODES": NODES, "PORT": _free_ports(), "REQUEUE_S": REQUEUE_SECONDS}
    with patch.dict(os.environ, {f"LOCAL_SLURM_{name}": str(value) for name, value in settings.items()}):
        try:
            cluster._run("start")
            lines = cluster._run("env")
            shell = subprocess.run(["bash", "-c", f"{lines}\nenv"], capture_output=True, text=True, check=True).stdout
            os.environ.update(re.findall(r"^(SLURM_\w+|PATH)=(.*)$", shell, re.MULTILINE))
            yield cluster
        finally:
            cluster._run("stop")
    left = daemons(folder)
    if left or folder.exists():
        raise RuntimeError(f"the cluster left processes or files: {left}, {folder}")


def daemons(folder: Path) -> list[int]:
    """Return the numbers of the processes that have a cluster's folder in their command line."""
    processes = [one for one in psutil.process_iter(["cmdline"]) if one.pid != os.getpid()]
    return [one.pid for one in processes if f"{folder}/" in " ".join(one.info["cmdline"] or ())]


def _node_state(node: str) -> str:
    shown = subprocess.run(["sinfo", "-h", "-N", "-n", node, "-o", "%T"], capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def _free_ports() -> int:
    """Return the first of the consecutive free ports that a cluster needs."""
    for first in random.SystemRandom().sample(_FIRST_PORTS, 50):
        with suppress(OSError), ExitStack() as stack:
            for number in range(NODES + 1):
                stack.enter_context(socket.create_server(("127.0.0.1", first + number)))
            return first
    raise RuntimeError("no free ports for a cluster")
