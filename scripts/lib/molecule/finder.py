"""Which component definitions a job uses: the index, and the files server for newer codes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scripts.lib.config import cache_folder
from scripts.lib.molecule.components import Component, ComponentIndex, default_index
from scripts.lib.molecule.index_build import build_index

_log = logging.getLogger(__name__)


def component_finder(config: Mapping[str, Any]) -> Callable[[str], Component | None]:
    """Return the look-up of components by code for a job, the user's own definitions first.

    Parameters
    ----------
    config : mapping
        The configuration as resolved.
    """
    index = job_components(config)
    named = config["source"]["components"]
    if named is None:
        return index.get
    from scripts.lib.molecule.user import read_user_components

    own = read_user_components(Path(named))
    return lambda comp_id: own.get(comp_id) or index.get(comp_id)


def job_components(config: Mapping[str, Any], path: Path | None = None) -> ComponentIndex:
    """Return the component index of a job.

    Codes that the index does not know are asked of the files server when the job's source is
    ``rcsb``, and only then.

    Parameters
    ----------
    config : mapping
        The configuration as resolved.
    path : Path, optional
        The index file; the default one is built when it is missing.
    """
    index = ensured_index(path)
    if config["source"]["kind"] != "rcsb":
        return ComponentIndex(index)
    from scripts.lib.molecule.newer_components import ComponentFiles

    return ComponentIndex(index, fetch=ComponentFiles(cache_folder(config)))


def ensured_index(path: Path | None = None) -> Path:
    """Return the index file, built first when there is none."""
    path = path or default_index()
    if not path.is_file():
        _log.warning("no component index at %s: building it", path.name)
        count = build_index(path)
        _log.info("component index built: %d components", count)
    return path
