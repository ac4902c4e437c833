"""Version of Tethermap and location of its files: a checkout, or the folder `workflow` of the installed package."""

from pathlib import Path

__version__ = "0.3.0"

PACKAGE = Path(__file__).resolve().parents[1]
"""Folder of the library."""

_INSTALLED = PACKAGE / "workflow"

ROOT = _INSTALLED if _INSTALLED.is_dir() else PACKAGE.parents[1]
"""Folder of the Snakefile, with `rules`, `scripts`, `config`, `data` and `service` next to it."""
