"""Content that may be packed: gzip, bzip2, xz."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

GZIP = b"\x1f\x8b"
"""What gzipped content begins with (RFC 1952)."""

BZIP2, XZ = b"BZh", b"\xfd7zXZ"
"""First bytes of bzip2 and xz."""

_READERS: tuple[tuple[bytes, Callable[..., object]], ...] = ((GZIP, gzip.open), (BZIP2, bz2.open), (XZ, lzma.open))
_MAGIC = 6

MOST_UNPACKED = 2 << 30
"""Largest unpacked file, in bytes; the largest mmCIF file of the PDB has half of it."""

_HIGHEST_RATIO = 1032
"""Most that deflate packs (zlib's Technical Details): a smaller file needs no count."""

_STEP = 1 << 20

DAMAGED: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What a stream of packed content raises where it is cut off or damaged; bzip2 and gzip raise OSError."""


class DamagedGzip(ValueError):  # noqa: N818 - named for what the content is
    """Packed content that is cut off or damaged; the message says how."""


def unpacked(data: bytes, most: int = MOST_UNPACKED) -> bytes:
    """Return content, unpacked if it is packed with gzip, bzip2 or xz.

    Parameters
    ----------
    data : bytes
        The content of a file; several gzip members follow one another.
    most : int
        Maximum number of unpacked bytes.

    Raises
    ------
    DamagedGzip
        If it is cut off or damaged, or larger than `most`.

    Examples
    --------
    >>> unpacked(gzip.compress(b"HEADER")), unpacked(b"HEADER")
    (b'HEADER', b'HEADER')
    """
    reader = _reader_of(data)
    if reader is None:
        return data
    try:
        if reader is gzip.open and len(data) * _HIGHEST_RATIO <= most:
            return gzip.decompress(data)
        with cast("BinaryIO", reader(io.BytesIO(data))) as stream:
            content = b"".join(_parts(stream, most))
    except DAMAGED as error:
        raise DamagedGzip(str(error)) from error
    if len(content) > most:
        raise DamagedGzip(f"it holds more than {most} bytes")
    return content


def unpacked_size(path: Path, most: int = MOST_UNPACKED) -> int:
    """Return the number of bytes of a file, unpacked if it is packed; a number above `most` as soon as it is reached.

    Takes the same memory whatever the file holds.

    Raises
    ------
    DamagedGzip
        If it is cut off or damaged.
    """
    try:
        with open_unpacked(path) as stream:
            return sum(map(len, _parts(stream, most)))
    except DAMAGED as error:
        raise DamagedGzip(str(error)) from error


def _parts(stream: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield a stream's content up to the part with which it is larger than `most`."""
    size = 0
    while size <= most and (part := stream.read(_STEP)):
        size += len(part)
        yield part


def open_unpacked(path: Path) -> BinaryIO:
    """Return a stream of a file's content, unpacked as it is read if it is packed."""
    with path.open("rb") as plain:
        reader = _reader_of(plain.read(_MAGIC))
    return path.open("rb") if reader is None else cast("BinaryIO", reader(path))


def _reader_of(data: bytes) -> Callable[..., object] | None:
    """Return what opens packed content by its first bytes, None if it isn't packed."""
    return next((reader for magic, reader in _READERS if data.startswith(magic)), None)
