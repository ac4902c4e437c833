"""Middleware: request id, access log, metrics, host check, limit of rate; that of bodies is in `http.bodies`."""

import logging
import re
import secrets
import time
from collections.abc import Callable, Collection
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.addresses import PATHS, ROOT_PATH, WES
from service.errors import MisdirectedRequest, RateLimited, ServiceError
from service.http.metrics import Metrics
from service.http.rates import Buckets, client_of
from service.http.responses import error_answer
from service.settings import is_loopback

_CLIENT_LEFT = 499
"""Status in log and metrics of a request whose client left before the response."""

_LOG = logging.getLogger("service.access")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ABSOLUTE = re.compile("https?://([^/]*)", re.IGNORECASE)
_PORT = re.compile(r":\d*\Z")


def request_id(scope: Scope) -> str:
    """Return the id of a request."""
    state = scope.setdefault("state", {})
    return str(state.setdefault("request_id", secrets.token_hex(8)))


class RequestContext:
    """Outermost: gives each request an id, writes its log line, counts it, sets headers common to all.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    metrics : Metrics
        Counters of requests.
    root_path : str
        Path below which a proxy serves all, which a request may still have or not.
    paths : collection of str
        Paths of all routes.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, root_path: str, paths: Collection[str]) -> None:
        self.app = app
        self.metrics = metrics
        self.root_path = root_path
        self.paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if absolute := _ABSOLUTE.match(scope["path"]):  # its host counts instead of the header's: RFC 9112, 3.2.2
            scope["path"] = scope["path"][absolute.end() :] or "/"
            scope["headers"] = [
                (b"host", absolute[1].encode()),
                *(one for one in scope["headers"] if one[0] != b"host"),
            ]
        ROOT_PATH.set(self.root_path)
        PATHS.set(self.paths)
        while self.root_path and scope["path"].startswith(f"{self.root_path}/"):  # clients that join base and path
            scope["path"] = scope["path"].removeprefix(self.root_path)
        sent_id = Headers(scope=scope).get("x-request-id", "")
        if _REQUEST_ID.fullmatch(sent_id):
            scope.setdefault("state", {})["request_id"] = sent_id
        name = request_id(scope)
        begun = time.perf_counter()
        status = 0
        sent = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = name
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Referrer-Policy", "same-origin")
            elif message["type"] == "http.response.body":
                sent += len(message.get("body", b""))
            try:
                await send(message)
            except OSError as error:
                raise ClientDisconnect from error

        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            status = status or _CLIENT_LEFT
        except Exception:
            _LOG.exception("request failed", extra={"request_id": name})
            raise
        finally:
            seconds = time.perf_counter() - begun
            route = scope["state"].get("route", "")
            self.metrics.count(scope["method"], route, status, seconds)
            line = {
                "request_id": name,
                "method": scope["method"],
                "path": quote(scope["path"])[:300],
                "route": route,
                "status": status,
                "bytes": sent,
                "ms": round(seconds * 1000, 2),
                "client": (scope.get("client") or ("",))[0],
            }
            if token := scope["state"].get("token"):
                line["token"] = token.name
            _LOG.info("request", extra=line)


class Refusal:
    """Middleware that answers some requests with an error and passes the others on.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    error_of : callable
        Returns the error with which a request is answered, or None.
    """

    def __init__(self, app: ASGIApp, error_of: Callable[[Scope], ServiceError | None]) -> None:
        self.app = app
        self._error_of = error_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with an error."""
        error = self._error_of(scope) if scope["type"] == "http" else None
        answer = self.app if error is None else error_answer(error, request_id(scope), scope["path"])
        await answer(scope, receive, send)


def wrong_host(hosts: Collection[str], scope: Scope) -> ServiceError | None:
    """Refuse requests for other hosts: a page of another site whose name is pointed to this machine reaches nothing.

    Our own, as Starlette's answers 400 in plain text and knows no addresses.

    Parameters
    ----------
    hosts : collection of str
        Names and addresses of this service besides loopback, in lower case, without ports.
    """
    sent = Headers(scope=scope).getlist("host")
    host = _PORT.sub("", sent[0]).strip("[]").lower() if len(sent) == 1 else ""
    if host in hosts or is_loopback(host):
        return None
    message = f"This service does not answer under the name {host[:253]!r}: add it to TETHERMAP_ALLOWED_HOSTS."
    return MisdirectedRequest(message, host=host[:253], setting="ALLOWED_HOSTS")


def too_often(buckets: Buckets, scope: Scope) -> ServiceError | None:
    """Refuse a client's requests beyond its rate: all that programs send but health, and sent forms."""
    wait = buckets.take(client_of(scope)) if _counts(scope["method"], scope["path"]) else 0.0
    return RateLimited("Too many requests: wait and try again.", retry_after=int(wait) + 1) if wait > 0 else None


def _counts(method: str, path: str) -> bool:
    """Return whether a request counts for the limit of rate: pages are read freely, but a sent form starts work."""
    return (path.startswith(("/api/", f"{WES}/")) and path != "/api/health") or method not in ("GET", "HEAD")
