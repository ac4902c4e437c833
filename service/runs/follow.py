"""Progress of a running job, read from new lines of its event file."""

from pathlib import Path

from service.jobs.progress import Live, progress_after
from tethermap.base import layout
from tethermap.run.events import NewEvents


class Follower:
    """Reads a job's events again and again.

    Parameters
    ----------
    folder : Path
        The job folder; its event file may contain earlier runs.
    """

    def __init__(self, folder: Path) -> None:
        self._events = NewEvents(folder / layout.EVENTS)
        self._live = Live()

    def read(self) -> Live:
        """Return the state of the latest run; unreadable lines change nothing."""
        for event in self._events.read():
            self._live = progress_after(self._live, event)
        return self._live
