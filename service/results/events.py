"""Events of a job, read from its event file: log lines for people, progress for programs."""

from dataclasses import dataclass
from pathlib import Path

from service.http.job_answers import JobProgress
from service.jobs.durable import raise_shortage
from service.jobs.progress import Live, progress_after
from tethermap.base import layout
from tethermap.run import job_log
from tethermap.run.events import NewEvents


@dataclass(frozen=True, slots=True)
class Happening:
    """One numbered event for clients: a line of the log, or a new state of the progress.

    Parameters
    ----------
    number : int
        Number of the event in the job's event file; it grows over all attempts.
    line : str
        Line of the log; empty when it has none.
    progress : JobProgress or None
        Progress after the event, when it has changed.
    """

    number: int
    line: str
    progress: JobProgress | None


class EventReader:
    """Reads the events of a job, each once.

    Parameters
    ----------
    job : Path
        The job folder; `last` is the number of its last event that was read.
    """

    def __init__(self, job: Path) -> None:
        self._events = NewEvents(job / layout.EVENTS)
        self.last = 0
        self._started: dict[object, str] = {}
        self._live = Live()
        self._progress: JobProgress | None = None

    def read(self) -> list[Happening]:
        """Return new events."""
        happenings = []
        for event in self._events.read():
            self.last = event["n"]
            try:
                sentence = job_log.event_sentence(event, self._started)
                line = f"{event['time'][:19]}Z  {sentence}" if sentence else ""
                self._live = progress_after(self._live, event)
            except (KeyError, TypeError, ValueError):  # a line of another version
                continue
            progress = JobProgress.model_validate(self._live)
            changed = progress != self._progress
            self._progress = progress
            if line or changed:
                happenings.append(Happening(event["n"], line, progress if changed else None))
        return happenings


def log_lines(job: Path, *, final: bool) -> list[str]:
    """Return the log of a job so far."""
    lines = [happening.line for happening in EventReader(job).read() if happening.line]
    return [*lines, *last_lines(job, begun=bool(lines))] if final or not lines else lines


def last_lines(job: Path, *, begun: bool) -> list[str]:
    """Return the last lines of a job's log; all lines, from its log file, if its events contain none.

    Parameters
    ----------
    begun : bool
        Whether events have contained lines.
    """
    if begun:
        return job_log.closing_lines(job)
    try:
        return (job / layout.JOB_LOG).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise_shortage(error)
        return []
