"""Use of resources by a process: memory, CPU, and slopes with their standard errors."""

import resource
import time
from collections.abc import Callable, Sequence

import numpy as np
import psutil
from scipy.stats import linregress

from tests.tools.figures import Figure

BLOCKS = 20
"""Number of blocks of neighbouring samples to average, so that their correlation doesn't count as evidence."""

WARM_UP = 0.2
"""Share of the samples that fill caches and pools; the slopes are those of the rest."""


def growth(name: str, x: Sequence[float], y: Sequence[float], unit: str, *, at_most: float) -> Figure:
    """Return the least-squares slope of block averages after warming up, with its standard error.

    Memory comes and goes in waves, so single samples are not independent of each other;
    averages of long blocks nearly are.

    Parameters
    ----------
    name, unit : str
        Name and unit of the figure.
    x, y : sequence of float, shape (n,)
        Samples in order, n at least 8.
    at_most : float
        The goal.
    """
    first = int(len(x) * WARM_UP)
    count = max(3, min(BLOCKS, (len(x) - first) // 2))
    means = [[np.mean(block) for block in np.array_split(values[first:], count)] for values in (x, y)]
    fitted = linregress(*means)
    error = float(np.nan_to_num(fitted.stderr))  # NaN for values that are all the same
    return Figure(name, round(float(fitted.slope), 5), unit, "memory", error=round(error, 5), at_most=at_most)


def memory_mb(process: int | None = None) -> float:
    """Return the resident memory of a process, by default this one, in MB."""
    return float(psutil.Process(process).memory_info().rss / (1 << 20))


def cpu_seconds(process: int = 0) -> float:
    """Return the CPU time of a process so far, by default this one, without its children, in seconds."""
    if not process:
        return time.process_time()  # in finer steps
    used = psutil.Process(process).cpu_times()
    return float(used.user + used.system)


def spent(work: Callable[[], object], process: int = 0) -> float:
    """Return the CPU seconds of a process, by default this one, during a piece of work here."""
    begun = cpu_seconds(process)
    work()
    return cpu_seconds(process) - begun


def peak_mb() -> float:
    """Return the largest resident memory of this process so far in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
