"""ZIP and tar archives of a user's files, unpacked into the cache with their folders."""

import hashlib
import io
import json
import shutil
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tethermap.base.atomic import write_text
from tethermap.base.packed import DAMAGED, MOST_UNPACKED, open_unpacked, unpacked_stream

MOST_MEMBERS = 20_000
"""Files of one archive."""

_STEP = 1 << 20
_STAMP = "made.json"
_KEPT_DAYS = 30
_DAMAGED: tuple[type[Exception], ...] = (*DAMAGED, zipfile.BadZipFile, tarfile.TarError, ValueError, struct.error)
"""Errors of damaged archives; names that are not in the encoding that they announce raise ValueError."""

Parts = Iterator[tuple[str, int, BinaryIO]]
"""Name, size in bytes and content of each file of an archive."""


class ArchiveError(Exception):
    """An archive that can't be used; the message gives the reason."""


def members(path: Path) -> Parts:
    """Yield name, declared size in bytes and content of each file of an archive; links and devices are omitted.

    Raises
    ------
    ArchiveError
        If it is damaged, locked by a password, or has too many files; to read damaged content raises other errors,
        see `_content`.
    """
    with _archive_errors():
        if _is_zip(path):
            with open_unpacked(path) as plain, zipfile.ZipFile(plain) as archive:
                for number, entry in enumerate(archive.infolist()):
                    _count(number)
                    if entry.filename and not entry.is_dir():
                        with archive.open(entry) as stream:
                            yield entry.filename, entry.file_size, stream  # type: ignore[misc]
        else:
            with open_unpacked(path) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
                for number, member in enumerate(tar):
                    _count(number)
                    if member.isfile():
                        yield member.name, member.size, tar.extractfile(member) or io.BytesIO()  # type: ignore[misc]


@contextmanager
def _archive_errors() -> Iterator[None]:
    """Raise ArchiveError for the errors of Python's readers of archives."""
    try:
        yield
    except NotImplementedError as error:  # also a RuntimeError
        raise ArchiveError("an archive with a compression that can't be read; unpack it first") from error
    except RuntimeError as error:  # zipfile raises it for missing passwords
        raise ArchiveError("it has a password; unpack it first") from error
    except _DAMAGED as error:
        raise ArchiveError(f"a damaged archive ({str(error)[:80]})") from error


def _content(stream: BinaryIO, *, unpacked: bool = False) -> Iterator[bytes]:
    """Yield the content of a file of an archive in parts; if it is packed, with `unpacked` its unpacked content.

    Raises
    ------
    ArchiveError
        If it is damaged.
    """
    with _archive_errors():
        stream = unpacked_stream(stream) if unpacked else stream
        while part := stream.read(_STEP):
            yield part


def is_archive(path: Path) -> bool:
    """Return whether a file is a ZIP or a tar archive, packed or not; NumPy's archives count as files."""
    if ".npz" in path.name.lower()[-7:]:
        return False
    if _is_zip(path):
        return True
    with open_unpacked(path) as stream:
        return stream.read(512)[257:262] == b"ustar"


def _is_zip(path: Path) -> bool:
    with open_unpacked(path) as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def members_size(path: Path, most: int) -> int:
    """Return the number of bytes of all files of an archive, unpacked if they are packed; 0 of other files.

    The sum is returned as soon as it exceeds `most`; archives of NumPy count too.

    Raises
    ------
    ArchiveError
        See `members`.
    """
    size = 0
    for _, _, stream in members(path) if _is_zip(path) or is_archive(path) else ():
        for part in _content(stream, unpacked=True):
            size += len(part)
            if size > most:
                return size
    return size


def unpack(path: Path, folder: Path, parts: Callable[[Path], Parts] = members) -> list[Path]:
    """Unpack an archive into a separate folder and return its files, in the order of the archive.

    Parameters
    ----------
    path : Path
        The archive.
    folder : Path
        Parent of the new folder, which has the archive's hash as name; an existing one is reused.
    parts : callable
        Yields the content of the archive, like `members`.

    Raises
    ------
    ArchiveError
        As `members`, or if the files have more than `MOST_UNPACKED` bytes together.
    """

    def write_files(made: Path) -> list[str]:
        shutil.rmtree(made, ignore_errors=True)
        names: list[str] = []
        size = 0
        for name, _, stream in parts(path):
            words = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
            if not words or words[0] == "__MACOSX" or words[-1].startswith(".") or "/".join(words) in names:
                continue
            target = made.joinpath("files", *words)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as file:
                    for part in _content(stream):
                        size += len(part)
                        if size > MOST_UNPACKED:
                            raise ArchiveError(f"its files have more than {MOST_UNPACKED} bytes")
                        file.write(part)
            except OSError as error:
                raise ArchiveError(f"{name[:80]} can't be unpacked ({error.strerror})") from error
            names.append("/".join(("files", *words)))
        return names

    state = path.stat()
    made, names = made_once(folder, [str(path.resolve()), state.st_size, state.st_mtime_ns], write_files)
    return [made / name for name in names]


def made_once(folder: Path, source: object, make: Callable[[Path], Any]) -> tuple[Path, Any]:
    """Return the folder of files derived from a source, and their record; both are kept for later jobs.

    Parameters
    ----------
    folder : Path
        Parent of the new folder.
    source : object
        Identifies what the files are made from, as JSON; its hash is the name of the folder.
    make : callable
        Writes the files into a folder and returns their record, as JSON.
    """
    made = folder / hashlib.sha256(json.dumps(source).encode()).hexdigest()[:24]
    stamp = made / _STAMP
    if stamp.is_file():
        stamp.touch()
        return made, json.loads(stamp.read_text(encoding="utf-8"))
    record = make(made)
    write_text(stamp, json.dumps(record))
    return made, record


def forget_unused(folder: Path) -> None:
    """Remove the derived files in the folders of all versions that have not been used for a month."""
    old = time.time() - _KEPT_DAYS * 86_400
    for stamp in folder.glob(f"*/*/{_STAMP}"):
        if stamp.stat().st_mtime < old:
            shutil.rmtree(stamp.parent, ignore_errors=True)


def _count(number: int) -> None:
    if number >= MOST_MEMBERS:
        raise ArchiveError(f"more than {MOST_MEMBERS} files")
