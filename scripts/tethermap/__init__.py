"""Tethermap in Python: analyse structures, read finished jobs.

>>> from tethermap import analyse, read_job
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tethermap.base.errors import UserError as TethermapError
from tethermap.base.root import __version__

if TYPE_CHECKING:
    from tethermap.analysis import analyse
    from tethermap.job import Job, Ligand, read_job

__all__ = ["Job", "Ligand", "TethermapError", "__version__", "analyse", "read_job"]

_MODULES = {"analyse": "analysis", "Job": "job", "Ligand": "job", "read_job": "job"}


def __getattr__(name: str) -> Any:
    """Import `analyse`, `read_job` and the classes of their results on first use; runs do not need them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
