"""The structure cache that all jobs share: each file once, checked, complete whenever it exists."""

import contextlib
import datetime
import gzip
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from tethermap.base.atomic import write_bytes
from tethermap.base.errors import UserError, is_full_disk
from tethermap.base.identifiers import is_entry_id
from tethermap.base.packed import GZIP
from tethermap.sources.base import Fetched, FetchError
from tethermap.sources.content import read_content
from tethermap.sources.locks import file_lock, one_of

_LOG = logging.getLogger(__name__)

ORIGINS = ("rcsb", "pdbe")
"""Where cached files come from, the preferred first; one folder each."""

CONNECTIONS = 8
"""Downloads at the same time, of all jobs that share the cache."""

_PATIENCE = 900.0
_WEEK = 7 * 86400.0
_OUTDATED = 1.0
"""Modification time, in seconds, of the file of an entry that was revised since."""


class StructureCache:
    """Structure files by entry, below ``structures`` of a cache folder.

    Parameters
    ----------
    folder : Path
        The cache folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "structures"

    def get(self, entry_id: str, *, outdated: bool = False) -> Fetched | None:
        """Return an entry's file if it exists and is valid; a damaged one is removed.

        Parameters
        ----------
        outdated : bool
            Whether the file of an entry that was revised since is acceptable.
        """
        for origin in ORIGINS:
            path = self.path(entry_id, origin)
            if path.is_file() and (outdated or path.stat().st_mtime != _OUTDATED):
                try:
                    return replace(read_content(path, entry_id), source=origin)
                except FetchError as error:
                    _LOG.warning("%s in the cache is damaged (%s): downloading it again", path.name, error)
                    path.unlink(missing_ok=True)
        return None

    def mark_revised(self, entry_id: str, revised: str) -> None:
        """Fetch an entry again if it was revised after its file was cached; the old file is kept for jobs that read it.

        Parameters
        ----------
        revised : str
            ISO date of its last revision.
        """
        for origin in ORIGINS:
            path = self.path(entry_id, origin)
            with contextlib.suppress(OSError):
                cached = path.stat().st_mtime
                day = datetime.datetime.fromtimestamp(cached, datetime.UTC).date().isoformat()
                if cached > _OUTDATED and day < revised[:10]:
                    os.utime(path, (_OUTDATED, _OUTDATED))
                    _LOG.info("%s was revised on %s: downloading it again", entry_id, revised)

    def store(self, checked: Fetched, origin: str, data: bytes) -> Fetched:
        """Keep a checked file.

        Parameters
        ----------
        checked : Fetched
            Result of its check.
        origin : str
            The service that it comes from.
        data : bytes
            The file as received; plain text is stored gzipped.

        Raises
        ------
        UserError
            If the disk is full or the folder can't be written.
        """
        path = self.path(checked.entry_id, origin)
        _write(path, data)
        return replace(checked, path=path, source=origin)

    def path(self, entry_id: str, origin: str) -> Path:
        """Return the path of an entry's file, whether it exists or not.

        Raises
        ------
        ValueError
            If the id is invalid; no other text ever becomes part of a path.
        """
        if not is_entry_id(entry_id):
            raise ValueError(f"{entry_id!r} is no PDB id")
        return self._folder / origin / entry_id[-3:-1] / f"{entry_id}.cif.gz"

    def report(self, entry_id: str, ending: str) -> Path:
        """Return the path of an entry's validation report, which may not exist; `ending` is cif, xml or none."""
        folder = self.path(entry_id, "rcsb").parent.name
        return self._folder.with_name("reports") / folder / f"{entry_id}_validation.{ending}.gz"

    def lacks_report(self, entry_id: str) -> bool:
        """Return whether the service had no report of an entry within the last week: the archive changes weekly."""
        try:
            return time.time() - self.report(entry_id, "none").stat().st_mtime < _WEEK
        except FileNotFoundError:
            return False

    def store_report(self, entry_id: str, ending: str, data: bytes) -> Path:
        """Keep a checked validation report, as `store` a structure; with the ending ``none``, that there is none."""
        path = self.report(entry_id, ending)
        _write(path, data)
        return path

    @contextmanager
    def reserved(self, entry_id: str) -> Iterator[None]:
        """Prevent other jobs from downloading the same entry during the block."""
        number = crc32(entry_id.encode()) % 256
        with _writable(), file_lock(self._folder / "locks" / f"{number:02x}.lock", patience=_PATIENCE):
            yield

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Occupy one of the few connections to the file servers during the block."""
        with _writable(), one_of(self._folder / "connections", CONNECTIONS, patience=_PATIENCE):
            yield


def _write(path: Path, data: bytes) -> None:
    with _writable():
        write_bytes(path, data if data.startswith(GZIP) else gzip.compress(data, compresslevel=6, mtime=0))


@contextmanager
def _writable() -> Iterator[None]:
    """Raise one sentence if the cache folder can't be written."""
    try:
        yield
    except OSError as error:
        if is_full_disk(error):
            text = "The disk of the structure cache is full: free some space or set cache_dir."
            raise UserError(text, "disk_full") from error
        why = error.strerror or str(error)
        raise UserError(f"The structure cache can't be written ({why}): set cache_dir to a folder of yours.") from error
