"""Progress for people: one line on a terminal, some lines in a log file."""

import shutil
import time
from typing import TextIO

from tethermap.run.progress import Progress
from tethermap.run.steps import STEPS as DECLARED

STEPS = {step.name: step.words for step in DECLARED} | {"all": "complete"}
"""Description of each rule."""


def progress_line(progress: Progress, step: str) -> str:
    """Return the state of a job in one line: entries found, done, kept, rejected, and the current step.

    >>> progress_line(Progress(found=2, done=1, kept=1, passed={"measure_sasa": 1}), "measure_sasa")
    'Tethermap: 2 entries found, 1 done (1 kept, 0 rejected); measuring exposure and exits 1/2'
    """
    words = STEPS.get(step, step)
    if progress.found is None:
        return f"Tethermap: {words}"
    noun = "entry" if progress.found == 1 else "entries"
    counts = f"{progress.found} {noun} found, {progress.done} done"
    counts += f" ({progress.kept} kept, {progress.rejected} rejected)"
    passed = progress.passed.get(step)
    within = f", ligand {progress.ligands_done} of {progress.ligands}" if progress.ligands else ""
    return f"Tethermap: {counts}; {words}" + (f" {passed}/{progress.found}" if passed else "") + within


class ProgressDisplay:
    """Shows progress lines on a stream.

    Parameters
    ----------
    stream : TextIO
        Output stream, standard error by default.
    live : bool
        Whether one line is rewritten in place (a terminal) or lines are added now and then.
    seconds : float
        With `live` off: the least time between two lines.
    """

    def __init__(self, stream: TextIO, *, live: bool, seconds: float = 5.0) -> None:
        self._stream = stream
        self._live = live
        self._seconds = seconds
        self._shown = ""
        self._pending = ""
        self._last = -seconds

    def show(self, line: str) -> None:
        """Show a line, now or, in a log file, when enough time has passed."""
        self._pending = line
        if line == self._shown:
            return
        now = time.monotonic()
        if self._live:
            columns = max(20, shutil.get_terminal_size().columns)
            self._stream.write(f"\r\x1b[K{line[: columns - 1]}")
        elif now - self._last < self._seconds:
            return
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()
        self._shown, self._last = line, now

    def clear(self) -> None:
        """Make room for other text on the terminal; the next `show` writes the line again."""
        if self._live and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = ""

    def close(self) -> None:
        """Show pending output and end the line."""
        line = self._pending
        if self._live and line:
            self._stream.write(f"\r\x1b[K{line}\n")
        elif line != self._shown:
            self._stream.write(f"{line}\n")
        self._stream.flush()
