"""Reason of a failed step on a cluster whose script left none: from the engine's message and the cluster's log."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.run.logs import LOG_IS_IN_JOB_LOG, end_of_log, read_error, record_error

_ADVICE = "For further error details see the cluster/cloud log"  # the engine ends each message of a cluster with it
_STATE = re.compile(r"status is: '(\w+)'")
_CLUSTERS_OWN = re.compile(r"^(slurmstepd|srun)\S*: +error: +(.*)", re.MULTILINE)
_KILLED = re.compile(r"died with <Signals\.(\w+)")


class ClusterErrors:
    """Writes the reasons of a run's failures on a cluster to the place of the scripts' reasons."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def keep(self, record: Mapping[str, Any], job: Path) -> None:
        """Record the reason as the run's error; write the end of the step's log and the cluster's messages to a log.

        A job that is being cancelled may still remove the log of its step, so the cluster's messages have another one.

        Does nothing if the script has left a reason or the step ran on this machine.

        Parameters
        ----------
        record : mapping
            The fields of a ``job_error`` record of the engine.
        """
        message, has_advice, _ = str(record.get("rule_msg") or "").partition(_ADVICE)
        rule, recorded = str(record.get("rule_name") or ""), read_error(job)
        known = recorded.get("step") == rule and recorded.get("message") not in self._written
        if known or not has_advice:
            return
        logs = [Path(str(path)) for path in record.get("log") or ()]
        rule_log = next((path for path in logs if not path.is_absolute()), Path(layout.RULE_LOGS) / f"{rule}.log")
        cluster_logs = [path for path in logs if path != rule_log]
        # The cluster may not have written its log, or elsewhere.
        written = end_of_log(cluster_logs[-1]) if cluster_logs else ""
        number = str((record.get("aux") or {}).get("external_jobid") or "")  # empty if the cluster refused the job
        title = "--- on the cluster" + (f", job {number}" if number else "")
        log = rule_log.with_suffix(".cluster.log")
        words = f"{title}\n{message.strip()}\n{written}".rstrip("\n")
        write_text(job / log, f"{end_of_log(job / rule_log)}{words}\n")
        sentence = f"{rule} {_ending(number, message.strip(), written)}"
        self._written.add(sentence)
        record_error(sentence, step=rule, kind="pipeline", job=job, log=log)


def _ending(number: str, message: str, written: str) -> str:
    if not number:
        answer = " ".join(message.partition("sbatch call:")[0].split())
        return f"could not be handed to the cluster: {answer or 'no reason was given.'}"
    state = _STATE.search(message)
    reason = _reason(written)
    ending = (f"ended as {state[1]}" if state else "failed") + (f" ({reason})" if reason else "")
    return f"failed on the cluster: job {number} {ending}; {LOG_IS_IN_JOB_LOG}."


def _reason(written: str) -> str:
    """Return the reason of a job's end by its log: time or memory, a killed script, other."""
    messages = {name: text.strip(" *") for name, text in _CLUSTERS_OWN.findall(written)}
    killed = _KILLED.search(written)
    return messages.get("slurmstepd") or (
        f"its script was ended by {killed[1]}" if killed else messages.get("srun", "")
    )
