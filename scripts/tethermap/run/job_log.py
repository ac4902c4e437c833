"""The log of a job for people, made from its events: no host, no user, no path but the job's own."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.run.display import STEPS
from tethermap.run.events import read_events
from tethermap.run.progress import ProgressReader
from tethermap.run.told import told_at_end


def job_log_text(job: Path) -> str:
    """Return the readable log of a job so far.

    Parameters
    ----------
    job : Path
        The job folder; a run without an event file has a log of one line.

    Returns
    -------
    str
        Lines of time (UTC) and event, ended by the state of the entries.
    """
    return "\n".join([*_lines(read_events(job / layout.EVENTS)), *closing_lines(job)]) + "\n"


def closing_lines(job: Path) -> list[str]:
    """Return the state of the entries, and the final notes of a finished run."""
    progress = ProgressReader(job).read()
    entries = "not searched yet" if progress.found is None else f"{progress.found} found"
    counts = f"entries: {entries}, {progress.done} done, {progress.kept} kept, {progress.rejected} rejected"
    return [counts, *told_at_end(job)]


def _lines(events: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield one line for each event that matters to people."""
    started: dict[object, str] = {}
    for event in events:
        text = event_sentence(event, started)
        if text:
            yield f"{event['time'][:19]}Z  {text}"


def event_sentence(event: dict[str, Any], started: dict[object, str]) -> str:
    """Describe an event in words, or return nothing for those for machines.

    Parameters
    ----------
    event : dict
        A line of the event file.
    started : dict
        Start time of each job of Snakemake by its number; updated by this function.

    >>> event_sentence({"event": "planned", "jobs": 12}, {})
    '12 steps planned, more when the search is done'
    """
    kind = event["event"]
    if kind == "run_started":
        started.clear()
        return f"run started (Snakemake {event.get('snakemake') or 'of unknown version'})"
    if kind == "planned":
        return f"{event['jobs']} steps planned, more when the search is done"
    if kind == "job_started":
        started[event["job"]] = event["time"]
        return "" if event["rule"] == "all" else f"{_step(event)}: started"
    if kind == "job_finished" and event.get("rule") not in (None, "all"):
        begun = started.get(event["job"])
        return f"{_step(event)}: done" + (f" in {_seconds(begun, event['time']):.1f} s" if begun else "")
    if kind == "job_error":
        return f"{_step(event)}: FAILED"
    if kind == "failed":
        return f"the job ended: {event['message']}"
    if kind == "waiting":
        return str(event["message"])
    return ""


def _step(event: dict[str, Any]) -> str:
    words = STEPS.get(event["rule"], event["rule"])
    return words if event.get("shard") is None else f"{words}, shard {event['shard']}"


def _seconds(begin: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
