"""All steps of a job in this process, as the workflow runs them one by one; the result folder is the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tethermap.run.settings import record_settings, refuse_changed_settings
from tethermap.run.task import run_steps


def run_job(job: Path, settings: Mapping[str, Any]) -> None:
    """Run a job in a folder.

    Parameters
    ----------
    job : Path
        The folder; it is made when missing.
    settings : mapping
        Complete settings (`tethermap.base.config.resolve`).

    Raises
    ------
    UserError
        With a sentence for people: settings that don't fit the folder, a source that doesn't exist.
    """
    refuse_changed_settings(job, settings)
    record_settings(job, settings)
    run_steps(job, settings)
