"""Versions of all software that results depend on, and the environment of a run's scripts."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tethermap.base.component_index import INDEX_VARIABLE, default_index
from tethermap.base.reference import REFERENCE
from tethermap.base.root import PACKAGE, ROOT, __version__, search_path
from tethermap.kernels import MODULE, compiler

PACKAGES = ("biopython", "biotite", "freesasa", "gemmi", "jinja2", "networkx", "numpy", "rdkit", "snakemake")
"""Packages whose version can change a result."""

DIGEST_VARIABLE = "TETHERMAP_SOURCE_DIGEST"
"""Environment variable in which a run passes `source_digest` to its scripts, which saves 0.05 s each."""

MEMORY = {"MALLOC_MMAP_THRESHOLD_": 32 << 20, "MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_TOP_PAD_": 16 << 20}
"""Settings of the GNU C library in bytes (others ignore them): freed memory is reused instead of returned.
Otherwise, temporary arrays of a few hundred kilobytes for each ligand would be mapped again each time, which causes
half of all page faults."""


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of the pipeline, Python, the packages in `PACKAGES` and the compiler; empty if not installed.

    >>> versions()["tethermap"] == __version__
    True
    """
    from importlib import metadata  # needs 0.03 s and is unused in most scripts

    by_package = {"tethermap": __version__, "python": platform.python_version(), "compiler": compiler()}
    for name in PACKAGES:
        try:
            by_package[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            by_package[name] = ""
    return by_package


@cache
def source_digest() -> str:
    """Return a digest of sources, compiled loops, reference tables, versions and kind of machine."""
    if digest := os.environ.get(DIGEST_VARIABLE):
        return digest
    files = {*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.c"), *(ROOT / "scripts").glob("*.py"), *REFERENCE.iterdir()}
    if spec := find_spec(MODULE):
        files.add(Path(str(spec.origin)))  # as built; its sources may differ
    total = hashlib.sha256(json.dumps([versions(), platform.system(), platform.machine()]).encode())
    for path in sorted(files):
        total.update(path.name.encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def prepare_environment(repository: Path) -> None:
    """Set the variables that this process hands to the scripts it starts.

    They find `tethermap` and `scripts` in this repository ahead of installed packages, compute on one core
    each (the workflow runs several side by side) and order sets the same way in every run. They get all facts about the
    installation that they would otherwise determine.

    Parameters
    ----------
    repository : Path
        The folder of the Snakefile.
    """
    os.environ["PYTHONPATH"] = search_path(repository)
    os.environ.setdefault(INDEX_VARIABLE, str(default_index()))
    os.environ.pop(DIGEST_VARIABLE, None)  # set by a run of another version that started this one
    os.environ[DIGEST_VARIABLE] = source_digest()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONHASHSEED="0")
    for name, size in MEMORY.items():
        os.environ.setdefault(name, str(size))
