"""Location of the component index."""

import os
from pathlib import Path

from tethermap.base.root import cache_home

SCHEMA_VERSION = 5
"""Raised when the layout or the content of the index file changes; part of its name."""

INDEX_VARIABLE = "TETHERMAP_COMPONENTS"
"""Environment variable that names the index file."""


def default_index() -> Path:
    """Return the path of the component index: from the environment, else in the user's cache folder.

    The name contains biotite's version and that of the layout, so that an update builds a new one.
    """
    if named := os.environ.get(INDEX_VARIABLE):
        return Path(named)
    from importlib import metadata  # saves 0.03 s in scripts of a run, for which the environment names the index

    return cache_home() / "tethermap" / f"components-{metadata.version('biotite')}-{SCHEMA_VERSION}.sqlite"
