"""Rows that wait in a temporary file until all that goes into them is known, so that memory doesn't grow with them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tethermap.base.tables import Row, Value

Key = tuple[Any, ...]


class WaitingRows:
    """Such rows; made by `waiting_rows`.

    Parameters
    ----------
    spool : BinaryIO
        Where they wait.
    """

    def __init__(self, spool: BinaryIO) -> None:
        self._spool = spool
        self._places: list[tuple[Key, int, int]] = []

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: Key, row: Row) -> None:
        """Add a row with what its place depends on."""
        data = json.dumps(row).encode()
        self._places.append((key, self._spool.tell(), len(data)))
        self._spool.write(data)

    def in_order(self, key: Callable[[Key], Key]) -> Iterator[tuple[int, dict[str, Value]]]:
        """Yield the rows with their numbers, in which they came.

        Parameters
        ----------
        key : callable
            Gives a row's sort key from what its place depends on.
        """
        for number in sorted(range(len(self)), key=lambda number: key(self._places[number][0])):
            _, start, size = self._places[number]
            self._spool.seek(start)
            yield number, json.loads(self._spool.read(size))


@contextmanager
def waiting_rows(folder: Path | None = None) -> Iterator[WaitingRows]:
    """Yield rows that may come in any order; they are gone when the ``with`` block ends.

    Parameters
    ----------
    folder : Path or None
        Where they wait; the system's folder of temporary files by default.
    """
    with tempfile.TemporaryFile(dir=folder) as spool:
        yield WaitingRows(spool)
