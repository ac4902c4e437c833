"""Errors between a client and the service."""

from collections.abc import Mapping
from typing import Any


class TethermapError(Exception):
    """Any of the errors below; the message is for people."""


class NotAnsweredError(TethermapError):
    """The service did not answer, or reported a temporary failure."""


class TookTooLongError(TethermapError):
    """A job did not end in the time that the caller gave it."""


class NotReadyError(TethermapError):
    """There are no results yet: the job is queued or running, or an example that is not installed."""


class RefusedError(TethermapError):
    """The service has answered that the request can't be.

    Parameters
    ----------
    status, code, message : int, str, str
        HTTP status, code and sentence of the error.
    details : mapping
        Plain values: the invalid field, and the allowed values.
    """

    def __init__(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> None:
        items = "".join(f"\n  job {item['index'] + 1}: {item['message']}" for item in details.get("items", ()))
        super().__init__(f"{message} ({code}){items}")
        self.status = status
        self.code = code
        self.details = dict(details)


class UnauthorizedError(RefusedError):
    """The token is missing or wrong, or neither the owner's nor the operator's."""
