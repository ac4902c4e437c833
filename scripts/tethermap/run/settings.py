"""The settings a job folder was used with: a folder belongs to one job."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.atomic import read_json, write_text
from tethermap.base.config import ConfigError, changed_keys, recorded
from tethermap.base.layout import walk
from tethermap.run.steps import STEP


def refuse_changed_settings(job: Path, settings: Mapping[str, Any]) -> None:
    """Check that a job folder contains no results or was used with the same settings.

    Parameters
    ----------
    settings : mapping
        Complete settings (`tethermap.base.config.resolve`). With `force` on, nothing is refused.

    Raises
    ------
    ConfigError
        If settings that can change results differ from those of the earlier run; names them.
    """
    used = any((job / path).is_file() for path in (layout.SEARCH_ENTRIES, layout.MANIFEST))
    if settings["force"] or not used:
        return
    before = read_json(job / layout.SETTINGS)
    now = settings
    if before is None:  # a folder that was copied without its working files
        before, now = read_json(job / layout.JOB_CONFIG), recorded(settings)
    if before is not None and (keys := changed_keys(before, now)):
        raise ConfigError(
            f"This job folder was used with other settings of {', '.join(keys)}: take a new folder, or set force: true"
            " to replace its results."
        )


def refuse_read_only(job: Path) -> None:
    """Make sure that a job folder can be written.

    Raises
    ------
    ConfigError
        If it can't.
    """
    if not os.access(job, os.W_OK | os.X_OK):
        raise ConfigError(
            "The job folder can't be written: name another one with --directory, or give this user the right to write."
        )


def record_settings(job: Path, settings: Mapping[str, Any]) -> None:
    """Store the settings of a run: complete in the job folder's working files, and as results show them."""
    write_text(job / layout.SETTINGS, json.dumps(dict(settings), indent=1, sort_keys=True) + "\n")
    write_job_config(job, settings)
    if states := file_states(job, "search_entries", settings):
        write_text(job / layout.FILE_STATES, json.dumps(states, indent=1, sort_keys=True) + "\n")


def file_states(job: Path, step: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the state of each file and folder of the user that a step watches; it differs after a change.

    A missing one has its state of the last run, whose results stay valid.

    Parameters
    ----------
    job : Path
        The job folder.
    step : str
        Name of the step.
    settings : mapping
        Complete settings (`tethermap.base.config.resolve`).

    Returns
    -------
    dict of str to str
        A digest of names, sizes and times by path; empty for a path that never existed.
    """
    paths = STEP[step].user_files(settings, watched=True)
    earlier = (read_json(job / layout.FILE_STATES) or {}) if paths else {}
    return {path: _state(Path(path)) or earlier.get(path, "") for path in paths}


def _state(path: Path) -> str:
    facts = []
    for file in walk(path) if path.is_dir() else (path,):
        with suppress(OSError):
            found = Path(file).stat()
            facts.append((str(file), found.st_size, found.st_mtime_ns))
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16] if facts else ""


def write_job_config(job: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings as results show them."""
    write_text(job / layout.JOB_CONFIG, json.dumps(recorded(settings), indent=1, ensure_ascii=False) + "\n")
