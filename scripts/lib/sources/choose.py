"""Open the source that a job's settings name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.lib.config import cache_folder
from scripts.lib.sources.base import Source, SourceError
from scripts.lib.sources.files import FilesSource
from scripts.lib.sources.mirror import MirrorSource

ARCHIVE = Path(__file__).resolve().parents[3] / "data" / "archive"
"""The entries that come with Tethermap."""


def open_source(settings: Mapping[str, Any], *, refresh: bool = True) -> Source:
    """Return the source that resolved settings name, ready to be asked.

    Parameters
    ----------
    settings : mapping
        The job's settings, as `scripts.lib.config.resolve` returns them.
    refresh : bool
        Whether to look for new and changed files of a mirror that has an index.

    Raises
    ------
    SourceError
        If it doesn't exist or holds no structures.
    """
    chosen = settings["source"]
    kind, label = chosen["kind"], chosen.get("label") or ""
    cache = cache_folder(settings)
    if kind == "rcsb":  # imported here: the network client takes longer to load than all the rest
        from scripts.lib.sources.rcsb import RcsbSource

        return RcsbSource(cache)
    if kind == "mirror":
        return MirrorSource(Path(chosen["mirror"]), cache, label=label).open(refresh=refresh)
    if kind == "archive":
        return MirrorSource(ARCHIVE, cache, kind="archive", label="archive").open(refresh=refresh)
    if kind == "files":
        given = chosen["files"]
        paths = [Path(item) for item in ([given] if isinstance(given, str) else given)]
        return FilesSource(paths, cache, label=label).open(refresh=refresh)
    raise SourceError(f"source.kind is {kind!r}: give rcsb, mirror, archive, files or auto.")
