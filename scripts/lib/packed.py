"""Content that may be gzipped."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import BinaryIO, cast

GZIP = b"\x1f\x8b"
"""What gzipped content begins with (RFC 1952)."""

DAMAGED: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error)
"""What a stream of gzipped content raises where it is cut off or damaged."""


class DamagedGzip(ValueError):  # noqa: N818 - named for what the content is
    """Gzipped content that is cut off or damaged; the message says how."""


def unpacked(data: bytes) -> bytes:
    """Return content, unpacked where it is gzipped.

    Raises
    ------
    DamagedGzip
        If it is cut off or damaged.

    Examples
    --------
    >>> unpacked(gzip.compress(b"HEADER")), unpacked(b"HEADER")
    (b'HEADER', b'HEADER')
    """
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except DAMAGED as error:
        raise DamagedGzip(str(error)) from error


def open_unpacked(path: Path) -> BinaryIO:
    """Return a stream of a file's content, unpacked as it is read where it is gzipped."""
    with path.open("rb") as plain:
        packed = plain.read(len(GZIP)) == GZIP
    return cast("BinaryIO", gzip.open(path)) if packed else path.open("rb")
