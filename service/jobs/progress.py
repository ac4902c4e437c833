"""Progress of a run, from its events."""

from dataclasses import dataclass, field, replace
from typing import Any

from service.jobs.record import EntryCounts


@dataclass(frozen=True)
class Live:
    """Fields of a job's record that change while it runs; `percent` is None before its steps are planned."""

    current_step: str | None = None
    planned: int = 0
    done: int = 0
    percent: int | None = None
    entries: EntryCounts = field(default_factory=EntryCounts)


def progress_after(live: Live, event: dict[str, Any]) -> Live:
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
