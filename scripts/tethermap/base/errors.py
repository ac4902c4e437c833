"""Errors that a user can do something about: one sentence each, never a traceback."""

import errno
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

PROGRAM_ERROR = "program_error"
"""Code of `tethermap.base.reasons.REASONS` of ligands and entries on which a step has failed."""

_LOG = logging.getLogger(__name__)

ErrorKind = Literal["input", "pipeline", "upstream", "disk_full", "interrupted"]


class UserError(Exception):
    """The job can't continue; the message gives the reason and the remedy.

    Parameters
    ----------
    message : str
        One sentence that names the value and the remedy.
    kind : str
        ``input`` (the user's settings or files), ``pipeline`` (this program), ``upstream`` (a service on the network),
        ``disk_full`` or ``interrupted`` (someone stopped the run).
    """

    def __init__(self, message: str, kind: ErrorKind = "input") -> None:
        super().__init__(message)
        self.message = message
        self.kind: ErrorKind = kind


class ReasonError(Exception):
    """An entry that can't be used; becomes its status row.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    value : str
        The detail, for the status table.
    """

    def __init__(self, reason: str, value: str = "") -> None:
        super().__init__(f"{reason}: {value}" if value else reason)
        self.reason = reason
        self.value = value


OF_THE_MACHINE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)
"""Numbers of system errors that every ligand would meet: full, read-only or broken disks, too few descriptors."""

OTHER_VERSION_ERRORS = (FileNotFoundError, LookupError, TypeError, ValueError)
"""Errors that reading the working files of a job of another version may raise."""


def ends_step(error: Exception) -> bool:
    """Return whether an error concerns more than one ligand or entry: settings, memory, the disk, the installation.

    >>> ends_step(KeyError("C1")), ends_step(OSError(errno.ENOSPC, "No space left on device"))
    (False, True)
    """
    if isinstance(error, OSError):
        return error.errno in OF_THE_MACHINE
    return isinstance(error, UserError | MemoryError | ImportError | sqlite3.DatabaseError)


@dataclass(frozen=True, slots=True)
class isolate_errors:  # noqa: N801 - used like `contextlib.suppress`
    """Limit an error of this program to one ligand or entry; the step continues with the others.

    The log gets the traceback. Errors that concern more than the one (`ends_step`) are raised.

    Parameters
    ----------
    about : str
        Names the ligand or entry and the step.
    failed : callable
        Records the error.
    """

    about: str
    failed: Callable[[Exception], object]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or ends_step(error):
            return False
        _LOG.error("%s failed", self.about, exc_info=error)
        self.failed(error)
        return True


def failed_at(step: str, error: Exception) -> str:
    """Return the text of an error for status rows.

    >>> failed_at("measure_sasa", KeyError("C1"))
    'measure_sasa: KeyError'
    """
    return f"{step}: {type(error).__name__}"
