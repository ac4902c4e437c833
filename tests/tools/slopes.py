"""Growth of a process: samples of its memory, and slopes with their standard errors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

BLOCKS = 20
"""Number of blocks of neighbouring samples to average, so that their correlation doesn't count as evidence."""


class Slope(NamedTuple):
    """A slope and its standard error, in units of y per unit of x."""

    value: float
    error: float


def slope(x: Sequence[float], y: Sequence[float], blocks: int = BLOCKS) -> Slope:
    """Return the least-squares slope of block averages, and its standard error from their residuals.

    Memory comes and goes in waves, so single samples are not independent of each other;
    averages of long blocks nearly are.

    Parameters
    ----------
    x, y : sequence of float, shape (n,)
        Samples in order, n at least 6.
    blocks : int
        How many averages to make, fewer when there are not two samples for each.
    """
    count = max(3, min(blocks, len(x) // 2))
    means = [(float(np.mean(a)), float(np.mean(b)))
             for a, b in zip(np.array_split(x, count), np.array_split(y, count), strict=True)]  # fmt: skip
    xs, ys = (np.array(column) for column in zip(*means, strict=True))
    centred = xs - xs.mean()
    spread = float((centred**2).sum())
    value = float((centred * ys).sum()) / spread
    residuals = ys - ys.mean() - value * centred
    return Slope(value, float(np.sqrt((residuals**2).sum() / (count - 2) / spread)))


@dataclass(frozen=True, slots=True)
class Sample:
    """Resources of a process at one moment.

    Parameters
    ----------
    memory_mb, anonymous_mb : float
        Resident memory, and the anonymous part of it.
    files, threads : int
        Open file handles; threads.
    """

    memory_mb: float
    anonymous_mb: float
    files: int
    threads: int

    @classmethod
    def of(cls, process: int) -> Sample:
        """Look at a process."""
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")

        def number(name: str) -> int:
            return int(status.partition(f"{name}:")[2].split()[0])

        handles = sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())
        return cls(number("VmRSS") / 1024, number("RssAnon") / 1024, handles, number("Threads"))


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process so far, without its children, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
