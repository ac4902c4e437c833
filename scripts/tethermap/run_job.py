"""All steps of a job in this process, as the workflow runs them one by one; the result folder is the same."""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.component_index import default_index
from tethermap.base.errors import UserError
from tethermap.base.root import ROOT
from tethermap.run.settings import record_settings, refuse_changed_settings
from tethermap.run.steps import STEPS, Step, load
from tethermap.run.task import Task

_LOG = logging.getLogger(__name__)


def build_dictionary() -> None:
    """Build the component index if there is none, as `make setup` does.

    Raises
    ------
    UserError
        If it can't be written; the command that builds it writes the cause.
    """
    index = default_index()
    try:
        if not index.is_file():
            _LOG.warning("building the dictionary of components, once: up to a minute")
            subprocess.run([sys.executable, "-m", "scripts.build_component_index"], cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UserError(f"{index} can't be written: export XDG_CACHE_HOME=/a/folder/of/yours.") from error


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
    resources = {
        "entries_per_shard": settings["shards"]["entries_per_shard"],
        "processes": 1,
        "result_cache_mb": result_cache_mb,
        "draws": draws,
    }

    def do(step: Step, shards: Sequence[str], shard: str = "") -> None:
        Task(step, job, step.inputs(shards, settings), load(step.settings)(settings), shard, resources).do()

    search, *others = (step for step in STEPS if step.runs(settings))
    do(search, [])
    shards = sorted(json.loads((job / layout.SHARD_PLAN).read_text(encoding="utf-8")), key=int)
    for step in others:
        if step.parts:
            for shard in shards:
                do(step, [shard], shard)
        else:
            do(step, shards)
        if step.name == last:
            return
