"""Reason of a failed step on a cluster whose script left none: from the engine's message and the cluster's log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.run.logs import LOG_IS_IN_JOB_LOG, end_of_log, read_error, record_error

_ADVICE = "For further error details see the cluster/cloud log"  # the engine ends each message of a cluster with it
_STATE = re.compile(r"status is: '(\w+)'")
_CLUSTERS_OWN = re.compile(r"^(slurmstepd|srun)\S*: +error: +(.*)", re.MULTILINE)
_KILLED = re.compile(r"died with <Signals\.(\w+)")


@dataclass(frozen=True, slots=True)
class ClusterFailure:
    """A step that failed on a cluster.

    Parameters
    ----------
    number : str
        The job's number on the cluster; empty if the cluster refused it.
    message : str
        Message of the engine.
    rule_log : Path
        The step's own log, relative to the job folder.
    cluster_log : Path or None
        The cluster's log of the job.
    """

    rule: str
    number: str
    message: str
    rule_log: Path
    cluster_log: Path | None


def cluster_failure(record: Mapping[str, Any]) -> ClusterFailure | None:
    """Return the data of a failed job in a record of the engine; None for a job that ran on this machine.

    Parameters
    ----------
    record : mapping
        The fields of a ``job_error`` record.

    >>> message = f"Job 7 failed. {_ADVICE}: x"
    >>> cluster_failure({"rule_name": "measure_sasa", "rule_msg": message, "aux": {"external_jobid": "7"}}).number
    '7'
    """
    message, has_advice, _ = str(record.get("rule_msg") or "").partition(_ADVICE)
    if not has_advice:
        return None
    rule = str(record.get("rule_name") or "")
    logs = [Path(str(path)) for path in record.get("log") or ()]
    rule_log = next((path for path in logs if not path.is_absolute()), Path(layout.RULE_LOGS) / f"{rule}.log")
    cluster_logs = [path for path in logs if path != rule_log]
    number = str((record.get("aux") or {}).get("external_jobid") or "")
    return ClusterFailure(rule, number, message.strip(), rule_log, cluster_logs[-1] if cluster_logs else None)


class ClusterErrors:
    """Writes the reasons of a run's failures on a cluster to the place of the scripts' reasons."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def keep(self, failure: ClusterFailure, job: Path) -> None:
        """Leave a reason as the run's error, and the cluster's words in the step's log.

        Does nothing if the script has left a reason.
        """
        recorded = read_error(job)
        if recorded.get("step") == failure.rule and recorded.get("message") not in self._written:
            return
        # The cluster may not have written its log, or elsewhere.
        written = end_of_log(failure.cluster_log) if failure.cluster_log else ""
        path = job / failure.rule_log
        path.parent.mkdir(parents=True, exist_ok=True)
        title = "--- on the cluster" + (f", job {failure.number}" if failure.number else "")
        with path.open("a", encoding="utf-8") as log:
            log.write("\n".join((title, failure.message, written.rstrip("\n"))).rstrip("\n") + "\n")
        sentence = _sentence(failure, written)
        self._written.add(sentence)
        record_error(sentence, step=failure.rule, kind="pipeline", job=job, log=failure.rule_log)


def _sentence(failure: ClusterFailure, written: str) -> str:
    if not failure.number:
        answer = " ".join(failure.message.partition("sbatch call:")[0].split())
        return f"{failure.rule} could not be handed to the cluster: {answer or 'no reason was given.'}"
    state = _STATE.search(failure.message)
    reason = _reason(written)
    ending = (f"ended as {state[1]}" if state else "failed") + (f" ({reason})" if reason else "")
    return f"{failure.rule} failed on the cluster: job {failure.number} {ending}; {LOG_IS_IN_JOB_LOG}."


def _reason(written: str) -> str:
    """Return the reason of a job's end by its log: time or memory, a killed script, other."""
    messages = {name: text.strip(" *") for name, text in _CLUSTERS_OWN.findall(written)}
    killed = _KILLED.search(written)
    return messages.get("slurmstepd") or (
        f"its script was ended by {killed[1]}" if killed else messages.get("srun", "")
    )
