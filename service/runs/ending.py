"""Decision on the final state of a job from the output of its run; no other module decides it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from service.jobs.durable import SHORTAGE, is_full, read_object
from service.jobs.outcome import is_complete
from service.jobs.record import CANCELED, COMPLETED, FAILED, ErrorKind, JobError, State
from service.runs.runner import RUN_LOG, Intent
from tethermap.base import layout
from tethermap.base.errors import NO_SPACE
from tethermap.run.events import read_events
from tethermap.run.logs import end_of_log

_FROM_OUTSIDE = re.compile(
    r"died with <Signals\.|non-zero exit status (?:-9|-15|137|143)\b"  # a step
    r"|Terminating processes on user request|Will exit after finishing currently running jobs"  # Snakemake
)


@dataclass(frozen=True, slots=True)
class Ending:
    """Final state of a run.

    Parameters
    ----------
    status : str or None
        The final state; None for an interruption, after which the job is run again.
    error : JobError or None
        Why it failed, or would if it may not be run again.
    shortage : str
        The resource whose lack prevented even the first step; empty if none.
    """

    status: State | None
    error: JobError | None = None
    shortage: str = ""


def judge(folder: Path, exit_status: int | None, intent: Intent, *, timeout_s: float | None = None) -> Ending:
    """Return how a run ended, all of whose processes are dead.

    Parameters
    ----------
    folder : Path
        The job folder.
    exit_status : int or None
        Of Snakemake, negative for a signal; None when it was not this process's child.
    intent : str
        Why the service stopped it, if it did.
    timeout_s : float or None
        The limit that was passed when `intent` is ``timeout``.
    """
    if is_complete(folder):
        return Ending(COMPLETED)
    step = last_step(folder)
    if intent == "cancel":
        return Ending(CANCELED)
    if intent == "timeout":
        limit = f"{timeout_s:g} seconds" if timeout_s else "its time limit"
        return Ending(FAILED, JobError(f"The job took longer than {limit} and was stopped.", step, "timeout"))
    recorded, tail = read_object(folder / layout.ERROR), end_of_log(folder / RUN_LOG)
    message = recorded.get("message") or ""
    kind: Any = recorded.get("kind", "pipeline")
    if _FROM_OUTSIDE.search(tail) and not recorded.get("step"):  # for lack of memory, or by hand
        return Ending(None, JobError(message or "A step of the pipeline was ended from outside.", step, "interrupted"))
    if kind == "pipeline" and (short := SHORTAGE.search(f"{tail}\n{message}")):
        lack = f"The machine lacked resources for the run: {short[0]}."
        return Ending(None, JobError(lack, step, "interrupted"), short[0] if not step else "")
    if recorded:
        kind = kind if kind in get_args(ErrorKind) else "pipeline"
        return Ending(FAILED, JobError(message or "The pipeline failed.", recorded.get("step") or "", kind))
    if is_full(folder) or NO_SPACE.search(tail):
        return Ending(FAILED, JobError("The disk of the jobs is full.", step, "disk_full"))
    interrupted = "The job was interrupted twice; its finished steps are kept."
    if exit_status is None or exit_status < 0:
        return Ending(None, JobError(interrupted, step, "interrupted"))
    message = f"The pipeline stopped{f' in {step}' if step else ''} without a reason: see the log of the job."
    return Ending(FAILED, JobError(message, step, "pipeline"))


def last_step(folder: Path) -> str:
    """Return the rule that began last; empty when none has."""
    events = read_events(folder / layout.EVENTS)
    rules = [event.get("rule") for event in events if event.get("event") == "job_started"]
    return next((str(rule) for rule in reversed(rules) if rule not in (None, "all")), "")
