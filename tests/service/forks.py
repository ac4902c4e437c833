"""Services over the stand-in pipeline, forked from one process that has loaded all already: a start costs 50 ms.

`python -m tests.service.forks` is that process: it forks a service for each line it reads and writes its number.
The operator's commands are run in the same way.
With `serve` it runs the service itself, for systems that can't wait for foreign processes.
"""

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import service.runs.runner
from service.__main__ import main
from service.app import create_app
from tests.standin.pipeline import COMMAND
from tests.tools.runs import ROOT


class Forked:
    """A service that was forked; has what its users need of `subprocess.Popen`.

    Parameters
    ----------
    environment : mapping of str to str
        Environment variables of the process.
    log : Path
        File of its output; the errors of a command have the ending `.errors`, its exit status `.status`.
    arguments : sequence of str
        Command of the operator; none for the service itself.
    """

    def __init__(self, environment: Mapping[str, str], log: Path, arguments: Sequence[str] = ()) -> None:
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        request = {"environment": dict(environment), "log": str(log), "arguments": arguments}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        self.pid = int(server.stdout.readline())
        self._end = os.pidfd_open(self.pid)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to it."""
        signal.pidfd_send_signal(self._end, number)

    def poll(self) -> int | None:
        """Return a number when it has ended."""
        return 0 if select.select([self._end], [], [], 0)[0] else None

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if not select.select([self._end], [], [], seconds)[0]:
            raise TimeoutError(f"the service has not ended in {seconds:g} s")
        os.close(self._end)


@functools.cache
def _server() -> subprocess.Popen[str]:
    """Return the process that forks; it ends with this one, whose end of the pipe is closed then."""
    command = [sys.executable, "-m", "tests.service.forks"]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def _serve(environment: Mapping[str, str], log: str, arguments: Sequence[str]) -> None:
    """Run a service or a command, in a separate session."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    names = (log, f"{log}.errors" if arguments else log)
    outputs = [os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for name in names]
    for descriptor, other in enumerate((os.open(os.devnull, os.O_RDONLY), *outputs)):
        os.dup2(other, descriptor)
    os.environ.clear()
    os.environ.update(environment)
    Path(f"{log}.status").write_text(str(_be_a_service(arguments)), encoding="ascii")


def _be_a_service(arguments: Sequence[str] = ()) -> int:
    setattr(service.runs.runner, "SNAKEMAKE", COMMAND)  # noqa: B010 - a constant is changed here on purpose
    return main(arguments)


def _fork_on_request() -> None:
    assert callable(create_app)  # loaded, so that no service has to
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                _serve(**json.loads(line))
            except BaseException:  # noqa: BLE001 - the copy of the parent must not go on
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _be_a_service() if sys.argv[1:] == ["serve"] else _fork_on_request()
