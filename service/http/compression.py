"""Compresses pages and JSON; files, archives and streams are sent unchanged.

Our own, as Starlette's middleware compresses streams and ranges too, block by block in the event loop, and leaves
an ETag strong that then names two different bodies.
"""

import re

import anyio.to_thread
from isal import igzip
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TYPES = ("text/html", "application/json", "text/csv", "image/svg+xml")
_NOT_MODIFIED = 304
"""Status of answers that have the headers of the whole answer, Vary included, but no content type."""
_MINIMUM = 1024
_IN_THREAD = 1 << 20
"""Bytes from which the loop would wait noticeably: 1 MB takes 2 ms."""
_LEVEL = 2
"""Rows as JSON become a seventh, a quarter more than at level 5 of zlib, which takes seven times as long."""
_NOT_TAKEN = re.compile(r"q\s*=\s*0(\.0*)?")


class Compression:
    """Compresses responses with a single body part for clients that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        wanted = takes_gzip(Headers(scope=scope).get("accept-encoding", ""))
        pending: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal pending
            if message["type"] == "http.response.start" and _suits(message):
                headers = MutableHeaders(scope=message)
                if "accept-encoding" not in headers.get("vary", "").lower():
                    headers.add_vary_header("Accept-Encoding")
                pending = message  # until the body shows whether it has one part
                return
            if pending is not None:
                start, pending = pending, None
                body = message.get("body", b"")
                if wanted and not message.get("more_body", False) and len(body) >= _MINIMUM:
                    small = len(body) < _IN_THREAD
                    body = packed(body) if small else await anyio.to_thread.run_sync(packed, body)
                    message = {"type": "http.response.body", "body": body}
                    declare(MutableHeaders(scope=start), len(message["body"]))
                await send(start)
            await send(message)

        await self.app(scope, receive, send_compressed)


def takes_gzip(accepted: str) -> bool:
    """Return whether a client accepts gzip, by its ``Accept-Encoding``; ``gzip;q=0`` means no."""
    for coding in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in coding.split(";"))
        if name == "gzip":
            return not any(_NOT_TAKEN.fullmatch(parameter) for parameter in parameters)
    return False


def _suits(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    compressible = start["status"] == _NOT_MODIFIED or headers.get("content-type", "").partition(";")[0] in _TYPES
    return compressible and not {"content-encoding", "content-range", "accept-ranges"} & set(headers.keys())


def packed(body: bytes) -> bytes:
    """Return a body as gzip."""
    return bytes(igzip.compress(body, _LEVEL, mtime=0))


def declare(headers: MutableHeaders, length: int) -> None:
    """Set the headers of a response with a gzip body of the given size."""
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(length)
    if "etag" in headers and not headers["etag"].startswith("W/"):
        headers["ETag"] = f"W/{headers['etag']}"  # other bytes, same content
