"""One run of one job: a Snakemake process in a separate session, started, adopted, stopped, proven dead."""

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import os
import secrets
import shutil
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from service.jobs.child import output_of
from service.jobs.durable import read_json, write_json
from service.jobs.record import CONFIG, RECORD, SERVICE_FOLDER
from service.runs import processes
from service.runs.config import SNAKEMAKE, child_environment, snakemake_command
from service.runs.processes import Process
from service.settings import REPOSITORY, Settings, cluster_executor
from tethermap.base import layout
from tethermap.base.atomic import is_leftover, remove_leftovers
from tethermap.run.slurm import cancel_slurm_jobs

Intent = Literal["", "cancel", "timeout", "shutdown", "vanished"]

RUN_FILE = f"{SERVICE_FOLDER}/run.json"
RUN_LOG = f"{SERVICE_FOLDER}/run.log"
"""Output of the last run; made just before its first process, so a run without it has had none."""
TERM_SECONDS = 10.0
"""Time in seconds that a run may take to end before it is killed."""
INTERRUPT_SECONDS = 25.0
"""The same on a cluster, whose jobs Snakemake cancels first."""

_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.05
_UNLOCK_SECONDS = 60.0
_ADOPTED_POLL_SECONDS = 0.5

_LOG = logging.getLogger(__name__)


class LaunchError(Exception):
    """Snakemake could not be started; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class RunState:
    """State of a run on disk, enough to find its processes again.

    Parameters
    ----------
    token : str
        Every process of the run has it in its environment.
    pid, start : int or None, str or None
        The first process and when it began; None until it has been started.
    intent : str
        Reason for the stop; empty if no stop was requested.
    """

    token: str
    pid: int | None = None
    start: str | None = None
    intent: Intent = ""


class Run:
    """A run whose first process lives, or has.

    Parameters
    ----------
    folder : Path
        The job folder.
    state : RunState
        State on disk.
    child : asyncio.subprocess.Process or None
        The process when this one has started it; None for an adopted one.
    """

    def __init__(self, folder: Path, state: RunState, child: asyncio.subprocess.Process | None) -> None:
        self.folder = folder
        self.state = state
        self._child = child

    async def wait(self) -> int | None:
        """Wait for the first process to end; return its exit status, None when it can't be known."""
        if self._child is not None:
            return await self._child.wait()
        while self._process() is not None:  # noqa: ASYNC110 - the process of another parent sends no event
            await asyncio.sleep(_ADOPTED_POLL_SECONDS)
        return None

    def age_seconds(self) -> float:
        """Return for how long the first process has lived."""
        return processes.age_seconds(one) if (one := self._process()) is not None else 0.0

    def intend(self, intent: Intent) -> None:
        """Record the reason for a stop before it; the first reason is kept."""
        if self.state.intent:
            return
        self.state = replace(self.state, intent=intent)
        try:
            write_json(self.folder / RUN_FILE, asdict(self.state))
        except OSError as error:  # folder deleted or disk full: memory has to do
            _LOG.warning("the reason for stopping a run could not be written: %s", error.strerror)

    def _process(self) -> Process | None:
        """Return the first process if it lives."""
        one = processes.process(self.state.pid) if self.state.pid is not None else None
        return one if one is not None and one.start == self.state.start else None


class Runner:
    """Starts and stops runs.

    Parameters
    ----------
    settings : Settings
        Profile, cores, folders.
    snakemake : tuple of str or None
        Command that starts Snakemake; None for the one of this environment.
    """

    def __init__(self, settings: Settings, snakemake: tuple[str, ...] | None = None) -> None:
        self._settings = settings
        self._snakemake = SNAKEMAKE if snakemake is None else snakemake
        self._cluster = bool(cluster_executor(settings.profile))

    async def start(self, folder: Path, prepared: Callable[[], Awaitable[None]]) -> Run:
        """Start a run of a job, or continue after an earlier one, all of whose processes are dead.

        Parameters
        ----------
        folder : Path
            The job folder.
        prepared : callable
            Awaited when the run is on disk and its process is not started yet.

        Raises
        ------
        LaunchError
            If Snakemake can't be started.
        """
        for earlier in (layout.ERROR, RUN_LOG):
            (folder / earlier).unlink(missing_ok=True)
        state = RunState(secrets.token_hex(16))
        write_json(folder / RUN_FILE, asdict(state))
        await prepared()
        importlib.invalidate_caches()
        if self._snakemake == SNAKEMAKE and importlib.util.find_spec("snakemake") is None:
            raise LaunchError("Snakemake is not installed in the service's environment.")
        marks = {processes.RUN_VARIABLE: state.token, processes.FOLDER_VARIABLE: str(folder)}
        try:
            with (folder / RUN_LOG).open("wb") as log:
                child = await asyncio.create_subprocess_exec(
                    *snakemake_command(self._settings, folder, folder / CONFIG, snakemake=self._snakemake),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=asyncio.subprocess.STDOUT,
                    env={**child_environment(self._settings), **marks},
                    cwd=REPOSITORY,
                    start_new_session=True,
                )
        except (FileNotFoundError, PermissionError) as error:
            raise LaunchError(f"Snakemake could not be started: {error.strerror}.") from error
        one = processes.process(child.pid)
        state = replace(state, pid=child.pid, start=one.start if one else "")
        run = Run(folder, state, child)
        with contextlib.suppress(OSError):  # found again by its token
            write_json(folder / RUN_FILE, asdict(state))
        return run

    def find(self, folder: Path) -> Run | None:
        """Return the last run of a job whose first process still lives, to be watched on."""
        state = read_state(folder)
        if state is None:
            return None
        living = processes.members(state.token, state.pid, state.start)
        if state.pid is None:  # killed between its start and the note of it
            leader = next((one for one in living if one.group == one.pid), None)
            state = state if leader is None else replace(state, pid=leader.pid, start=leader.start)
        leads = any(one.pid == state.pid and one.start == state.start for one in living)
        return Run(folder, state, None) if leads else None

    async def stop(self, run: Run, intent: Intent, *, seconds: float | None = None) -> None:
        """End all processes of a run: first by signal, then by force; return when they have ended.

        Parameters
        ----------
        run : Run
            The run.
        intent : str
            Why; remembered on disk before the first signal.
        seconds : float or None
            Time to wait before force is used.
        """
        await asyncio.to_thread(run.intend, intent)
        if seconds is None:
            seconds = INTERRUPT_SECONDS if self._cluster else TERM_SECONDS
        await self.end_processes(run.folder, run.state, seconds=seconds)

    async def end_processes(self, folder: Path, state: RunState, *, seconds: float = TERM_SECONDS) -> None:
        """End what lives of a run, its first process dead or not, and prove it."""
        living = _members(state)
        if living:
            first = signal.SIGINT if self._cluster else signal.SIGTERM
            if self._cluster:  # after this signal, Snakemake cancels its jobs on the cluster
                processes.send([one for one in living if one.pid == state.pid] or living, first)
            elif state.pid is not None and any(one.group == state.pid for one in living):
                processes.send_group(state.pid, first)
                processes.send([one for one in living if one.group != state.pid], first)
            else:
                processes.send(living, first)
            if not await _gone(state, seconds):
                while not await _gone(state, _KILL_SECONDS, signal.SIGKILL):
                    _LOG.error("processes of a run can't be killed: %s", [one.pid for one in _members(state)])
        # A killed writer leaves its temporary file; from now on only the service writes here.
        if not self._cluster or await asyncio.to_thread(cancel_slurm_jobs, folder):
            await asyncio.to_thread(_remove_leftovers, folder)

    async def unlock(self, folder: Path) -> None:
        """Remove the lock that a killed run has left; only if all its processes are dead."""
        locks = folder / ".snakemake" / "locks"
        if not any(locks.glob("*")):
            return
        command = snakemake_command(self._settings, folder, folder / CONFIG, "--unlock", snakemake=self._snakemake)
        with contextlib.suppress(OSError, TimeoutError):
            await output_of(command, _UNLOCK_SECONDS, child_environment(self._settings))
        if any(locks.glob("*")):  # a Snakefile that can't be read keeps Snakemake from it
            shutil.rmtree(locks, ignore_errors=True)


def read_state(folder: Path) -> RunState | None:
    """Return the state of a job's last run on disk; None if it never ran."""
    data = read_json(folder / RUN_FILE)
    try:
        return RunState(**data)
    except TypeError:
        return None


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of a run's writers; the service may be writing its own, which stay."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != SERVICE_FOLDER:
                    remove_leftovers(Path(entry.path))
            elif is_leftover(entry.name) and f".{RECORD}." not in entry.name:
                Path(entry.path).unlink(missing_ok=True)


def _members(state: RunState) -> list[Process]:
    return processes.members(state.token, state.pid, state.start)


async def _gone(state: RunState, seconds: float, number: signal.Signals | None = None) -> bool:
    """Return whether all processes of a run end in time; a signal is sent again and again until they do."""
    deadline = time.monotonic() + seconds
    while living := _members(state):
        if number is not None:
            processes.send(living, number)
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL_SECONDS)
    return True
