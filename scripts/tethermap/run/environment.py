"""The environment of a run's scripts, which are processes of their own in the job folder."""

from __future__ import annotations

import os
from pathlib import Path

from tethermap.base.component_index import INDEX_VARIABLE, default_index
from tethermap.run.software import DIGEST_VARIABLE, source_digest

MEMORY = {"MALLOC_MMAP_THRESHOLD_": 32 << 20, "MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_TOP_PAD_": 16 << 20}
"""What the GNU C library is told in bytes, others pass it over: to keep memory that is freed instead of giving it back.
Arrays of a few hundred kilobytes that come and go with each ligand are otherwise mapped anew each time, half of all
page faults."""


def prepare_environment(repository: Path) -> None:
    """Set the variables that this process hands to the scripts it starts.

    They find `tethermap` and `scripts` in this repository ahead of installed packages, compute on one core
    each (the workflow runs several side by side) and order sets the same way in every run. What they would
    all have to find out about the installation is told them.

    Parameters
    ----------
    repository : Path
        The folder of the Snakefile.
    """
    earlier = os.environ.get("PYTHONPATH")
    ours = f"{repository}{os.pathsep}{repository / 'scripts'}"
    os.environ["PYTHONPATH"] = f"{ours}{os.pathsep}{earlier}" if earlier else ours
    os.environ.setdefault(INDEX_VARIABLE, str(default_index()))
    os.environ.pop(DIGEST_VARIABLE, None)  # of a run of another version that has started this one
    os.environ[DIGEST_VARIABLE] = source_digest()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONHASHSEED="0")
    for name, size in MEMORY.items():
        os.environ.setdefault(name, str(size))
