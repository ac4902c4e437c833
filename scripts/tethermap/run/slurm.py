"""Jobs on a Slurm cluster that outlive their run: found by folder, canceled, waited for; jobs that never start."""

import logging
import re
import shutil
import subprocess
import time
from pathlib import Path

LOGS = ".snakemake/slurm_logs"
"""Folder of the cluster's logs in a job folder; a run that ends normally removes it."""

_SECONDS = 30.0
_POLL_SECONDS = 0.5
_ANSWER_SECONDS = 20.0
_TOO_LONG = "PartitionTimeLimit"
_LASTING = re.compile(
    r"BadConstraints|Invalid(Account|QOS)|MaxMemPerLimit|PartitionNodeLimit|\w+(NotAllowed|PerJob(Limit)?)"
)
"""Reasons for which a job waits without end (https://slurm.schedmd.com/job_reason_codes.html)."""

_LOGGER = logging.getLogger(__name__)


def cancel_slurm_jobs(folder: Path) -> bool:
    """Cancel the cluster jobs of a job folder and wait until they have ended.

    Parameters
    ----------
    folder : Path
        The job folder, without a live run.

    Returns
    -------
    bool
        Whether no job remains; also True without Slurm.
    """
    squeue, scancel = shutil.which("squeue"), shutil.which("scancel")
    if squeue is None or scancel is None:
        return True
    deadline = time.monotonic() + _SECONDS
    while (rows := _listed(squeue, folder)) != []:
        if time.monotonic() > deadline:
            _LOGGER.error("%s: jobs on the cluster can't be canceled", folder.name)
            return False
        if rows:
            subprocess.run([scancel, *(row[0] for row in rows)], capture_output=True, check=False)
        time.sleep(_POLL_SECONDS)
    return True


def never_starting(folder: Path) -> set[str]:
    """Return a sentence for each time limit or other reason for which a folder's jobs would wait forever.

    Slurm lets such jobs wait, unless it is configured to refuse them.
    """
    squeue, sinfo = shutil.which("squeue"), shutil.which("sinfo")
    if squeue is None or sinfo is None:
        return set()
    rows = _listed(squeue, folder) or ()
    sentences = {
        f"The cluster does not start a job ({reason}): stop the run and set resources.runtime, resources.mem_mb,"
        " slurm_partition or slurm_account to other values."
        for _, reason, _, _ in rows
        if _LASTING.fullmatch(reason)
    }
    for limit, partition in {(limit, partition) for _, reason, limit, partition in rows if reason == _TOO_LONG}:
        try:
            allowed = _answer(sinfo, "--noheader", f"--partition={partition}", "--format=%l").split()
        except subprocess.SubprocessError:
            allowed = []
        sentences.add(
            f"The cluster starts no job with a time limit of {limit} in partition {partition}, which allows"
            f" {', '.join(allowed) or 'less'}: stop the run and set resources.runtime (minutes) to less, or"
            " slurm_partition to another partition."
        )
    return sentences


def _listed(squeue: str, folder: Path) -> list[tuple[str, ...]] | None:
    """Return number, reason of waiting, time limit and partition of a folder's jobs; None without an answer."""
    try:
        answer = _answer(squeue, "--noheader", "--me", "--format=%i|%r|%l|%P|%Z")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        _LOGGER.warning("%s: the cluster did not list its jobs", folder.name)
        return None
    folders = {folder, folder.resolve()}
    rows = (line.strip().split("|", 4) for line in answer.splitlines())
    return [tuple(row) for *row, workdir in rows if Path(workdir) in folders]


def _answer(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ANSWER_SECONDS).stdout
