"""Rows and values that wait in a temporary file, so that memory doesn't grow with them."""

import pickle
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from tethermap.base.tables import Row, Value

T = TypeVar("T")

Place = tuple[int, int]
"""Offset of a block in the file, and its length."""

HELD = 500
"""Values that stay in memory: jobs of a few hundred ligands pack none."""

_CACHED = 100


class Spool:
    """Blocks of bytes in a temporary file; made by `spool`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, data: bytes) -> Place:
        """Append a block and return its place."""
        return self._file.seek(0, SEEK_END), self._file.write(data)

    def read(self, place: Place) -> bytes:
        """Return a block."""
        self._file.seek(place[0])
        return self._file.read(place[1])


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


class StoredValues(Mapping[str, T]):
    """Values by name: the first `HELD` stay in memory, the others are packed and unpacked again each time.

    Parameters
    ----------
    spool : Spool
        Spool of the packed ones.
    pack, unpack : callable
        Return the bytes of a value, and the value of its bytes.
    """

    def __init__(self, spool: Spool, pack: Callable[[T], bytes], unpack: Callable[[bytes], T]) -> None:
        self._spool = spool
        self._pack = pack
        self._held: dict[str, T] = {}
        self._places: dict[str, Place] = {}
        self._unpacked = lru_cache(_CACHED)(lambda place: unpack(spool.read(place)))

    def add(self, name: str, value: T, packed: bytes = b"") -> None:
        """Add a value, or replace the one of that name; its bytes save packing it."""
        if name in self._held or len(self._held) < HELD:
            self._held[name] = value
        else:
            self._places[name] = self._spool.add(packed or self._pack(value))

    def __getitem__(self, name: str) -> T:
        return self._held[name] if name in self._held else self._unpacked(self._places[name])

    def __contains__(self, name: object) -> bool:
        return name in self._held or name in self._places

    def __iter__(self) -> Iterator[str]:
        yield from self._held
        yield from self._places

    def __len__(self) -> int:
        return len(self._held) + len(self._places)


Key = tuple[Any, ...]


class WaitingRows:
    """Rows of a table that are spooled until their order is known.

    Parameters
    ----------
    spool : Spool
        Spool of the rows.
    """

    def __init__(self, spool: Spool) -> None:
        self._rows = StoredValues[dict[str, Value]](spool, pickle.dumps, pickle.loads)
        self._keys: list[Key] = []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: Key, row: Row) -> None:
        """Add a row with the values of its sort key."""
        self._rows.add(str(len(self)), dict(row))
        self._keys.append(key)

    def in_order(self, key: Callable[[Key], Key]) -> Iterator[tuple[int, dict[str, Value]]]:
        """Yield the rows with their numbers in the order of arrival.

        Parameters
        ----------
        key : callable
            Returns a row's sort key from its stored values.
        """
        for number in sorted(range(len(self)), key=lambda number: key(self._keys[number])):
            yield number, self._rows[str(number)]
