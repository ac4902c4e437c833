"""Progress of a running job, read from new lines of its event file."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from service.jobs.record import EntryCounts
from tethermap.base import layout


@dataclass(frozen=True)
class Live:
    """Fields of a job's record that change while it runs; `percent` is None before its steps are planned."""

    current_step: str | None = None
    planned: int = 0
    done: int = 0
    percent: int | None = None
    entries: EntryCounts = field(default_factory=EntryCounts)


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
            with self._path.open("rb") as stream:
                stream.seek(self._offset)
                data = stream.read()
        except OSError:
            return self._live
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        for line in complete.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                self._live = _after(self._live, event)
        return self._live


def _after(live: Live, event: dict[str, Any]) -> Live:
    """Return the state after an event; percent never decreases within a run."""
    kind = event.get("event")
    if kind == "run_started":
        return Live()
    if kind == "planned":
        return replace(live, planned=int(event.get("jobs") or 0))
    if kind == "job_started" and event.get("rule") not in (None, "all"):
        return replace(live, current_step=str(event["rule"]))
    if kind == "progress":
        done, planned = int(event.get("done") or 0), int(event.get("total") or 0)
        percent = live.percent
        if planned and live.current_step not in (None, "search_entries"):
            percent = max(percent or 0, min(99, 100 * done // planned))
        return replace(live, done=done, planned=max(planned, live.planned), percent=percent)
    if kind == "entries":
        n_found = event.get("found")
        counts = (int(event.get(name) or 0) for name in ("done", "kept", "rejected", "ligands", "ligands_done"))
        return replace(live, entries=EntryCounts(None if n_found is None else int(n_found), *counts))
    return live
