"""Small files that are on the disk, complete, when the call returns."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
from pathlib import Path
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a full disk."""

_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS)


def is_shortage(error: BaseException) -> bool:
    """Return whether the machine lacks file descriptors, memory or processes at the moment."""
    if isinstance(error, OSError):
        return error.errno in _SHORT
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "new thread" in str(error))


def write_json(path: Path, value: Any) -> int:
    """Write a value as JSON under another name, bring it to the disk, rename it.

    Unlike `scripts.lib.atomic` this creates no folder: one that was deleted stays so.

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
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)
    return stamp


def read_json(path: Path) -> Any:
    """Return the value of a JSON file; None when it is missing or no JSON."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
