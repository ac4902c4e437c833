"""Timeouts of tests: seconds of a quiet machine, scaled by the current slowness of this one."""

import time
from collections.abc import Callable
from typing import Any

QUIET_SECONDS = 0.02
"""Time that the calibration loop takes on a machine that does nothing else."""

_ROUNDS = 400_000
_HOLDS_SECONDS = 15.0
_SPARE = 2.0
"""Load comes and goes within what a test waits for."""

_measured = {"at": float("-inf"), "slowness": 1.0}


def slowness() -> float:
    """Return how many times longer than on a quiet machine things take here, by the clock; 1 at least."""
    now = time.monotonic()
    if now - _measured["at"] > _HOLDS_SECONDS:
        total = 0
        for number in range(_ROUNDS):
            total += number & 7
        _measured["slowness"] = max(1.0, (time.monotonic() - now) / QUIET_SECONDS)
        _measured["at"] = now
    return _measured["slowness"]


def patience(seconds: float) -> float:
    """Return the timeout for an action that takes at most this number of seconds on a quiet machine."""
    return seconds * max(1.0, _SPARE * slowness())


def wait_until(true: Callable[[], Any], seconds: float = 30, what: Any = "") -> Any:
    """Wait until something is true and return it; `seconds` are those of a quiet machine.

    Raises
    ------
    TimeoutError
        If it is not in time; the message gives the reason.
    """
    deadline = time.monotonic() + patience(seconds)
    while not (value := true()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s of a quiet machine: {what or true}")
        time.sleep(0.02)
    return value
