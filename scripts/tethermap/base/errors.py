"""Errors that a user can do something about: one sentence each, never a traceback."""

import errno
import logging
import re
import sqlite3
from dataclasses import dataclass, field
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


_OF_THE_MACHINE = frozenset({errno.EROFS, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Numbers of system errors that every ligand would meet: read-only or broken disks, too few descriptors."""

NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded|database or disk is full")
"""Texts by which programs and libraries report a full disk."""

OTHER_VERSION_ERRORS = (FileNotFoundError, LookupError, TypeError, ValueError)
"""Errors that reading the working files of a job of another version may raise."""


def is_full_disk(error: BaseException) -> bool:
    """Return whether an error reports a full disk: one of the system, or of a library that passes on its text.

    >>> is_full_disk(OSError(errno.ENOSPC, "")), is_full_disk(RuntimeError("x.parquet: No space left on device"))
    (True, True)
    """
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or bool(NO_SPACE.search(str(error)))


def ends_step(error: Exception) -> bool:
    """Return whether an error concerns more than one ligand or entry: settings, memory, the disk, the installation.

    >>> ends_step(KeyError("C1")), ends_step(OSError(errno.ENOSPC, "No space left on device"))
    (False, True)
    """
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
        return True
    return is_full_disk(error) or isinstance(error, UserError | MemoryError | ImportError | sqlite3.DatabaseError)


@dataclass(frozen=True, slots=True)
class isolate_errors:  # noqa: N801 - used like `contextlib.suppress`
    """Limit an error of this program to one ligand or entry; the step continues with the others.

    The log gets the traceback. Errors that concern more than the one (`ends_step`) are raised. The block gets a list,
    which has the error afterwards.

    Parameters
    ----------
    about : str
        Names the ligand or entry and the step.
    """

    about: str
    errors: list[Exception] = field(default_factory=list)

    def __enter__(self) -> list[Exception]:
        return self.errors

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or ends_step(error):
            return False
        _LOG.error("%s failed", self.about, exc_info=error)
        self.errors.append(error)
        return True


def failed_at(step: str, error: Exception) -> str:
    """Return the text of an error for status rows.

    >>> failed_at("measure_sasa", KeyError("C1"))
    'measure_sasa: KeyError'
    """
    return f"{step}: {type(error).__name__}"
