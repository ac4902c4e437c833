"""The structure cache that all jobs share: each file once, checked, complete whenever it exists."""

from __future__ import annotations

import errno
import gzip
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from scripts.lib.atomic import write_bytes
from scripts.lib.errors import UserError
from scripts.lib.sources.base import FetchError
from scripts.lib.sources.content import Content, read_content
from scripts.lib.sources.locks import file_lock, one_of
from scripts.lib.sources.query import is_entry_id

_LOG = logging.getLogger(__name__)

ORIGINS = ("rcsb", "pdbe")
"""Where cached files come from, the preferred first; one folder each."""

CONNECTIONS = 8
"""Downloads at the same time, of all jobs that share the cache."""

_LOCKS = 256
_PATIENCE = 900.0
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Cached:
    """A file of the cache with its checked content's description."""

    path: Path
    origin: str
    content: Content


class StructureCache:
    """Structure files by entry, below ``structures`` of a cache folder.

    Parameters
    ----------
    folder : Path
        The cache folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "structures"

    def get(self, entry_id: str) -> Cached | None:
        """Return an entry's file if it is there and sound; a damaged one is removed."""
        for origin in ORIGINS:
            path = self.path(entry_id, origin)
            if not path.is_file():
                continue
            try:
                return Cached(path, origin, read_content(path, entry_id))
            except FetchError as error:
                _LOG.warning("%s in the cache is damaged (%s): fetched anew", path.name, error)
                path.unlink(missing_ok=True)
        return None

    def store(self, entry_id: str, origin: str, data: bytes, content: Content) -> Cached:
        """Keep a checked file.

        Parameters
        ----------
        entry_id, origin : str
            The entry and the service that it comes from.
        data : bytes
            The file as received; plain text is stored gzipped.
        content : Content
            What its check said.

        Raises
        ------
        UserError
            If the disk is full or the folder can't be written.
        """
        path = self.path(entry_id, origin)
        packed = data if data[:2] == b"\x1f\x8b" else gzip.compress(data, compresslevel=6, mtime=0)
        try:
            write_bytes(path, packed)
        except OSError as error:
            raise cache_error(error) from error
        return Cached(path, origin, content)

    def path(self, entry_id: str, origin: str) -> Path:
        """Return where an entry's file lies or would lie.

        Raises
        ------
        ValueError
            If the id is none; nothing else ever becomes part of a path.
        """
        if not is_entry_id(entry_id):
            raise ValueError(f"{entry_id!r} is no PDB id")
        return self._folder / origin / entry_id[-3:-1] / f"{entry_id}.cif.gz"

    @contextmanager
    def reserved(self, entry_id: str) -> Iterator[None]:
        """Keep other jobs from fetching the same entry during the block."""
        number = crc32(entry_id.encode()) % _LOCKS
        with (
            self._writable(),
            file_lock(self._folder / "locks" / f"{number:02x}.lock", patience=_PATIENCE),
        ):
            yield

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Hold one of the few connections to the file servers during the block."""
        with self._writable(), one_of(self._folder / "connections", CONNECTIONS, patience=_PATIENCE):
            yield

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cache_error(error) from error


def cache_error(error: OSError) -> UserError:
    """Return the sentence for a cache folder that can't be written."""
    if error.errno in _DISK_FULL:
        return UserError("The disk of the structure cache is full: free some space or set cache_dir.", "disk_full")
    why = error.strerror or str(error)
    return UserError(f"The structure cache can't be written ({why}): set cache_dir to a folder of yours.", "input")
