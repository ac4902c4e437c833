"""Processes of runs: who is alive, told apart from later owners of the same number."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

RUN_VARIABLE = "TETHERMAP_RUN"
"""Variable that every process of a run inherits; its value is the run's token."""

FOLDER_VARIABLE = "TETHERMAP_RUN_FOLDER"
"""The same for the run's job folder."""

_PROC = Path("/proc")
_LINUX = sys.platform.startswith("linux")
_PGRP, _START = 2, 19  # fields of /proc/<pid>/stat, counted from the state


@dataclass(frozen=True, slots=True)
class Process:
    """A living process: its number, its group's, and its start as the system tells it."""

    pid: int
    group: int
    start: str


def process(pid: int) -> Process | None:
    """Return the process that has this number now; None when it is gone or a zombie."""
    return _from_proc(pid) if _LINUX else next((one for one in _from_ps() if one.pid == pid), None)


def members(token: str, leader: int | None, start: str | None) -> list[Process]:
    """Return the living processes of a run, the calling process left out.

    Parameters
    ----------
    token : str
        The run's token; a process is found by it even in a session of its own.
    leader, start : int or None, str or None
        Number and start of the first process, whose group counts as the run's only while
        one of its members is proven to be of the run: numbers are given out again.
    """
    everyone = _everyone()
    marked = {one.pid for one in everyone if _LINUX and _has_token(one.pid, token)}
    group_is_ours = any(
        one.group == leader and (one.pid in marked or (one.pid == leader and one.start == start)) for one in everyone
    )
    if not _LINUX and leader is not None and start is not None:  # no other mark there: what began later is not ours
        group_is_ours = group_is_ours or not any(one.pid == leader for one in everyone)
    mine = os.getpid()
    return [
        one
        for one in everyone
        if one.pid != mine and (one.pid in marked or (group_is_ours and one.group == leader and leader is not None))
    ]


def strays(jobs_dir: Path, known: Collection[str]) -> dict[Path, list[Process]]:
    """Return the living processes of runs whose jobs are no more, by job folder.

    Parameters
    ----------
    jobs_dir : Path
        Folder of all jobs.
    known : collection of str
        Ids of jobs that may have processes.
    """
    found: dict[Path, list[Process]] = {}
    for one in _everyone() if _LINUX else ():
        text = _variable(one.pid, FOLDER_VARIABLE)
        folder = Path(text) if text else None
        if folder is not None and folder.parent == jobs_dir and folder.name not in known and one.pid != os.getpid():
            found.setdefault(folder, []).append(one)
    return found


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
    """Return for how long a process has lived, by a clock that nobody can set."""
    if not _LINUX:
        text = _ps("-o", "etime=", "-p", str(one.pid)).strip()
        days, _, rest = text.rpartition("-")
        parts = [int(part) for part in rest.split(":") if part.isdigit()]
        seconds = sum(part * 60**place for place, part in enumerate(reversed(parts)))
        return float(int(days or 0) * 86400 + seconds)
    ticks = float(one.start.rpartition(":")[2])
    now: float = time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
    return now - ticks / os.sysconf("SC_CLK_TCK")


def _everyone() -> list[Process]:
    if not _LINUX:
        return _from_ps()
    found = (_from_proc(int(name)) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208 - no Path for each
    return [one for one in found if one is not None]


def _from_proc(pid: int) -> Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text[text.rfind(")") + 2 :].split()
    if fields[0] in "ZX":
        return None
    return Process(pid, int(fields[_PGRP]), f"{_boot_id()}:{fields[_START]}")


def _has_token(pid: int, token: str) -> bool:
    return _variable(pid, RUN_VARIABLE) == token


def _variable(pid: int, name: str) -> str | None:
    """Return a variable of the environment that a process began with."""
    try:
        variables = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    begin = f"{name}=".encode()
    found = next((one for one in variables.split(b"\0") if one.startswith(begin)), None)
    return None if found is None else os.fsdecode(found[len(begin) :])


def _boot_id() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _from_ps() -> list[Process]:
    found = []
    for line in _ps("-A", "-o", "pid=,pgid=,stat=,lstart=").splitlines():
        pid, group, state, start = line.split(None, 3)
        if not state.startswith("Z"):
            found.append(Process(int(pid), int(group), start.strip()))
    return found


def _ps(*arguments: str) -> str:
    run = subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False)  # noqa: S607
    return run.stdout
