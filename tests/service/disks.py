"""Disks that are small and fill up: real file systems, where the system lets us make one."""

import contextlib
import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.programs import program


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """Mount a file system in memory of `size` bytes; skip the test where that is not permitted."""
    folder.mkdir()
    mount = [program("mount"), "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk can't be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run([program("umount"), "--lazy", str(folder)], check=True)


def refused_by_disk(*_: object) -> int:
    """Fail like a write on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fill(folder: Path, leave: int = 0) -> Path:
    """Write a file that leaves so many bytes of a disk, and return it."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while (left := shutil.disk_usage(folder).free - leave) > 0 or not leave:
            filler.write(bytes(min(4096, left) if leave else 4096))
    return path
