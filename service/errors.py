# ruff: noqa: N818 - named after the codes that clients see
"""Errors reported to clients: status, code and message of the error body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ServiceError(Exception):
    """A request that can't be answered.

    Parameters
    ----------
    message : str
        One sentence for people; nothing of this machine.
    details : mapping or None
        Plain values for programs.
    headers : mapping or None
        Headers that the answer carries.
    status : int or None
        HTTP status; None for that of the class.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    default_status: ClassVar[int] = 500

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})
        self.status = self.default_status if status is None else status


class InvalidJson(ServiceError):
    """The body is missing, no JSON, no object, or nested too deep."""

    code = "INVALID_JSON"
    default_status = 400


class UnsupportedMediaType(ServiceError):
    """The body is not declared as JSON."""

    code = "UNSUPPORTED_MEDIA_TYPE"
    default_status = 415


class MissingField(ServiceError):
    """A required field or query parameter is absent or blank."""

    code = "MISSING_FIELD"
    default_status = 400


class InvalidField(ServiceError):
    """A field is of the wrong type, too long, malformed, unknown or out of range."""

    code = "INVALID_FIELD"
    default_status = 422


class UnsupportedInput(ServiceError):
    """The body names a file of the server."""

    code = "UNSUPPORTED_INPUT"
    default_status = 400


class InvalidParameter(ServiceError):
    """A query parameter can't be parsed or is out of range."""

    code = "INVALID_PARAMETER"
    default_status = 400


class InvalidPath(ServiceError):
    """A kind, folder or file path that can't be one of a job."""

    code = "INVALID_PATH"
    default_status = 400


class NotFound(ServiceError):
    """Nothing has this address."""

    code = "NOT_FOUND"
    default_status = 404


class JobNotFound(NotFound):
    """No job has this id."""

    code = "JOB_NOT_FOUND"


class BatchNotFound(NotFound):
    """No batch has this id."""

    code = "BATCH_NOT_FOUND"


class ExampleNotFound(NotFound):
    """No example is configured under this id."""

    code = "EXAMPLE_NOT_FOUND"


class FileNotFound(NotFound):
    """The job has no such file."""

    code = "FILE_NOT_FOUND"


class MethodNotAllowed(ServiceError):
    """The address has no such method."""

    code = "METHOD_NOT_ALLOWED"
    default_status = 405


class JobStateConflict(ServiceError):
    """The job's state doesn't allow the action."""

    code = "JOB_STATE_CONFLICT"
    default_status = 409


class IdempotencyConflict(ServiceError):
    """The idempotency key was used with another body; 409 while that request is still being answered."""

    code = "IDEMPOTENCY_CONFLICT"
    default_status = 422


class PayloadTooLarge(ServiceError):
    """The body is over the limit."""

    code = "PAYLOAD_TOO_LARGE"
    default_status = 413


class ResultsNotReady(ServiceError):
    """Results of a job that is still queued or running were requested."""

    code = "RESULTS_NOT_READY"
    default_status = 202


class Unauthorized(ServiceError):
    """The token is missing or wrong."""

    code = "UNAUTHORIZED"
    default_status = 401


class Forbidden(ServiceError):
    """The token is neither the owner's nor the operator's."""

    code = "FORBIDDEN"
    default_status = 403


class MisdirectedRequest(ServiceError):
    """The request was sent to an unknown host name."""

    code = "MISDIRECTED_REQUEST"
    default_status = 421


class RangeNotSatisfiable(ServiceError):
    """The file has no such bytes."""

    code = "RANGE_NOT_SATISFIABLE"
    default_status = 416


class RateLimited(ServiceError):
    """The client sent too many requests."""

    code = "RATE_LIMITED"
    default_status = 429


class QueueFull(ServiceError):
    """Too many jobs or requests wait, or the service accepts no new ones."""

    code = "QUEUE_FULL"
    default_status = 503


class UpstreamUnavailable(ServiceError):
    """The source of structures does not answer."""

    code = "UPSTREAM_UNAVAILABLE"
    default_status = 503


class InternalError(ServiceError):
    """An error of this program; the log has it under the request's id."""


def error_statuses() -> dict[str, int]:
    """Return the HTTP status of each error code."""
    statuses: dict[str, int] = {}
    waiting: list[type[ServiceError]] = [ServiceError]
    while waiting:
        kind = waiting.pop()
        statuses[kind.code] = kind.default_status
        waiting.extend(kind.__subclasses__())
    return statuses
