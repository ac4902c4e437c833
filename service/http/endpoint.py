"""Declaration of a route: its handler, and its texts for discovery and the OpenAPI document."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_origin

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import WES
from service.http.parameters import Parameter

JobHandler = Callable[[Request, Any], Response]
Handler = Callable[[Request], Awaitable[Response]] | JobHandler
"""Answers a request. A plain function also gets the job that the path names, and is called in a thread."""
Declaration = Callable[[Handler], Handler]
"""Decorator of a handler."""
PAGE = "text/html; charset=utf-8"

_OF_PATH = {
    "/api/examples/{job_id}": "EXAMPLE_NOT_FOUND",
    "/examples/{job_id}": "EXAMPLE_NOT_FOUND",
    "{job_id}": "JOB_NOT_FOUND",
    "{batch_id}": "BATCH_NOT_FOUND",
    "{upload_id}": "NOT_FOUND",
}
_OF_BODY = ("INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE", "INVALID_FIELD", "PAYLOAD_TOO_LARGE")
_ALWAYS = ("INTERNAL_ERROR", "RATE_LIMITED", "MISDIRECTED_REQUEST", "QUEUE_FULL")
"""Errors of every route; the last while the service starts, or lacks disk space, memory, or time for a query."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path.

    Parameters
    ----------
    method : str
        ``GET`` (answers HEAD too), ``POST`` or ``DELETE``.
    path : str
        In Starlette's format: ``/api/jobs/{job_id}``.
    handler : callable
        Parses the request, calls one collaborator, answers; see `Handler`.
    group : str
        Title of the group in the manifest.
    note : str
        Summary in one line; by default the first line of the handler's docstring.
    parameters : sequence of Parameter
        Query parameters and headers.
    body : str
        Name of the schema of the body; empty for none.
    answers : mapping of int to type, str or tuple of them
        Status → type of a JSON response, or a media type, empty for no body; or a tuple of these.
    errors : sequence of str
        Codes of the errors that this route can answer besides those that its other fields or being a route bring.
    listing : bool
        Whether it answers a list or an archive of it, so that a query parameter that it doesn't know is refused.
    changes : bool
        Whether it changes something, so that a token is needed where tokens are configured.
    public : bool
        Whether it answers without a token even where reading needs one.
    early : bool
        Whether it answers while the service still reads the job folders.
    ready : bool
        Whether the job that it reads must have ended.
    kept : bool
        Whether its answers about finished jobs are cached.
    name : str
        Name for people, unlike any other: ``submitJob``; by default that of the handler.
    says : str
        Description of more than one line, in Markdown.
    """

    method: str
    path: str
    handler: Handler
    group: str
    note: str = ""
    parameters: Sequence[Parameter] = ()
    body: str = ""
    answers: Mapping[int, Any] = field(default_factory=dict)
    errors: Sequence[str] = ()
    listing: bool = False
    changes: bool = False
    public: bool = False
    early: bool = False
    ready: bool = False
    kept: bool = False
    name: str = ""
    says: str = ""

    @property
    def plain_path(self) -> str:
        """The path in OpenAPI's format, without Starlette's converters."""
        return self.path.replace(":path}", "}")

    @property
    def for_people(self) -> bool:
        """Whether it is a page or a part of one, whose errors are pages."""
        return self.group == "Pages" and not self.path.startswith("/api/")

    @property
    def is_file(self) -> bool:
        """Whether it answers files for programs."""
        return not self.for_people and all(isinstance(answer, str) for answer in self.all_answers)

    @property
    def all_answers(self) -> list[Any]:
        """Types and media types of its answers, of every status."""
        return [one for each in self.answers.values() for one in (each if isinstance(each, tuple) else (each,))]

    @property
    def operation(self) -> str:
        """Its name for people."""
        first, *others = (self.name or self.handler.__name__).split("_")
        return first + "".join(word.capitalize() for word in others)

    @property
    def codes(self) -> list[str]:
        """Codes of all errors that it can answer."""
        lost = next((code for part, code in _OF_PATH.items() if part in self.path), "")
        parsed = any(
            type(parameter) is not Parameter and parameter.location == "query" for parameter in self.parameters
        )
        brought = {
            lost: bool(lost),
            "RESULTS_NOT_READY": self.ready,
            "INVALID_PARAMETER": parsed or self.listing,
            "RANGE_NOT_SATISFIABLE": 206 in self.answers,
            **dict.fromkeys(_OF_BODY, bool(self.body)),
            "MISSING_FIELD": bool(self.body) or any(parameter.required for parameter in self.parameters),
            "UNAUTHORIZED": not self.public,
            **dict.fromkeys(("FORBIDDEN", "JOB_STATE_CONFLICT"), self.changes and bool(lost)),
        }
        return list(dict.fromkeys([*(code for code, can in brought.items() if can), *self.errors, *_ALWAYS]))

    @property
    def reads_job(self) -> bool:
        """Whether it reads a job or an example, and responds with an error for a configured example without results."""
        return ("{job_id}" in self.path or self.ready) and not (self.changes or self.path.startswith(WES))

    @property
    def bare_list(self) -> bool:
        """Whether it answers a list without an envelope, as drop-in clients know it."""
        return get_origin(self.answers.get(200)) is list

    @property
    def known_parameters(self) -> list[str]:
        """Names of its query parameters."""
        queries = [parameter for parameter in self.parameters if parameter.location == "query"]
        return [name for parameter in queries for name in (parameter.name, *parameter.aliases)]


def note_of(handler: Handler) -> str:
    """Return the summary of a handler: the first line of its docstring."""
    return (handler.__doc__ or "").partition("\n")[0]


class Routes(list[Endpoint]):
    """Endpoints of a module, which it declares at their handlers.

    Parameters
    ----------
    group : str
        Their group in the manifest.
    **usual
        Fields that they have unless they are declared otherwise.
    """

    def __init__(self, group: str, **usual: Any) -> None:
        super().__init__()
        self._usual = {"group": group, **usual}

    def get(
        self, path: str, answer: Any, parameters: Sequence[Parameter] = (), *, method: str = "GET", **more: Any
    ) -> Declaration:
        """Declare an endpoint that reads.

        Parameters
        ----------
        path, parameters, method
            See `Endpoint`.
        answer : type, str, tuple or mapping
            Its answer of status 200; all its answers by status.
        **more
            Further fields of the endpoint.
        """
        answers = answer if isinstance(answer, Mapping) else {200: answer}
        fields = {**self._usual, "parameters": parameters, "answers": answers, **more}

        def declare(handler: Handler) -> Handler:
            self.append(Endpoint(method, path, handler, **{"note": note_of(handler), **fields}))
            return handler

        return declare

    def post(self, path: str, answer: Any, *parameters: Any, **more: Any) -> Declaration:
        """Declare an endpoint that takes a body and, unless declared otherwise, changes something; else as `get`."""
        return self.get(path, answer, *parameters, **{"method": "POST", "changes": True, **more})

    def delete(self, path: str, answer: Any) -> Declaration:
        """Declare an endpoint that removes something; otherwise as `get`."""
        return self.get(path, answer, method="DELETE", changes=True)
