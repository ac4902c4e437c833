"""The steps of a job with their times, read from its event file, for the monitor page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from tethermap.base import layout
from tethermap.run.display import STEPS
from tethermap.run.events import read_events

StepState = Literal["waiting", "running", "done", "failed", "stopped"]


@dataclass(slots=True)
class StepProgress:
    """One step: all runs of one rule, one for each shard.

    Parameters
    ----------
    name, says : str
        Rule, and its description.
    state : str
        State of the step.
    begun, ended : str or None
        Start of its first run and end of its last one, from the events.
    started, finished : int
        Runs of it.
    """

    name: str
    says: str
    state: StepState = "waiting"
    begun: str | None = None
    ended: str | None = None
    started: int = 0
    finished: int = 0

    @property
    def seconds(self) -> float | None:
        """How long it took, all shards together; None before its end."""
        if self.begun is None or self.ended is None or self.state in ("waiting", "running"):
            return None
        return (datetime.fromisoformat(self.ended) - datetime.fromisoformat(self.begun)).total_seconds()


def steps_of(events: Iterable[dict[str, Any]], *, final: bool) -> list[StepProgress]:
    """Return all steps of a job in their order.

    Parameters
    ----------
    events : iterable of dict
        The job's events, of all its attempts.
    final : bool
        Whether the job has ended: steps still running then were stopped.

    Returns
    -------
    list of StepProgress
        Steps of the last attempt; steps finished in an earlier attempt are done. Empty without events.
    """
    steps = {name: StepProgress(name, says) for name, says in STEPS.items() if name != "all"}
    event = None
    for event in events:
        if event.get("event") == "run_started":  # a new attempt runs unfinished steps again
            steps |= {name: StepProgress(name, step.says) for name, step in steps.items() if step.state != "done"}
        elif step := steps.get(str(event.get("rule"))):
            _note(step, event)
    for step in steps.values():
        if final and step.state == "running":
            step.state = "stopped"
    return [] if event is None else list(steps.values())


def read_steps(job: Path, *, final: bool) -> list[StepProgress]:
    """Return the steps of a job in a folder; see `steps_of`."""
    return steps_of(read_events(job / layout.EVENTS), final=final)


def _note(step: StepProgress, event: dict[str, Any]) -> None:
    kind, time = event.get("event"), str(event.get("time"))
    if kind == "job_started":
        step.state = "running"
        step.started += 1
        step.begun = step.begun or time
    elif kind == "job_finished":
        step.finished += 1
        step.ended = time
        if step.state != "failed" and step.finished >= step.started:
            step.state = "done"
    elif kind == "job_error":
        step.state = "failed"
        step.ended = time
