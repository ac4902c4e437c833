"""Services over the stand-in pipeline, forked from one process that has loaded all already: a start costs 50 ms.

The operator's commands are run in the same way.
"""

import os
import sys
from collections.abc import Mapping
from multiprocessing import set_forkserver_preload
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import service.app  # loaded, so that no service has to
import service.runs.runner
from service.__main__ import main
from tests.standin.pipeline import COMMAND

set_forkserver_preload([__name__])


class Forked(ForkServerProcess):
    """A service or a command in a separate session; has what its users need of `subprocess.Popen`.

    Parameters
    ----------
    environment : mapping of str to str
        Environment variables of the process.
    log : Path
        File of its output; the errors of a command have the ending `.errors`.
    *arguments : str
        Command of the operator; none for the service itself.
    """

    def __init__(self, environment: Mapping[str, str], log: Path, *arguments: str) -> None:
        super().__init__()
        self._request = dict(environment), log, arguments
        self.start()

    def run(self) -> None:
        """Run the service or the command, in the new process."""
        environment, log, arguments = self._request
        os.setsid()
        names = (log, f"{log}.errors" if arguments else log)
        outputs = [os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for name in names]
        for descriptor, other in enumerate((os.open(os.devnull, os.O_RDONLY), *outputs)):
            os.dup2(other, descriptor)
        os.environ.clear()
        os.environ.update(environment)
        setattr(service.runs.runner, "SNAKEMAKE", COMMAND)  # noqa: B010 - a constant is changed here on purpose
        sys.exit(main(arguments))

    def poll(self) -> int | None:
        """Return its exit status; None if it runs."""
        return self.exitcode

    def wait(self, seconds: float) -> int:
        """Wait for its end and return its exit status."""
        self.join(seconds)
        if self.exitcode is None:
            raise TimeoutError(f"the service has not ended in {seconds:g} s")
        return self.exitcode
