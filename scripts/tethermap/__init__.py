"""Tethermap in Python: analyse structures, read finished jobs.

>>> from tethermap import analyse, read_job
"""

from scripts.lib.errors import UserError as TethermapError
from scripts.lib.version import __version__
from scripts.tethermap.analysis import analyse
from scripts.tethermap.job import Job, Ligand, read_job

__all__ = ["Job", "Ligand", "TethermapError", "__version__", "analyse", "read_job"]
