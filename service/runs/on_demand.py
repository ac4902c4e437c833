"""Results on demand from a separate process, which can import the chemistry: nothing is written to the job."""

import contextlib
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, ParamSpec, TypeVar, get_args

import anyio
import anyio.to_thread

from service.errors import InternalError, InvalidParameter, NotFound, QueueFull
from service.runs.config import child_environment
from service.settings import REPOSITORY, Settings
from tethermap.run.exit_status import NO_INPUTS, NO_MOLECULE

P = ParamSpec("P")
T = TypeVar("T")

_SECONDS = 60.0
"""Longest time of one process; a ligand takes about two seconds."""

_WAIT_SECONDS = 20.0
_MOST_REQUESTS = 8
"""Requests of one kind that run and wait; the next is refused at once."""

_RETRY = {"Retry-After": "5"}
_RETRY_LATER = {"Retry-After": "60"}

Kind = Literal["degraders", "halves", "handles", "inputs", "partners", "similar"]
_LOG = logging.getLogger(__name__)


class Places:
    """Places of one kind of work: one request runs, some wait.

    Parameters
    ----------
    most : int
        Maximum number of requests that run and wait.
    """

    def __init__(self, most: int = _MOST_REQUESTS) -> None:
        self._requests = threading.BoundedSemaphore(most)
        self._running = threading.BoundedSemaphore(1)

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a slot and occupy it.

        Raises
        ------
        QueueFull
            If too many wait, or none becomes free in time.
        """
        full = QueueFull("Too much is being made: try again.", headers=_RETRY)
        with contextlib.ExitStack() as places:
            for place, seconds in ((self._requests, 0), (self._running, _WAIT_SECONDS)):
                if not place.acquire(timeout=seconds):
                    raise full
                places.callback(place.release)
            yield


_PLACES: Mapping[Kind, Places] = {kind: Places() for kind in get_args(Kind)}
_THREADS = anyio.CapacityLimiter(_MOST_REQUESTS * len(_PLACES))
"""Separate threads: requests that wait here block no others."""


async def on_demand(make: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Run one of the functions below in a thread."""
    return await anyio.to_thread.run_sync(partial(make, *arguments, **options), limiter=_THREADS)


def partners_text(settings: Settings, job: Path, stem: str) -> str:
    """Return the atoms of partner chains and mates around a ligand as JSON; raises the errors of `run_script`."""
    return run_script("partners", settings, "scripts.partner_atoms", [f"--stem={stem}", "--", str(job)])


def run_script(kind: Kind, settings: Settings, module: str, arguments: Sequence[str]) -> str:
    """Run a script of the pipeline and return its output.

    Parameters
    ----------
    kind : str
        Kind of slot.
    settings : Settings
        Settings of the service.
    module : str
        Name of the script, ``scripts.degraders`` for example.
    arguments : sequence of str
        Each as ``--name=value``.

    Raises
    ------
    NotFound, InvalidParameter
        If the script has nothing for these arguments, with its reason.
    QueueFull
        If too many run and wait, or this one takes too long.
    InternalError
        If the script fails.
    """
    try:
        with _PLACES[kind].taken():
            run = subprocess.run(
                [sys.executable, "-m", module, *arguments],
                cwd=REPOSITORY,
                env=child_environment(settings),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise QueueFull(f"This took more than {_SECONDS:g} s: reduce the request.", headers=_RETRY_LATER) from error
    if run.returncode == NO_INPUTS:
        raise NotFound(run.stderr.strip())
    if run.returncode == NO_MOLECULE:
        raise InvalidParameter(run.stderr.strip(), details={"reason": run.stderr.strip()})
    if run.returncode:
        _LOG.error("%s %s failed: %s", module, " ".join(arguments[:2]), run.stderr.strip())
        raise InternalError("The result could not be computed; the log of the service has the reason.")
    return run.stdout
