"""Versions of all software that results depend on: the pipeline, packages, Python, the compiler of the kernels."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from pathlib import Path

from tethermap.base.reference import REFERENCE
from tethermap.base.version import __version__
from tethermap.kernels import compiler

PACKAGES = ("biopython", "biotite", "freesasa", "gemmi", "jinja2", "networkx", "numpy", "rdkit", "snakemake")
"""Packages whose version can change a result."""

DIGEST_VARIABLE = "TETHERMAP_SOURCE_DIGEST"
"""Environment variable in which a run hands `source_digest` to its scripts, which spares them 0.05 s each."""


def versions() -> dict[str, str]:
    """Return the versions of the pipeline, Python, the packages in `PACKAGES` and the compiler; empty if not installed.

    >>> versions()["tethermap"] == __version__
    True
    """
    from importlib import metadata  # 0.03 s that most scripts have no use for

    by_package = {"tethermap": __version__, "python": platform.python_version(), "compiler": compiler()}
    for name in PACKAGES:
        try:
            by_package[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            by_package[name] = ""
    return by_package


@cache
def source_digest() -> str:
    """Return a digest of all that makes results: our sources and reference tables, versions, the kind of machine."""
    if told := os.environ.get(DIGEST_VARIABLE):
        return told
    scripts = Path(__file__).parents[2]
    files = [*scripts.rglob("*.py"), *scripts.rglob("*.c"), *REFERENCE.iterdir()]
    total = hashlib.sha256(json.dumps([versions(), platform.system(), platform.machine()]).encode())
    for path in sorted(files):
        total.update(path.name.encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
