"""The version of the pipeline and of the packages that its results depend on."""

from __future__ import annotations

import platform
from importlib import metadata

__version__ = "0.1.0"

PACKAGES = ("biopython", "biotite", "freesasa", "gemmi", "jinja2", "numpy", "rdkit", "snakemake")
"""Packages whose version can change a result."""


def versions() -> dict[str, str]:
    """Return the versions of the pipeline, Python and the packages in `PACKAGES`; empty if not installed."""
    found = {"tethermap": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found
