"""Client of the fork server that has loaded the imports of scripts (`tethermap.run.script_server`)."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress

import psutil

AVAILABLE = sys.platform == "linux"
"""On other systems a process that has loaded NumPy must not be forked (macOS), or messages have no bounds."""

_CLOSING_SECONDS = 10.0


Watch = Callable[[int], AbstractContextManager[object]]
"""Returns the block in which the resources of a process are measured."""


class WarmScripts:
    """The scripts of a run, forked from a fork server."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-P", "-m", "tethermap.run.script_server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
            )
        self._control = ours
        self._lock = threading.Lock()

    def run(self, script: str, variables: Mapping[str, str], watch: Watch) -> int | None:
        """Run a script to its end.

        Parameters
        ----------
        script : str
            Path of the file that Snakemake has written for it.
        variables : mapping
            Set in its environment.
        watch : callable
            Watches its process.

        Returns
        -------
        int or None Its exit status, negative for the signal that ended it; None if the server could not start it.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._lock:
                message = json.dumps({"script": script, "variables": dict(variables)}).encode()
                try:
                    socket.send_fds(self._control, [message], [theirs.fileno()])
                except OSError:  # the server is gone
                    return None
            with ours.makefile("r", encoding="ascii") as reply:
                pid = reply.readline()
                if not pid:
                    return None
                status = ""  # the server was killed with its scripts
                with ExitStack() as watched:
                    with suppress(psutil.NoSuchProcess):  # a script may be killed before it begins
                        watched.enter_context(watch(int(pid)))
                    with suppress(BrokenPipeError):
                        ours.sendall(b"\n")
                    with suppress(ConnectionResetError):
                        status = reply.readline()
                return int(status or -signal.SIGKILL)

    def close(self) -> None:
        """Stop the server, and wait for it: its resources and those of its scripts count as used by the run."""
        with self._lock:
            self._control.close()
        try:
            self._server.wait(_CLOSING_SECONDS)
        except subprocess.TimeoutExpired:  # a script without a waiting client
            self._server.kill()
            self._server.wait()
