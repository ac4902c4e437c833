"""Locks between processes that share a cache folder; a process releases its locks when it ends."""

import errno
import fcntl
import logging
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOG = logging.getLogger(__name__)
_PAUSE = 0.05
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def file_lock(path: Path, *, patience: float) -> Iterator[bool]:
    """Acquire an exclusive lock for the block.

    Parameters
    ----------
    path : Path
        The lock file; it is created if missing and never removed.
    patience : float
        Seconds to wait for another holder.

    Yields
    ------
    bool
        Whether the lock was acquired; False after the timeout or if the file system has no locks. The block must still
        write safely then: temporary names and renaming.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        yield _acquire(handle, time.monotonic() + patience)
    finally:
        os.close(handle)


@contextmanager
def one_of(folder: Path, count: int, *, patience: float) -> Iterator[None]:
    """Acquire one of `count` slots for the block, so that at most `count` processes or threads run it.

    After `patience` seconds the block is entered without a place.
    """
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience
    order = random.sample(range(count), count)
    while True:
        for place in order:
            with file_lock(folder / f"{place}.lock", patience=0) as acquired:
                if acquired or time.monotonic() > deadline:
                    yield
                    return
        time.sleep(_PAUSE)


def _acquire(handle: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                _LOG.warning("the file system of the cache has no locks: %s", error.strerror)
                return False
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise
        else:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
