"""Content that may be packed: gzip, bzip2, xz."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

GZIP = b"\x1f\x8b"
"""First bytes of gzip files (RFC 1952)."""

BZIP2, XZ = b"BZh", b"\xfd7zXZ"
"""First bytes of bzip2 and xz."""

_READERS: tuple[tuple[bytes, Callable[..., object]], ...] = ((GZIP, gzip.open), (BZIP2, bz2.open), (XZ, lzma.open))
_MAGIC = 6
SUFFIXES = (".gz", ".bz2", ".xz")

MOST_UNPACKED = 2 << 30
"""Largest unpacked file, in bytes; the largest mmCIF file of the PDB is half this size."""

_HIGHEST_RATIO = 1032
"""Largest compression ratio of deflate (zlib's Technical Details): a smaller file needs no count."""

_STEP = 1 << 20

DAMAGED: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""Errors of truncated or damaged packed content; bzip2 and gzip raise OSError."""


class DamagedGzip(ValueError):  # noqa: N818 - named for what the content is
    """Packed content that is cut off or damaged; the message gives the reason."""


def ending_of(name: str) -> str:
    """Return the last suffix of a name before those of compression, in lower case."""
    for packer in SUFFIXES:
        name = name.lower().removesuffix(packer)
    return name.rpartition(".")[2]


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
        raise DamagedGzip(f"it has more than {most} bytes")
    return content


def unpacked_size(path: Path, most: int = MOST_UNPACKED) -> int:
    """Return the unpacked size of a file in bytes, or a number above `most` as soon as the size exceeds it.

    Memory use does not depend on the size of the content.

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
    """Yield a stream's content in parts, up to the part that exceeds `most`."""
    size = 0
    while size <= most and (part := stream.read(_STEP)):
        size += len(part)
        yield part


def open_unpacked(path: Path) -> BinaryIO:
    """Return a stream of a file's content; packed content is unpacked while it is read."""
    with path.open("rb") as plain:
        reader = _reader_of(plain.read(_MAGIC))
    return path.open("rb") if reader is None else cast("BinaryIO", reader(path))


def unpacked_stream(stream: BinaryIO) -> BinaryIO:
    """Return a stream of the content of a buffered stream; packed content is unpacked while it is read."""
    reader = _reader_of(stream.peek(_MAGIC))  # type: ignore[attr-defined]
    return stream if reader is None else cast("BinaryIO", reader(stream))


def _reader_of(data: bytes) -> Callable[..., object] | None:
    """Return the opener for packed content by its first bytes, None if it isn't packed."""
    return next((reader for magic, reader in _READERS if data.startswith(magic)), None)
