"""Version of Tethermap and location of its files: a checkout, or the folder `workflow` of the installed package."""

import os
from pathlib import Path

from tethermap.base.errors import UserError

__version__ = "0.3.0"

PACKAGE = Path(__file__).resolve().parents[1]
"""Folder of the library."""

_INSTALLED = PACKAGE / "workflow"

ROOT = _INSTALLED if _INSTALLED.is_dir() else PACKAGE.parents[1]
"""Folder of the Snakefile, with `rules`, `scripts`, `config`, `data` and `service` next to it."""


def search_path(folder: Path = ROOT) -> str:
    """Return a PYTHONPATH on which the library and the scripts of a checkout precede those of this process."""
    return os.pathsep.join(filter(None, (str(folder), str(folder / "scripts"), os.environ.get("PYTHONPATH"))))


def cache_home() -> Path:
    """Return the user's folder of caches, by the rules of XDG."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return folder if folder.is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise UserError("This user has no home folder: export HOME=/a/folder/of/yours.") from error


def expanded(path: str | Path) -> Path:
    """Return a path with the home folder for ``~``; unchanged if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
