"""All steps of a job in this process, as the workflow runs them one by one; the result folder is the same."""

import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tethermap.base.component_index import default_index
from tethermap.base.root import ROOT
from tethermap.run.settings import record_settings, refuse_changed_settings
from tethermap.run.task import run_steps

_LOG = logging.getLogger(__name__)


def build_dictionary() -> None:
    """Build the component index if there is none, as `make setup` does."""
    if not default_index().is_file():
        _LOG.warning("building the dictionary of components, once: ten seconds")
        subprocess.run([sys.executable, "-m", "scripts.build_component_index"], cwd=ROOT, check=True)


def run_job(
    job: Path, settings: Mapping[str, Any], *, result_cache_mb: int = 0, last: str = "", draws: bool = True
) -> None:
    """Run a job in a folder.

    Parameters
    ----------
    job : Path
        The folder; it is made when missing.
    settings : mapping
        Complete settings (`tethermap.base.config.resolve`).
    result_cache_mb : int
        Size of the cache of entries' results; 0 for none.
    last : str
        Step to end with; empty for the last.
    draws : bool
        Whether depictions and viewer scripts are written.

    Raises
    ------
    UserError
        With a sentence for people: settings that don't fit the folder, a source that doesn't exist.
    """
    build_dictionary()
    refuse_changed_settings(job, settings)
    record_settings(job, settings)
    run_steps(job, settings, result_cache_mb=result_cache_mb, last=last, draws=draws)
