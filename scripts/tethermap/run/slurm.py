"""Jobs on a Slurm cluster that outlive their run: found by folder, canceled, waited for."""

import logging
import shutil
import subprocess
import time
from pathlib import Path

LOGS = ".snakemake/slurm_logs"
"""Folder of the cluster's logs in a job folder; a run that ends normally removes it."""

_SECONDS = 30.0
_POLL_SECONDS = 0.5
_ANSWER_SECONDS = 20.0

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
    while (numbers := _listed(squeue, folder)) != []:
        if time.monotonic() > deadline:
            _LOGGER.error("%s: jobs on the cluster can't be canceled", folder.name)
            return False
        if numbers:
            subprocess.run([scancel, *numbers], capture_output=True, check=False)
        time.sleep(_POLL_SECONDS)
    return True


def _listed(squeue: str, folder: Path) -> list[str] | None:
    """Return the numbers of a folder's jobs; None when the cluster does not answer."""
    command = [squeue, "--noheader", "--me", "--format=%i|%Z"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ANSWER_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        _LOGGER.warning("%s: the cluster did not list its jobs", folder.name)
        return None
    folders = {folder, folder.resolve()}
    rows = (line.strip().partition("|") for line in answer.stdout.splitlines())
    return [number for number, _, workdir in rows if Path(workdir) in folders]
