"""What is made on demand by a process of its own, as it needs the chemistry: nothing is written to the job."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.lib.protac.programs import NO_INPUTS, NO_MOLECULE
from service.errors import InternalError, InvalidParameter, NotFound, QueueFull
from service.runs.config import child_environment
from service.settings import REPOSITORY, Settings

_SECONDS = 60.0
"""Longest time of one process; a ligand takes about two seconds."""

_WAIT_SECONDS = 20.0
_RETRY = {"Retry-After": "5"}

_AT_ONCE = threading.BoundedSemaphore(2)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HalfRequest:
    """Folder of a finished job, ligand and atom as `Exit_Vectors.csv` names them."""

    job: Path
    stem: str
    anchor: str


def inputs_zip(
    settings: Settings,
    half: HalfRequest,
    tools: Sequence[str],
    degrader: str = "",
    other: HalfRequest | None = None,
    *,
    open_babel: bool = False,
) -> bytes:
    """Return a ZIP with the inputs for one ranked anchor or two; nothing is written to the jobs.

    Parameters
    ----------
    settings : Settings
        Of the service.
    half : HalfRequest
        What is asked for.
    tools : sequence of str
        Of `scripts.lib.protac.programs.TOOLS`.
    degrader : str
        Its SMILES, where it is known.
    other : HalfRequest or None
        The other half.
    open_babel : bool
        Whether heads are converted with Open Babel, as PRosettaC does it.

    Raises
    ------
    NotFound
        If there are none for this anchor or Open Babel is not installed, with the reason.
    QueueFull
        If too many are being made.
    InternalError
        If the process fails.
    """
    with tempfile.TemporaryDirectory(prefix="tethermap-inputs-", ignore_cleanup_errors=True) as folder:
        archive = Path(folder) / "inputs.zip"
        asked = [f"--stem={half.stem}", f"--anchor={half.anchor}", f"--degrader={degrader}"]
        asked += [f"--tool={tool}" for tool in tools]
        if other:
            named = {"job": other.job, "stem": other.stem, "anchor": other.anchor}
            asked += [f"--other-{key}={value}" for key, value in named.items()]
        asked += ["--open-babel"] if open_babel else []
        _run(settings, "scripts.protac_inputs", [*asked, f"--output={archive}", "--", str(half.job)])
        return archive.read_bytes()


def made_degraders(settings: Settings, asked: Sequence[str]) -> str:
    """Return what `scripts.degraders` prints.

    Parameters
    ----------
    settings : Settings
        Of the service.
    asked : sequence of str
        Its arguments, each as ``--name=value``.

    Raises
    ------
    NotFound, QueueFull, InternalError
        As for `inputs_zip`.
    """
    return _run(settings, "scripts.degraders", asked)


def partners_text(settings: Settings, job: Path, stem: str) -> str:
    """Return the atoms of partner chains and symmetry mates around a ligand as JSON; raises as `inputs_zip` does."""
    return _run(settings, "scripts.partner_atoms", [f"--stem={stem}", "--", str(job)])


def _run(settings: Settings, module: str, arguments: Sequence[str]) -> str:
    """Run a script of the pipeline and return what it says; `NotFound` where it has nothing for what was asked."""
    if not _AT_ONCE.acquire(timeout=_WAIT_SECONDS):
        raise QueueFull("Too much is being made: try again.", headers=_RETRY)
    try:
        run = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=REPOSITORY,
            env=child_environment(settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InternalError("This took too long to make.") from error
    finally:
        _AT_ONCE.release()
    if run.returncode == NO_INPUTS:
        raise NotFound(run.stderr.strip())
    if run.returncode == NO_MOLECULE:
        raise InvalidParameter(run.stderr.strip())
    if run.returncode:
        _LOG.error("%s %s failed: %s", module, " ".join(arguments[:2]), run.stderr.strip())
        raise InternalError("This could not be made.")
    return run.stdout
