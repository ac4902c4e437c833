"""Follows a run: events to the job's event file, progress by entry, a line for the terminal."""

import contextlib
import dataclasses
import logging
import sys
import threading
import time
from pathlib import Path

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.run.cluster_errors import ClusterErrors
from tethermap.run.display import ProgressDisplay, progress_line
from tethermap.run.events import RunEvents
from tethermap.run.job_log import job_log_text
from tethermap.run.logs import failed_step_log, read_error, unrecorded_error
from tethermap.run.progress import Progress, ProgressReader
from tethermap.run.slurm import LOGS as SLURM_LOGS, never_starting
from tethermap.run.told import NOTHING_KEPT, told_at_end

_SECONDS = 0.5
_CLUSTER_SECONDS = 30.0


class RunRecorder(logging.Handler):
    """Records a run from Snakemake's log records and the progress files of its scripts.

    It starts with the first record of a run and uses the current folder as the job's.
    None of its methods raises. The logger plugin hands it records; runs without the plugin add it to the logger.

    Parameters
    ----------
    display : ProgressDisplay or None
        Display of the progress; None for none.
    """

    def __init__(self, display: ProgressDisplay | None) -> None:
        super().__init__()
        self._display = display
        self._events = RunEvents()
        self._reader: ProgressReader | None = None
        self._cluster_errors = ClusterErrors()
        self._last = Progress()
        self._said: list[str] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tethermap-progress", daemon=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Process one log record."""
        event = str(getattr(record, "event", ""))
        if self._reader is None and event == "workflow_started":
            self._reader = ProgressReader(Path.cwd())
            self._thread.start()
        if self._reader is not None:
            self._events.take(event, vars(record))
            if record.levelno >= logging.ERROR:
                self._said.append(record.getMessage())
            if event == "job_error":
                with contextlib.suppress(OSError):
                    self._cluster_errors.keep(vars(record), self._reader.job)

    @property
    def failed(self) -> bool:
        """Whether the run has failed after its first step had begun, by the records."""
        return self._events.failed and bool(self._events.step)

    def reason(self) -> str:
        """Return the sentence that a step of a failed run has left, empty when there is none."""
        error = read_error(self._reader.job) if self._reader and self.failed else {}
        return error.get("message", "")

    def close(self) -> None:
        """Record the last state and, for a failed run, the reason; print one sentence."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._look(show=not self.failed)
        if self._reader is not None and self.failed:
            error = read_error(self._reader.job)
            error = error or unrecorded_error(self._reader.job, self._events.failed_step, self._said)
            self._events.write("failed", **{name: error[name] for name in ("message", "step", "kind")})
            with contextlib.suppress(OSError):  # the last step, which writes it otherwise, has not run
                job = self._reader.job
                write_text(job / layout.JOB_LOG, job_log_text(job) + failed_step_log(job))
            if self._display is not None:
                self._display.clear()
            sys.stderr.write(f"Tethermap: {error['message']}\n")
        elif self._display is not None:
            self._display.close()
            if self._reader is not None and (self._reader.job / layout.MANIFEST).is_file():
                job, told = self._reader.job, told_at_end(self._reader.job)
                ending = "no results; all reasons are listed" if NOTHING_KEPT in told else "results are"
                told.append(f"{ending} in {job / layout.RESULTS}; open {job / layout.REPORT} in a browser")
                sys.stderr.writelines(f"Tethermap: {line}\n" for line in told)
        self._events.close()
        super().close()

    def _watch(self) -> None:
        told: set[str] = set()
        asked = time.monotonic()
        while not self._stopped.wait(_SECONDS):
            self._look(show=True)
            if time.monotonic() - asked < _CLUSTER_SECONDS or not Path(SLURM_LOGS).is_dir():
                continue
            asked = time.monotonic()
            for sentence in never_starting(Path.cwd()) - told:
                told.add(sentence)
                self._events.write("waiting", message=sentence)
                if self._display is not None:
                    self._display.clear()
                sys.stderr.write(f"Tethermap: {sentence}\n")

    def _look(self, *, show: bool) -> None:
        """Record and show the progress of the job if it has changed."""
        step = self._events.step
        if self._reader is None or not step:
            return
        try:
            progress = self._reader.read()
        except OSError:  # a file vanished during reading: the next pass finds it
            return
        if progress != self._last:
            self._last = progress
            self._events.write("entries", **dataclasses.asdict(progress), step=step)
        if show and self._display is not None:
            self._display.show(progress_line(progress, step))
