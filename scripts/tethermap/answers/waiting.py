"""Values that wait in a temporary file, so that memory doesn't grow with them."""

import os
import pickle
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar

K = TypeVar("K")
V = TypeVar("V")

Place = tuple[int, int]
"""Offset of a block in the file, and its length."""

HELD = 500
"""Values that stay in memory: jobs of a few hundred ligands pack none."""

_CACHED = 100


class Spool:
    """Blocks of bytes in a temporary file; made by `spool`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0

    def add(self, data: bytes) -> Place:
        """Append a block and return its place."""
        place = self._end, self._file.write(data)
        self._end += len(data)
        return place

    def read(self, place: Place) -> bytes:
        """Return a block."""
        offset, length = place
        self._file.flush()
        return os.pread(self._file.fileno(), length, offset)


@contextmanager
def spool(folder: Path | None = None) -> Iterator[Spool]:
    """Yield a spool that is deleted when the ``with`` block ends.

    Parameters
    ----------
    folder : Path or None
        Folder of its file; the system's folder of temporary files by default.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        yield Spool(file)


class StoredValues(Mapping[K, V]):
    """Values by key: the first `HELD` stay in memory, the others are packed and unpacked again each time.

    Parameters
    ----------
    spool : Spool
        Spool of the packed ones.
    pack, unpack : callable
        Return the bytes of a value, and the value of its bytes.
    """

    def __init__(
        self, spool: Spool, pack: Callable[[V], bytes] = pickle.dumps, unpack: Callable[[bytes], V] = pickle.loads
    ) -> None:
        self._spool = spool
        self._pack = pack
        self._held: dict[K, V] = {}
        self._places: dict[K, Place] = {}
        self._unpacked = lru_cache(_CACHED)(lambda place: unpack(spool.read(place)))

    def add(self, key: K, value: V, packed: bytes = b"") -> None:
        """Add a value, or replace the one of that key; its bytes save packing it."""
        if key in self._held or len(self._held) < HELD:
            self._held[key] = value
        else:
            self._places[key] = self._spool.add(packed or self._pack(value))

    def __getitem__(self, key: K) -> V:
        return self._held[key] if key in self._held else self._unpacked(self._places[key])

    def __contains__(self, key: object) -> bool:
        return key in self._held or key in self._places

    def __iter__(self) -> Iterator[K]:
        yield from self._held
        yield from self._places

    def __len__(self) -> int:
        return len(self._held) + len(self._places)
