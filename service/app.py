"""The application: routes over the service's parts, errors in one format, middleware."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from urllib.parse import urlsplit

import duckdb
from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from service.addresses import WES
from service.errors import InternalError, JobNotFound, MethodNotAllowed, NotFound, QueueFull, ServiceError, Unauthorized
from service.http.access import Access, Sessions
from service.http.bodies import MAX_WAITING_BODIES, MAX_WAITING_UPLOADS, UPLOAD_SECONDS, Bodies, BodyLimit
from service.http.compression import Compression
from service.http.discovery_answers import UnavailableExampleAnswer
from service.http.endpoint import Endpoint
from service.http.metrics import Metrics
from service.http.middleware import Refusal, RequestContext, request_id, too_often, wrong_host
from service.http.openapi import document
from service.http.parameters import refuse_unknown
from service.http.rates import Buckets
from service.http.responses import BYTES, error_answer, is_binary, json_answer
from service.jobs.durable import is_shortage
from service.jobs.uploads import UploadStore
from service.pages.render import page
from service.results.examples import example_record, load_examples
from service.routes import (
    batches,
    discovery,
    events,
    examples,
    files,
    index,
    jobs,
    login_page,
    monitor_page,
    pages,
    results,
    results_page,
    sasa,
    static,
    structures,
    submit_page,
    uploads,
)
from service.routes.shared import (
    ExampleUnavailable,
    Shared,
    answer_of,
    from_own_page,
    job_of,
    no_such_job,
    release_held,
    shared_of,
)
from service.runs.extra import extra
from service.runs.lifecycle import Parts
from service.runs.on_demand import Scripts
from service.scrub import Scrubber
from service.settings import EXTRAS, SESSIONS, Settings


class _AnyPath(PathConvertor):
    """The rest of an address, line breaks included: forbidden characters are rejected with a message, not cut off."""

    regex = r"[\s\S]*"


register_url_convertor("path", _AnyPath())

# index before jobs: its /api/jobs/export must precede /api/jobs/{job_id}
_API = (discovery, index, jobs, uploads, events, results, files, batches, sasa, structures, examples)
_PAGES = (login_page, submit_page, monitor_page, pages, results_page, static)
_CORE: tuple[Endpoint, ...] = (
    *(endpoint for module in _API for endpoint in module.ROUTES),
    *files.EXAMPLE_ROUTES,
    *(endpoint for module in _PAGES for endpoint in module.ROUTES),
)
"""Routes without those of extras."""

_SENT = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Modified-Since", "If-None-Match", "If-Range"),
    *("Last-Event-ID", "MCP-Protocol-Version", "Range", "X-Request-ID"),
)
_READ = (
    *("Content-Disposition", "Content-Range", "ETag", "Link", "Location", "Retry-After", "X-Request-ID"),
    "X-Tethermap-Truncated",
)
"""Headers that pages of other sites may send and read (CORS)."""

_NOTHING_HERE = "There is no page or route at this address: /api-docs lists the routes."
_SHORTAGE_RETRY_SECONDS = 60
_LOG = logging.getLogger(__name__)

_START_SECONDS = 20.0
"""Time in seconds that a request waits while the service reads the job folders."""


def endpoints(names: Sequence[str] = EXTRAS) -> tuple[Endpoint, ...]:
    """Return every route; the router, the manifest and the OpenAPI document are made from it.

    Parameters
    ----------
    names : sequence of str
        Extras in use.
    """
    return (*_CORE, *(endpoint for name in names for endpoint in extra(name).ROUTES))


def create_app(parts: Parts) -> Starlette:
    """Return the application over the parts, which it opens when it starts and closes when it ends."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with closing(app.state.shared.tables):
            async with parts.running(at_once=True):
                yield

    settings = parts.settings
    metrics = Metrics()
    routes = endpoints(settings.extras)
    app = Starlette(
        routes=_routes(routes),
        middleware=_middleware(settings, metrics, routes),
        exception_handlers={
            **dict.fromkeys((ServiceError, HTTPException), _known_error),
            ExampleUnavailable: _example_unavailable,
            **dict.fromkeys((OSError, MemoryError, RuntimeError, duckdb.Error), _shortage),
            Exception: _internal_error,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.endpoints = routes
    app.state.openapi = document(routes, settings)
    app.state.shared = Shared(
        parts=parts,
        access=Access(settings.api_tokens, Sessions(settings.jobs_dir / SESSIONS)),
        examples=load_examples(),
        metrics=metrics,
        scrubber=Scrubber(settings),
        scripts=Scripts(settings),
        uploads=UploadStore(settings),
    )
    return app


def _middleware(settings: Settings, metrics: Metrics, routes: Sequence[Endpoint]) -> list[Middleware]:
    """Return the middleware, outermost first."""
    bases = (settings.base_url_primary, settings.base_url_secondary)
    hosts = [settings.host, *settings.allowed_hosts, *(urlsplit(base).hostname or "" for base in bases if base)]
    known_hosts = {host.lower() for host in hosts}
    layers = [
        Middleware(RequestContext, metrics=metrics, root_path=settings.root_path, paths={one.path for one in routes}),
        Middleware(Refusal, error_of=partial(wrong_host, known_hosts)),
        Middleware(Compression),
    ]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "HEAD", "POST", "DELETE"],
                allow_headers=_SENT,
                expose_headers=_READ,
            )
        )
    if settings.rate_limit is not None:
        rate = settings.rate_limit
        layers.append(Middleware(Refusal, error_of=partial(too_often, Buckets(rate.count, rate.seconds))))
    seconds = settings.body_timeout_s
    usual = Bodies(settings.max_body_bytes, seconds, MAX_WAITING_BODIES)
    largest = max(settings.max_body_bytes, settings.max_upload_bytes)
    files = Bodies(largest, max(seconds, UPLOAD_SECONDS), MAX_WAITING_UPLOADS)
    layers.append(Middleware(BodyLimit, usual=usual, others=dict.fromkeys(("/api/uploads", "/upload"), files)))
    return layers


def _routes(endpoints: Sequence[Endpoint]) -> list[Route]:
    """Return one route for each path, with all methods of the path: a wrong one is answered like any other error."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [Route(path, _AnyMethod(path, methods), include_in_schema=False) for path, methods in by_path.items()]


class _AnyMethod:
    """An ASGI application for a path, so that Starlette hands every method to it.

    Parameters
    ----------
    path : str
        Pattern of the path.
    methods : mapping of str to Endpoint
        Endpoints by method.
    """

    def __init__(self, path: str, methods: Mapping[str, Endpoint]) -> None:
        self._path = path
        self._methods = methods
        self._allowed = ", ".join(sorted({*methods, *(("HEAD",) if "GET" in methods else ())}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        try:
            response = await self._answer(request)
            await response(scope, receive, send)
        finally:
            release_held(request)

    async def _answer(self, request: Request) -> Response:
        if request.scope["path"].endswith("\n") and not any(
            str(value).endswith("\n") for value in request.path_params.values()
        ):
            raise NotFound(_NOTHING_HERE)
        endpoint = self._methods.get("GET" if request.method == "HEAD" else request.method)
        request.scope["state"] |= {"route": self._path, "endpoint": endpoint or next(iter(self._methods.values()))}
        if endpoint is None:
            raise MethodNotAllowed(f"This address only accepts {self._allowed}.", headers={"Allow": self._allowed})
        _authorize(request, endpoint)
        if not endpoint.early:
            await _all_jobs_known(shared_of(request).parts)
        if endpoint.listing:
            if endpoint.reads_job and "job_id" in request.path_params:
                job_of(request)  # an invalid id or a missing example is reported before all other errors
            refuse_unknown(request, endpoint.known_parameters)
        response = await answer_of(request, endpoint)
        for name, value in request.scope["state"].get("waiting", {}).items():
            response.headers.setdefault(name, value)
        if endpoint.is_file and is_binary(response.headers.get("content-type", "")):
            response.headers.add_vary_header("Accept")
            if request.headers.get("accept") == BYTES:
                response.headers["content-type"] = BYTES
        return response


async def _all_jobs_known(parts: Parts) -> None:
    """Wait for a service that has just been started over many job folders, but not for long."""
    if parts.ready.is_set():
        return
    try:
        await asyncio.wait_for(parts.ready.wait(), _START_SECONDS)
    except TimeoutError:
        raise QueueFull("The service is starting: try again.", retry_after=10) from None


def _authorize(request: Request, endpoint: Endpoint) -> None:
    """Reject a change that another site's page requests, and requests without a required token."""
    settings = shared_of(request).parts.settings
    origins = settings.cors_origins
    if endpoint.changes and not (from_own_page(request) or "*" in origins or request.headers.get("origin") in origins):
        raise Unauthorized("A page of another site may not change anything here.")
    token = None if endpoint.public else shared_of(request).access.token_of(request)
    request.scope["state"]["token"] = token
    needed = settings.api_tokens and not endpoint.public and (endpoint.changes or settings.private)
    if needed and token is None:
        raise Unauthorized(
            "This needs a token: send Authorization: Bearer <token>.", headers={"WWW-Authenticate": "Bearer"}
        )


def _error_response(request: Request, error: ServiceError) -> Response:
    """Return an error as JSON, or below the pages as a page."""
    path = request.scope["path"]
    endpoint: Endpoint | None = request.scope["state"].get("endpoint")
    for_people = endpoint.for_people if endpoint else not f"{path}/".startswith(("/api/", f"{WES}/"))
    by_program = request.method not in ("GET", "HEAD") and "text/html" not in request.headers.get("accept", "")
    if by_program or not for_people:
        return error_answer(error, request_id(request.scope), path)
    if isinstance(error, Unauthorized) and "WWW-Authenticate" in error.headers:
        return login_page.asked(request, error.status)
    return page(
        "message",
        error.status,
        error.headers,
        title=error.code.replace("_", " ").capitalize(),
        message=error.message,
        waiting=False,
    )


async def _known_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == NotFound.default_status:
        error = NotFound(_NOTHING_HERE)
    elif isinstance(error, HTTPException):
        error = ServiceError(error.detail, http_status=error.status_code, headers=error.headers)
    assert isinstance(error, ServiceError)
    return _error_response(request, error)


async def _shortage(request: Request, error: Exception) -> Response:
    """Answer 503 if the disk is full, or the machine lacks descriptors, memory or processes; 404 if the job is gone."""
    store = shared_of(request).parts.store
    for job_id in request.scope["state"].get("held", ()) if isinstance(error, FileNotFoundError) else ():
        if not store.folder(job_id).exists():  # deleted while it was read
            return _error_response(request, no_such_job(request, job_id))
    if not is_shortage(error):
        raise error
    _LOG.warning("a request was refused for lack of resources: %s", error)
    message = "The service lacks disk space or other resources of its machine: try again later."
    return _error_response(request, QueueFull(message, retry_after=_SHORTAGE_RETRY_SECONDS))


async def _internal_error(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the log has it
    """Answer without detail; Starlette raises the error again, so that the server logs it."""
    name = request_id(request.scope)
    message = f"An error of this service: its log has it under the request_id {name}."
    headers = {"X-Request-ID": name, "X-Content-Type-Options": "nosniff"}
    return _error_response(request, InternalError(message, headers=headers))


async def _example_unavailable(request: Request, error: Exception) -> Response:
    assert isinstance(error, ExampleUnavailable)
    endpoint: Endpoint = request.scope["state"]["endpoint"]
    if endpoint.bare_list:
        return json_answer([])
    if endpoint.path.startswith(WES):
        return _error_response(request, JobNotFound("The results of this example do not exist."))
    answer = UnavailableExampleAnswer(**example_record(error.example, None, None))
    if endpoint.for_people:
        return page("message", title=error.example.label, message=answer.status_reason, waiting=False)
    return json_answer(answer)
