"""The application: routes over the service's parts, errors in one body, what surrounds a request."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from service import query
from service.compression import Compression
from service.context import Context, ExampleUnavailable, context_of, from_own_page, release_held
from service.dry_run import DryRuns
from service.endpoint import Endpoint
from service.errors import InternalError, MethodNotAllowed, NotFound, QueueFull, ServiceError, Unauthorized
from service.examples import CONFIGURATION, load_examples, unavailable_body
from service.lifecycle import Parts
from service.metrics import Metrics
from service.middleware import BodyLimit, RateLimit, RequestContext, request_id
from service.openapi import document
from service.pages.render import page
from service.responses import error_answer, json_answer
from service.routes import (
    batches,
    compare,
    discovery,
    events,
    examples,
    files,
    index,
    jobs,
    monitor_page,
    pages,
    results,
    results_page,
    sasa,
    static,
    structures,
    submit_page,
)
from service.schemas import Limits
from service.scrub import Scrubber
from service.settings import Settings

ENDPOINTS: tuple[Endpoint, ...] = (
    *discovery.ENDPOINTS,
    *index.ENDPOINTS,  # /api/jobs/export before /api/jobs/{job_id}
    *jobs.ENDPOINTS,
    *events.ENDPOINTS,
    *results.ENDPOINTS,
    *compare.ENDPOINTS,
    *files.ENDPOINTS,
    *batches.ENDPOINTS,
    *sasa.ENDPOINTS,
    *structures.ENDPOINTS,
    *examples.ENDPOINTS,
    *submit_page.ENDPOINTS,
    *monitor_page.ENDPOINTS,
    *pages.ENDPOINTS,
    *results_page.ENDPOINTS,
    *static.ENDPOINTS,
)
"""Every route there is; the router, the manifest and the OpenAPI document are made from it."""

_START_SECONDS = 20.0
"""How long a request waits while the service reads the job folders."""

_LIST_ROUTES = ("/api/sasa_overlay/", "/api/sasa_atommap/")


def create_app(parts: Parts, *, examples_file: Path = CONFIGURATION, manage: bool = True) -> Starlette:
    """Return the application.

    Parameters
    ----------
    parts : Parts
        Settings, store, queue and index.
    examples_file : Path
        The configured examples.
    manage : bool
        Whether the application opens the parts when it starts and closes them when it ends.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        if not manage:
            yield
            return
        async with parts.running(at_once=True):
            yield

    settings = parts.settings
    metrics = Metrics()
    app = Starlette(
        routes=_routes(ENDPOINTS),
        middleware=_middleware(settings, metrics),
        exception_handlers={
            ServiceError: _service_error,
            ExampleUnavailable: _example_unavailable,
            HTTPException: _http_error,
            Exception: _internal_error,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.endpoints = ENDPOINTS
    app.state.openapi = document(ENDPOINTS, _limits(settings))
    app.state.context = Context(
        parts=parts,
        examples=load_examples(examples_file),
        limits=_limits(settings),
        metrics=metrics,
        scrubber=Scrubber(settings),
        dry_runs=DryRuns(settings),
    )
    return app


def _limits(settings: Settings) -> Limits:
    return Limits(
        target_characters=settings.max_target_chars,
        query_characters=settings.max_query_chars,
        fasta_residues=settings.max_fasta_residues,
        batch_jobs=settings.max_batch,
    )


def _middleware(settings: Settings, metrics: Metrics) -> list[Middleware]:
    """Return what surrounds every request, outermost first."""
    layers = [Middleware(RequestContext, metrics=metrics), Middleware(Compression)]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "HEAD", "POST", "DELETE"],
                allow_headers=[
                    "Authorization",
                    "Content-Type",
                    "Idempotency-Key",
                    "If-None-Match",
                    "Last-Event-ID",
                    "Range",
                    "X-Request-ID",
                ],
                expose_headers=[
                    "Content-Disposition",
                    "Content-Range",
                    "ETag",
                    "Link",
                    "Location",
                    "Retry-After",
                    "X-Request-ID",
                ],
            )
        )
    if settings.rate_limit is not None:
        rate = settings.rate_limit
        layers.append(Middleware(RateLimit, count=rate.count, seconds=rate.seconds))
    layers.append(Middleware(BodyLimit, maximum=settings.max_body_bytes))
    return layers


def _routes(endpoints: Sequence[Endpoint]) -> list[Route]:
    """Return one route for each path, which knows all methods of the path."""
    first = {endpoint.path: number for number, endpoint in reversed(list(enumerate(endpoints)))}
    ordered = sorted(endpoints, key=lambda endpoint: first[endpoint.path])
    return [_route(path, list(group)) for path, group in groupby(ordered, key=lambda endpoint: endpoint.path)]


def _route(path: str, endpoints: Sequence[Endpoint]) -> Route:
    by_method = {endpoint.method: endpoint for endpoint in endpoints}
    allowed = sorted({*by_method, *(("HEAD",) if "GET" in by_method else ())})

    async def answer(request: Request) -> Response:
        request.scope["state"]["route"] = path
        endpoint = by_method.get("GET" if request.method == "HEAD" else request.method)
        if endpoint is None:
            raise MethodNotAllowed(f"This address takes {', '.join(allowed)}.", headers={"Allow": ", ".join(allowed)})
        if endpoint.changes:
            _authorize(request)
        if not endpoint.early:
            await _all_jobs_known(context_of(request).parts)
        return await endpoint.handler(request)

    # All methods come here, so that a wrong one is answered like any other error.
    return Route(path, _AnyMethod(answer), include_in_schema=False)


class _AnyMethod:
    """An ASGI application over a handler, so that Starlette hands every method to it."""

    def __init__(self, handler: object) -> None:
        self._handler = handler

    async def __call__(self, scope: object, receive: object, send: object) -> None:
        request = Request(scope, receive, send)  # type: ignore[arg-type]
        try:
            response = await self._handler(request)  # type: ignore[operator]
            await response(scope, receive, send)
        finally:
            release_held(request)


async def _all_jobs_known(parts: Parts) -> None:
    """Wait for a service that has just been started over many job folders, but not for long."""
    if parts.ready.is_set():
        return
    try:
        await asyncio.wait_for(parts.ready.wait(), _START_SECONDS)
    except TimeoutError:
        raise QueueFull("The service is starting: try again.", headers={"Retry-After": "10"}) from None


def _authorize(request: Request) -> None:
    """Refuse a change that another site's page asks for, or without a token where tokens are configured.

    A dry run is a read.
    """
    settings = context_of(request).parts.settings
    tokens, origins = settings.api_tokens, settings.cors_origins
    if not from_own_page(request) and "*" not in origins and request.headers.get("origin") not in origins:
        raise Unauthorized("A page of another site may not change anything here.")
    if not tokens or (request.scope["path"] == "/api/jobs" and query.flag(request, "dry_run")):
        return
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    known = [hmac.compare_digest(given.strip().encode(), token.encode()) for token in tokens]
    if scheme.lower() != "bearer" or not any(known):
        raise Unauthorized(
            "This needs a token: send Authorization: Bearer <token>.", headers={"WWW-Authenticate": "Bearer"}
        )


def _error_response(request: Request, error: ServiceError) -> Response:
    """Return an error as JSON, or below the pages as a page."""
    path = request.scope["path"]
    by_program = request.method not in ("GET", "HEAD") and "text/html" not in request.headers.get("accept", "")
    if by_program or path.startswith("/api/") or path in ("/api", "/openapi.json", "/metrics"):
        return error_answer(error, request_id(request.scope))
    return page(
        "message",
        error.status,
        error.headers,
        title=error.code.replace("_", " ").capitalize(),
        message=error.message,
        waiting=False,
    )


async def _service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return _error_response(request, error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == NotFound.default_status:
        return _error_response(request, NotFound("Nothing has this address.", details={}))
    return _error_response(request, ServiceError(error.detail, status=error.status_code, headers=error.headers))


async def _internal_error(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the log has it
    """Answer without detail; Starlette raises the error again, so that the server logs it."""
    failure = InternalError(
        "An error of this service: its log has it under the request_id.",
        headers={"X-Request-ID": request_id(request.scope), "X-Content-Type-Options": "nosniff"},
    )
    return _error_response(request, failure)


async def _example_unavailable(request: Request, error: Exception) -> Response:
    assert isinstance(error, ExampleUnavailable)
    path = request.scope["path"]
    if path.startswith(_LIST_ROUTES):
        return json_answer([])
    body = unavailable_body(error.example)
    if not path.startswith("/api/"):
        return page("message", title=error.example.label, message=body["status_reason"], waiting=False)
    return json_answer(body)
