"""Results of entries shared by all jobs: the output of a step for an entry, under a key of all its inputs."""

import contextlib
import hashlib
import json
import logging
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from tethermap.base.atomic import write_bytes
from tethermap.base.records import packed, unpacked
from tethermap.base.tables import Row

_LOG = logging.getLogger(__name__)

FOLDER = "results"
"""Folder below the shared cache folder."""

_BUCKETS = 64
_LOOKS = 64
"""Number of times that a folder's size is looked up, on average, until its share of the limit has been written once."""

_LEVEL = 1  # of zlib: a third of the size at 60 MB/s; higher levels cost more than they save
_DIGEST = hashlib.sha256().digest_size


@dataclass(slots=True)
class EntryResult:
    """Output of a step for one entry.

    Parameters
    ----------
    kept : bool or None
        Whether an instance was accepted, for the step's progress.
    streams : dict of str to bytes
        Text appended to the shard's files, by kind.
    files : dict of str to bytes
        Result files by their paths in the job folder.
    """

    kept: bool | None = None
    streams: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return it packed, headed by a digest."""
        sizes = [[(name, len(data)) for name, data in part.items()] for part in (self.streams, self.files)]
        content = b"".join((*self.streams.values(), *self.files.values()))
        record = zlib.compress(packed("", {"kept": self.kept, "sizes": sizes}, content), _LEVEL)
        return hashlib.sha256(record).digest() + record

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the content of a result of `to_bytes`.

        Raises
        ------
        ValueError
            If it is damaged.
        """
        record = memoryview(data)[_DIGEST:]
        if hashlib.sha256(record).digest() != data[:_DIGEST]:
            raise ValueError("damaged")
        header, content = unpacked(zlib.decompress(record))
        result = cls(header["kept"])
        for part, sizes in zip((result.streams, result.files), header["sizes"], strict=True):
            for name, size in sizes:
                part[name], content = bytes(content[:size]), content[size:]
        return result


class Definitions(Protocol):
    """Definitions of components that a step looks up (`tethermap.components.finder.JobComponents`)."""

    def identity(self) -> list[str]:
        """Return an identifier of the definitions."""
        ...

    @property
    def lasting(self) -> bool:
        """Whether all lookups would give the same result later."""
        ...


class ResultCache:
    """Results of entries in files named by their keys; the least recently used are removed beyond the limit.

    Simultaneous jobs may share it: files appear and are read completely, and a removed one counts as missing.

    Parameters
    ----------
    folder : Path
        The cache folder; results are below `FOLDER`.
    limit : int
        Maximum size on disk, in bytes; a few percent more until the next lookup.
    about : str
        Common inputs of the results of all entries: a step and its settings.
    components : Definitions or None
        Definitions of components that the step uses.
    """

    def __init__(self, folder: Path, limit: int, about: str, components: Definitions | None = None) -> None:
        self._folder = folder / FOLDER
        self._share = limit // _BUCKETS
        self._about = about
        self._components = components

    def key(self, digest: str) -> str:
        """Return the key of an entry, from a digest of all other inputs of the step."""
        return hashlib.sha256(f"{self._about} {digest}".encode()).hexdigest()

    @property
    def lasting(self) -> bool:
        """Whether a later computation would give the same result."""
        return self._components is None or self._components.lasting

    @property
    def largest(self) -> int:
        """Maximum size of a cached result in bytes, before compression."""
        return self._share

    def get(self, key: str) -> EntryResult | None:
        """Return the result under a key; None if it is missing or damaged, in which case it is removed."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            result = EntryResult.from_bytes(data)
            os.utime(path)
        except OSError:
            return None
        except ValueError:
            _LOG.warning("result %s of the cache is damaged: computing it again", key)
            path.unlink(missing_ok=True)
            return None
        return result

    def put(self, key: str, result: EntryResult) -> None:
        """Store a result; do nothing if the disk is full or read-only."""
        data = result.to_bytes()
        if len(data) > self._share:
            return
        path = self._path(key)
        try:
            write_bytes(path, data)
            if int(key[8:16], 16) * self._share <= _LOOKS * len(data) << 32:  # a lookup reads the whole folder
                self._make_room(path.parent)
        except OSError as error:
            _LOG.info("result not kept in the cache: %s", error.strerror)

    def _path(self, key: str) -> Path:
        return self._folder / f"{int(key[:8], 16) % _BUCKETS:02x}" / key

    def _make_room(self, bucket: Path) -> None:
        """Remove the least recently used files of a folder until it is within its share of the limit."""
        files = []
        with os.scandir(bucket) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    stat = entry.stat()
                    files.append((stat.st_mtime_ns, stat.st_size, entry.path))
        used = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if used <= self._share:
                return
            Path(path).unlink(missing_ok=True)
            used -= size


def digest_of(*values: Any) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def unchanged(structure: Row, since: int) -> bool:
    """Return whether an entry's files still have the checksums in its row.

    Parameters
    ----------
    structure : Row
        Row of `tethermap.base.tables.STRUCTURES`.
    since : int
        When the table was written, in nanoseconds.
    """
    try:
        return all(
            Path(str(structure[name])).stat().st_ctime_ns <= since for name in ("path", "report") if structure[name]
        )
    except OSError:
        return False
