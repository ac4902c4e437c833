"""Errors that a user can do something about: one sentence each, never a traceback."""

from __future__ import annotations

from typing import Literal

ErrorKind = Literal["input", "pipeline", "upstream", "disk_full", "interrupted"]


class UserError(Exception):
    """The job can't go on; the message says why and what to do about it.

    Parameters
    ----------
    message : str
        One sentence that names the value and the remedy.
    kind : str
        ``input`` (the user's settings or files), ``pipeline`` (this program), ``upstream``
        (a service on the network), ``disk_full`` or ``interrupted`` (somebody stopped the run).
    """

    def __init__(self, message: str, kind: ErrorKind = "input") -> None:
        super().__init__(message)
        self.message = message
        self.kind: ErrorKind = kind


PROGRAM_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What an unforeseen entry or ligand may raise: it becomes a status row, and the job's self-check names it.

A full disk, a lack of memory and an interruption are not among them: these end the step.
"""
