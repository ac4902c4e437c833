"""Results on demand from a separate process, which can import the chemistry: nothing is written to the job."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Literal, get_args

import anyio

from service.errors import InternalError, InvalidParameter, NotFound, QueueFull
from service.jobs.child import output_of
from service.runs.config import child_environment
from service.settings import Settings
from tethermap.run.exit_status import NO_INPUTS, NO_MOLECULE, NO_SECOND_MOLECULE

_SECONDS = 60.0
"""Longest time of one process; a ligand takes about two seconds."""

_WAIT_SECONDS = 20.0
MOST_REQUESTS = 8
"""Requests of one kind that run and wait; the next is refused at once."""

_RETRY = 60
SEARCH_RETRY = 30

Kind = Literal["degraders", "halves", "handles", "inputs", "partners", "similar", "search"]
_LOG = logging.getLogger(__name__)


class Places:
    """Places of one kind of work: some requests run, some wait.

    Parameters
    ----------
    at_once : int
        Requests that run at the same time.
    seconds : float or None
        Longest wait; None for no limit.
    message : str
        Message of a refused request.
    retry : int
        Seconds after which it may be repeated.
    """

    def __init__(self, at_once: int, seconds: float | None, message: str, retry: int) -> None:
        self.seconds = seconds
        self._running = anyio.CapacityLimiter(at_once)
        self._full = partial(QueueFull, message, retry_after=retry)

    @contextlib.asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for a slot and occupy it.

        Raises
        ------
        QueueFull
            If too many wait, or none becomes free in time.
        """
        now = self._running.statistics()
        if now.borrowed_tokens + now.tasks_waiting >= MOST_REQUESTS:
            raise self._full()
        try:
            async with asyncio.timeout(self.seconds):
                await self._running.acquire()
        except TimeoutError:
            raise self._full() from None
        try:
            yield
        finally:
            self._running.release()


class Scripts:
    """Runs scripts of the pipeline for requests, one of each kind at a time, of searches two.

    Parameters
    ----------
    settings : Settings
        Settings of the service.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        full = "Too much is being made: try again."
        self.places: dict[Kind, Places] = {kind: Places(1, _WAIT_SECONDS, full, 5) for kind in get_args(Kind)}
        self.places["search"] = Places(2, None, "Too many dry runs wait: try again.", SEARCH_RETRY)

    async def run(self, kind: Kind, module: str, arguments: Sequence[str], smiles: Sequence[str] = ("smiles",)) -> str:
        """Run a script and return its output.

        Parameters
        ----------
        kind : str
            Kind of slot.
        module : str
            Name of the script, ``scripts.degraders`` for example.
        arguments : sequence of str
            Each as ``--name=value``.
        smiles : sequence of str
            Parameters of the request that the error about a SMILES names, in the order of the script.

        Raises
        ------
        NotFound, InvalidParameter
            If the script has nothing for these arguments, with its reason.
        QueueFull
            If too many run and wait, or this one takes too long.
        InternalError
            If the script fails.
        """
        environment = {**child_environment(self.settings), "PYTHONUTF8": "1"}
        try:
            async with self.places[kind].taken():
                command = [sys.executable, "-m", module, *arguments]
                status, output, errors = await output_of(command, _SECONDS, environment, with_errors=True)
        except TimeoutError as error:
            raise QueueFull(f"This took more than {_SECONDS:g} s: reduce the request.", retry_after=_RETRY) from error
        reason = errors.decode("utf-8", "replace").strip()
        if status == NO_INPUTS:
            raise NotFound(reason)
        if status in (NO_MOLECULE, NO_SECOND_MOLECULE):
            raise InvalidParameter(reason, parameter=smiles[status - NO_MOLECULE], reason=reason)
        if status:
            _LOG.error("%s %s failed: %s", module, " ".join(arguments[:2]), reason)
            raise InternalError("The result could not be computed; the log of the service has the reason.")
        return output.decode("utf-8")
