"""Forks the scripts of a run from a process that has loaded their imports: they start at once.

A script in a new process spends 0.1 to 0.3 s of CPU on imports, more than on an entry; this process imports once,
during the search. `tethermap.run.warm_scripts` starts this module and sends requests; each request is a
message with the script and variables for it, and a socket that returns the script's process id, receives a byte to
start it, and returns its exit status. The server ends when no client is connected and none of its scripts
runs. If it is killed, its scripts end with it, because no process would learn their exit status.
"""

import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

from tethermap.run.steps import STEPS

PRELOADED = (
    "snakemake.iocontainers",
    "numpy.ma",  # of numpy.unique
    *(module for step in STEPS if not step.switch for module in (step.make.partition(":")[0], step.loads) if module),
    "duckdb",  # of tethermap.base.parquet
    "tethermap.results.finish",
)
"""Modules that are loaded while the server is idle, in the order in which a run needs them."""

LONGEST = 65_536
"""Bytes of a request at most."""

_COLLECT_AFTER = 20_000
"""New objects after which a script runs the garbage collector; with Python's 700 that costs up to 2 % of a step's CPU.
"""

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
_FOR_SCRIPTS = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
_FORK = get_context("fork")  # its processes end without unloading modules, 40 ms of CPU each


class ScriptServer:
    """Forks scripts until its client disconnects.

    Parameters
    ----------
    control : socket
        Where requests come from, one a message.
    preloaded : sequence of str
        Modules to load beforehand.
    """

    def __init__(self, control: socket.socket, preloaded: Sequence[str] = PRELOADED) -> None:
        self._control: socket.socket | None = control
        self._waiting = deque(preloaded)
        self._running: dict[int, tuple[ForkProcess, socket.socket]] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve to the end."""
        for number in _FOR_SCRIPTS:
            signal.signal(number, signal.SIG_IGN)
        gc.set_threshold(_COLLECT_AFTER)
        while self._control or self._running:
            ready = self._selector.select(0 if self._waiting else None)
            if not ready:
                with suppress(Exception):  # the script that needs it will report the error
                    importlib.import_module(self._waiting.popleft())
            for key, _ in ready:
                if key.fileobj is self._control:
                    self._take_request(self._control)
                else:
                    self._tell_end(key.fd)

    def _take_request(self, control: socket.socket) -> None:
        message, files, *_ = socket.recv_fds(control, LONGEST, 1)
        if not message:  # the client has disconnected
            self._selector.unregister(control)
            self._waiting.clear()
            self._control = None
            return
        reply = socket.socket(fileno=files[0])
        request = json.loads(message)
        gc.freeze()  # loaded modules live forever: a script's garbage collector need not check them
        script = _FORK.Process(target=self._be_script, args=(os.getpid(), reply), kwargs=request)
        script.start()
        with suppress(BrokenPipeError):
            reply.send(f"{script.pid}\n".encode())
        self._running[script.sentinel] = (script, reply)
        self._selector.register(script.sentinel, selectors.EVENT_READ)

    def _be_script(self, server: int, reply: socket.socket, script: str, variables: Mapping[str, str]) -> None:
        """Run a script in a forked process like a separate program, but end it with the server."""
        for number, handler in _FOR_SCRIPTS.items():
            signal.signal(number, signal.SIG_DFL if handler is signal.default_int_handler else handler)  # no traceback
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != server or not _may_begin(reply):
            sys.exit(1)
        self._selector.close()
        for ours in (self._control, reply, *(other for _, other in self._running.values())):
            if ours:
                ours.close()
        os.environ.update(variables)
        sys.argv = [script]
        sys.path.insert(0, str(Path(script).parent))
        name = Path(script).suffixes[-2:][0].strip(".")
        with suppress(OSError):  # only for display: `ps` and `top` show it
            Path("/proc/self/comm").write_text(name, encoding="utf-8")
        runpy.run_path(script, run_name="__main__")

    def _tell_end(self, sentinel: int) -> None:
        script, reply = self._running.pop(sentinel)
        self._selector.unregister(sentinel)
        script.join()
        with suppress(BrokenPipeError), reply:
            reply.send(f"{script.exitcode}\n".encode())
        script.close()


def _may_begin(reply: socket.socket) -> bool:
    """Wait until a script's process is watched; return False if the client has disconnected."""
    with suppress(ConnectionResetError):
        return bool(reply.recv(1))
    return False


if __name__ == "__main__":
    ScriptServer(socket.socket(fileno=int(sys.argv[1]))).serve()
