"""Processes of runs: living ones, distinguished from later owners of the same number.

On Linux /proc is read here: psutil adds the time of boot to the start of a process, which moves when the clock is
set, and takes three times as long for all processes. On other systems psutil is used.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import psutil

RUN_VARIABLE = "TETHERMAP_RUN"
"""Variable that every process of a run inherits; its value is the run's token."""

FOLDER_VARIABLE = "TETHERMAP_RUN_FOLDER"
"""Environment variable with the run's job folder."""

_PROC = Path("/proc")
_LINUX = sys.platform.startswith("linux")
_PGRP, _START = 2, 19  # fields of /proc/<pid>/stat, counted from the state


@dataclass(frozen=True, slots=True)
class Process:
    """A living process: its number, its group's, and its start time from the system."""

    pid: int
    group: int
    start: str


def process(pid: int) -> Process | None:
    """Return the process that has this number now; None when it is gone or a zombie."""
    return _from_proc(pid) if _LINUX else _from_psutil(pid)


def members(token: str, leader: int | None, start: str | None) -> list[Process]:
    """Return the living processes of a run, without the calling process.

    Parameters
    ----------
    token : str
        The run's token; a process is found by it even in another session.
    leader, start : int or None, str or None
        Number and start of the first process, whose group counts as the run's only while
        one of its members is proven to be of the run: numbers are given out again.
    """
    everyone = _everyone()
    marked = {one.pid for one in everyone if _variable(one.pid, RUN_VARIABLE) == token}
    group_is_ours = any(
        one.group == leader and (one.pid in marked or (one.pid == leader and one.start == start)) for one in everyone
    )
    mine = os.getpid()
    return [
        one
        for one in everyone
        if one.pid != mine and (one.pid in marked or (group_is_ours and one.group == leader and leader is not None))
    ]


def strays(jobs_dir: Path, active_ids: Collection[str]) -> dict[Path, list[Process]]:
    """Return the living processes of runs whose jobs no longer exist, by job folder.

    Parameters
    ----------
    jobs_dir : Path
        Folder of all jobs.
    active_ids : collection of str
        Ids of jobs that may have processes.
    """
    stray: dict[Path, list[Process]] = {}
    for one in _everyone():
        text = _variable(one.pid, FOLDER_VARIABLE)
        folder = Path(text) if text else None
        if folder is None or folder.parent != jobs_dir or folder.name in active_ids:
            continue
        if one.pid != os.getpid():
            stray.setdefault(folder, []).append(one)
    return stray


def send(processes: Collection[Process], number: signal.Signals) -> None:
    """Send a signal to processes, those passed over that are gone."""
    for one in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one.pid, number)


def send_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group at once; nothing when it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def age_seconds(one: Process) -> float:
    """Return the age of a process, by a clock that can't be set."""
    if not _LINUX:
        return time.time() - float(one.start)
    ticks = float(one.start.rpartition(":")[2])
    now: float = time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
    return now - ticks / os.sysconf("SC_CLK_TCK")


def _everyone() -> list[Process]:
    return [one for one in map(process, psutil.pids()) if one is not None]


def _from_proc(pid: int) -> Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text[text.rfind(")") + 2 :].split()
    if fields[0] in "ZX":
        return None
    return Process(pid, int(fields[_PGRP]), f"{_boot_id()}:{fields[_START]}")


def _variable(pid: int, name: str) -> str | None:
    """Return a variable of a process's initial environment; None if it is not readable."""
    if not _LINUX:
        with contextlib.suppress(psutil.Error):
            text: str | None = psutil.Process(pid).environ().get(name)
            return text
        return None
    try:
        variables = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    begin = f"{name}=".encode()
    value = next((variable for variable in variables.split(b"\0") if variable.startswith(begin)), None)
    return None if value is None else os.fsdecode(value[len(begin) :])


def _boot_id() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _from_psutil(pid: int) -> Process | None:
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        if process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return Process(pid, os.getpgid(pid), repr(process.create_time()))
    return None
