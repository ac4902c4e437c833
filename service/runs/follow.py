"""Progress of a running job, read from new lines of its event file."""

import json
from pathlib import Path

from service.jobs.progress import Live, progress_after
from tethermap.base import layout
from tethermap.base.atomic import new_lines


class Follower:
    """Reads a job's events again and again.

    Parameters
    ----------
    folder : Path
        The job folder; its event file may contain earlier runs.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / layout.EVENTS
        self._offset = 0
        self._live = Live()

    def read(self) -> Live:
        """Return the state of the latest run; unreadable lines change nothing."""
        try:
            lines, self._offset = new_lines(self._path, self._offset)
        except OSError:
            return self._live
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                self._live = progress_after(self._live, event)
        return self._live
