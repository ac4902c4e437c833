# ruff: noqa: N818 - the codes that clients see are made from the names
"""Errors reported to clients: status, code and message of the error body."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

STATUSES: dict[str, int] = {}
"""HTTP status of each error code."""


class ServiceError(Exception):
    """A request that can't be answered.

    Parameters
    ----------
    message : str
        One sentence for people; nothing of this machine.
    http_status : int or None
        HTTP status; None for that of the class.
    headers : mapping or None
        Headers that the answer carries.
    retry_after : int or None
        Seconds after which the request may be repeated.
    **details
        Plain values for programs.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    default_status: ClassVar[int] = 500

    def __init_subclass__(cls, status: int | None = None) -> None:
        """Name the code after the class: that of `InvalidJson` is ``INVALID_JSON``."""
        cls.code = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).upper()
        cls.default_status = STATUSES[cls.code] = cls.default_status if status is None else status

    def __init__(
        self,
        message: str,
        *,
        http_status: int | None = None,
        headers: Mapping[str, str] | None = None,
        retry_after: int | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.headers = {**(headers or {}), **({} if retry_after is None else {"Retry-After": str(retry_after)})}
        self.status = self.default_status if http_status is None else http_status


class InvalidJson(ServiceError, status=400):
    """The body is missing, no JSON, no object, or nested too deep."""


class UnsupportedMediaType(ServiceError, status=415):
    """The body is not declared as JSON."""


class MissingField(ServiceError, status=400):
    """A required field or query parameter is absent or blank."""


class InvalidField(ServiceError, status=422):
    """A field is of the wrong type, too long, malformed, unknown or out of range."""


def invalid_field(field: str, reason: str) -> InvalidField:
    """Return the error for a field; the reason follows its name in the message."""
    return InvalidField(f"{field} {reason}.", field=field, reason=reason)


class UnsupportedInput(ServiceError, status=400):
    """The body names a file of the server."""


class InvalidParameter(ServiceError, status=400):
    """A query parameter can't be parsed or is out of range."""


def wrong_parameter(name: str, fault: str, **details: Any) -> InvalidParameter:
    """Return the error for a query parameter; the fault follows its name in the message."""
    return InvalidParameter(f"{name} {fault}.", parameter=name, **details)


def wrong_value(name: str, value: str, wanted: str, **details: Any) -> InvalidParameter:
    """Return the error for the value of a query parameter that must be another."""
    return wrong_parameter(name, f"is {value[:64]!r}: it must be {wanted}", **details)


class InvalidPath(ServiceError, status=400):
    """A kind, folder or file path that can't be one of a job."""


class NotFound(ServiceError, status=404):
    """Nothing has this address."""


class JobNotFound(NotFound):
    """No job has this id."""


class BatchNotFound(NotFound):
    """No batch has this id."""


class ExampleNotFound(NotFound):
    """No example is configured under this id."""


class FileNotFound(NotFound):
    """The job has no such file."""


class MethodNotAllowed(ServiceError, status=405):
    """The address has no such method."""


class JobStateConflict(ServiceError, status=409):
    """The job's state doesn't allow the action."""


class IdempotencyConflict(ServiceError, status=422):
    """The idempotency key was used with another body; 409 while that request is still being answered."""


class PayloadTooLarge(ServiceError, status=413):
    """The body is over the limit."""


class ResultsNotReady(ServiceError, status=202):
    """Results of a job that is still queued or running were requested."""


class Unauthorized(ServiceError, status=401):
    """The token is missing or wrong."""


class Forbidden(ServiceError, status=403):
    """The token is neither the owner's nor the operator's."""


class MisdirectedRequest(ServiceError, status=421):
    """The request was sent to an unknown host name."""


class RangeNotSatisfiable(ServiceError, status=416):
    """The file has no such bytes."""


class RateLimited(ServiceError, status=429):
    """The client sent too many requests."""


class QueueFull(ServiceError, status=503):
    """Too many jobs or requests wait, or the service accepts no new ones."""


class UpstreamUnavailable(ServiceError, status=503):
    """The source of structures does not answer."""


class InternalError(ServiceError):
    """An error of this program; the log has it under the request's id."""
