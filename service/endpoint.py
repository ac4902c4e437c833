"""What a route is: its handler and what discovery and the OpenAPI document say about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter or header of a route.

    Parameters
    ----------
    name : str
        Its name.
    schema : mapping
        JSON Schema of its value.
    says : str
        What it does.
    required : bool
        Whether a request without it is refused.
    place : str
        ``query`` or ``header``.
    """

    name: str
    schema: Mapping[str, Any]
    says: str = ""
    required: bool = False
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path.

    Parameters
    ----------
    method : str
        ``GET`` (answers HEAD too), ``POST`` or ``DELETE``.
    path : str
        As Starlette writes it: ``/api/jobs/{job_id}``.
    handler : callable
        Parses the request, calls one collaborator, answers.
    group : str
        Title of the group in the manifest.
    note : str
        One line on what it does.
    parameters : sequence of Parameter
        Query parameters and headers.
    body : str
        Name of the schema of the body; empty for none.
    answers : mapping of int to str or tuple of str
        Status → name of the schema of a JSON answer, or a media type; or several of them.
    errors : sequence of str
        Codes of the errors that this route can answer besides those that every route can.
    changes : bool
        Whether it changes something, so that a token is needed where tokens are configured.
    early : bool
        Whether it answers while the service still reads the job folders.
    """

    method: str
    path: str
    handler: Handler
    group: str
    note: str
    parameters: Sequence[Parameter] = ()
    body: str = ""
    answers: Mapping[int, str | tuple[str, ...]] = field(default_factory=dict)
    errors: Sequence[str] = ()
    changes: bool = False
    early: bool = False

    @property
    def plain_path(self) -> str:
        """The path as OpenAPI writes it, without Starlette's converters."""
        return self.path.replace(":path}", "}")
