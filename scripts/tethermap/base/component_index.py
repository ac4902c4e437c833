"""Where the component index lies."""

from __future__ import annotations

import os
from pathlib import Path

SCHEMA_VERSION = 4
"""Raised when the layout or the content of the index file changes; part of its name."""

INDEX_VARIABLE = "TETHERMAP_COMPONENTS"
"""Environment variable that names the index file."""


def default_index() -> Path:
    """Return where the component index lies: named by the environment, else in the user's cache folder.

    The name holds biotite's version and that of the layout, so that an update builds a new one.
    """
    if named := os.environ.get(INDEX_VARIABLE):
        return Path(named)
    from importlib import metadata  # 0.03 s that the scripts of a run, which names the index, are spared

    cache = os.environ.get("XDG_CACHE_HOME")
    folder = Path(cache) if cache else Path.home() / ".cache"
    version = metadata.version("biotite")
    return folder / "tethermap" / f"components-{version}-{SCHEMA_VERSION}.sqlite"
