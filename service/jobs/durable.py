"""Small files that are on the disk, complete, when the call returns."""

import contextlib
import errno
import json
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any

import duckdb

from tethermap.base.errors import is_full_disk

FULL_BELOW_BYTES = 1 << 20
"""A disk with less free space counts as full: Snakemake itself needs about this much."""

_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS, errno.EROFS)

SHORTAGE = re.compile(
    r"Too many open files|Cannot allocate memory|Resource temporarily unavailable|can't start new thread"
)
"""Texts by which programs report a lack of descriptors, memory or processes."""


def is_shortage(error: BaseException) -> bool:
    """Return whether the machine lacks file descriptors, memory, processes or disk space at the moment."""
    if isinstance(error, OSError):
        return error.errno in _SHORT or is_full_disk(error)
    if isinstance(error, RuntimeError | duckdb.Error):
        short = isinstance(error, duckdb.OutOfMemoryException) or SHORTAGE.search(str(error)) is not None
        return short or is_full_disk(error)
    return isinstance(error, MemoryError)


def raise_shortage(error: BaseException) -> None:
    """Raise an error if it is caused by the machine's resources, not by the file."""
    if is_shortage(error):
        raise error


def free_bytes(folder: Path) -> int:
    """Return the free space of the disk on which a folder is, or will be."""
    return shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free


def is_full(folder: Path) -> bool:
    """Return whether the disk of a folder has no space left."""
    try:
        return free_bytes(folder) < FULL_BELOW_BYTES
    except OSError:
        return False


def write_json(path: Path, value: Any) -> int:
    """Write a value as JSON under another name, bring it to the disk, rename it.

    Unlike `tethermap.base.atomic`, this creates no folder: a deleted one is not created again.

    Returns
    -------
    int
        Modification time of the file in nanoseconds.
    """
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            stamp = os.fstat(stream.fileno()).st_mtime_ns
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
    return stamp


def read_json(path: Path) -> Any:
    """Return the value of a JSON file; None if it is missing or no JSON.

    Raises
    ------
    OSError
        If the machine lacks the resources to read it: the file may be valid.
    """
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None
    except OSError as error:
        raise_shortage(error)
        return None


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file as `read_json`; empty if there is none."""
    value = read_json(path)
    return value if isinstance(value, dict) else {}


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
