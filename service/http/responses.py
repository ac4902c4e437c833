"""Answers: JSON with its ETag, the one error body, and files with ranges.

Own responses for files: Starlette's `FileResponse` opens a path again after it was checked, so that a link could change
meanwhile, sends no 304, and sends several ranges as a multipart body that clients do not use.
"""

import hashlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from service.addresses import WES
from service.errors import FileNotFound, RangeNotSatisfiable, ServiceError
from service.http.answer import ErrorAnswer, ErrorReason, WesErrorAnswer
from service.jobs.artifacts import Artifact

FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
"""For files of a job that a browser could run: nothing in them runs or loads anything."""

BYTES = "application/octet-stream"
"""Media type of any file on request: generated clients have no types of chemistry."""

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_BLOCK = 1 << 18
"""Bytes of a file that are read at once: each block changes threads, which takes longer than to send 64 kB."""
_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))", re.IGNORECASE)
_ACTIVE = ("image/svg+xml", "text/html; charset=utf-8")


def is_binary(media: str) -> bool:
    """Return whether a response of a media type is neither text nor JSON."""
    return bool(media) and not media.startswith(("text/", "application/json"))


def json_bytes(value: Any) -> bytes:
    """Return a value as compact JSON; NaN is an internal error, never part of a response.

    The fields of models are sent without validation, which costs less than pydantic's own copy of long lists.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=vars).encode("utf-8")


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON answer."""
    return Response(json_bytes(value), status, dict(headers or {}), "application/json")


def tagged(request: Request, value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON answer with its ETag, or 304 when the client has it already."""
    body = json_bytes(value)
    # weak, as the answer is sent compressed or plain
    tag = f'W/"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    fields = {**(headers or {}), "ETag": tag, "Cache-Control": "no-cache"}
    if matches(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=fields)
    return Response(body, 200, fields, "application/json")


def rows_answer(value: Any, rows: Iterable[bytes], headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response without ETag, whose last field is a list of rows that are already JSON."""
    parts = list(rows) or [b""]
    parts[0] = json_bytes(value).removesuffix(b"]}") + parts[0]
    parts[-1] += b"]}"
    fields = {**(headers or {}), "Cache-Control": "no-cache"}
    return Response(b",".join(parts), 200, fields, "application/json")


def csv_answer(request: Request, name: str, state: str, rows: Callable[[], Any]) -> Response:
    """Return a CSV file, its headers only, or 304.

    Parameters
    ----------
    name : str
        Name under which it is saved.
    state : str
        Everything that its rows depend on.
    rows : callable
        Returns its lines as an iterable or asynchronous iterable.
    """
    tag = f'"{hashlib.sha1(state.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()}"'
    headers = {"Content-Disposition": disposition(name), "Cache-Control": "no-cache", "ETag": tag}
    if matches(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    return StreamingResponse(() if request.method == "HEAD" else rows(), 200, headers, "text/csv")


def made_answer(
    request: Request, body: bytes, media_type: str, headers: Mapping[str, str], modified: float | None = None
) -> Response:
    """Return a file made for this request: whole, a range of it, or 304.

    Parameters
    ----------
    modified : float or None
        Time of the file that it is made from.
    """
    tag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    code, start, end, fields = part_of(request, len(body), tag, modified)
    return Response(body[start:end], code, {**headers, **fields, "Content-Type": media_type})


def matches(header: str | None, tag: str) -> bool:
    """Whether an If-None-Match header names a tag (weak comparison)."""
    if header is None:
        return False
    names = [name.strip().removeprefix("W/") for name in header.split(",")]
    return "*" in names or tag.removeprefix("W/") in names


def error_answer(error: ServiceError, request_id: str, path: str) -> Response:
    """Return the one body of every failure, or at a path of the workflow execution service that of its standard."""
    if f"{path}/".startswith(f"{WES}/"):
        return json_answer(WesErrorAnswer(msg=error.message, status_code=error.status), error.status, error.headers)
    reason = ErrorReason(code=error.code, message=error.message, details=error.details)
    return json_answer(ErrorAnswer(error=reason, request_id=request_id), error.status, error.headers)


def disposition(name: str, *, inline: bool = False) -> str:
    """Return a Content-Disposition for a file name of any characters."""
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", name)
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def file_answer(
    request: Request, artifact: Artifact, *, name: str | None = None, inline: bool = False, policy: str = ""
) -> Response:
    """Return a file: whole, a range of it, its headers only, or 304.

    Parameters
    ----------
    name : str or None
        Name under which it is saved, its own by default.
    inline : bool
        Whether a browser shows it rather than saves it.
    policy : str
        Content security policy if it is HTML or SVG, `FILE_POLICY` by default.

    Raises
    ------
    FileNotFound
        If it has vanished since it was resolved.
    RangeNotSatisfiable
        If the range begins after the end of the file.
    """
    try:
        stream = os.open(artifact.path, _READ)
    except OSError:
        raise FileNotFound(f"There is no file {artifact.relative}.", path=artifact.relative) from None
    try:
        status = os.fstat(stream)
        tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
        code, start, end, headers = part_of(request, status.st_size, tag, status.st_mtime)
    except RangeNotSatisfiable:
        os.close(stream)
        raise
    headers |= {
        "Content-Disposition": disposition(name or artifact.name, inline=inline),
        "Content-Type": artifact.media_type,
    }
    if artifact.media_type in _ACTIVE:
        headers["Content-Security-Policy"] = policy or FILE_POLICY
    if request.method == "HEAD" or code == 304:
        os.close(stream)
        return Response(status_code=code, headers=headers)
    return _FileResponse(stream, start, end, code, headers)


class _FileResponse(StreamingResponse):
    """A part of an open file, which it closes however the sending ends."""

    def __init__(self, stream: int, start: int, end: int, status: int, headers: Mapping[str, str]) -> None:
        super().__init__(_blocks(stream, start, end), status, headers)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            os.close(self._stream)


def _unchanged(request: Request, tag: str, modified: float | None) -> bool:
    if "if-none-match" in request.headers:
        return matches(request.headers["if-none-match"], tag)
    since = request.headers.get("if-modified-since")
    if since is None or modified is None:
        return False
    try:
        return int(modified) <= parsedate_to_datetime(since).timestamp()
    except (ValueError, OverflowError):
        return False


def part_of(
    request: Request, size: int, tag: str, modified: float | None = None
) -> tuple[int, int, int, dict[str, str]]:
    """Return status, first byte, end (exclusive), and the headers of the part of a file to send; 304 for none.

    Parameters
    ----------
    request : Request
        The request, with or without conditions and ``Range``.
    size : int
        Bytes of the whole file.
    tag, modified : str, float or None
        ETag of the file, and the time of its last change.

    Raises
    ------
    RangeNotSatisfiable
        If the range begins after the end of the file.
    """
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Accept-Ranges": "bytes"}
    if modified is not None:
        headers["Last-Modified"] = formatdate(int(modified), usegmt=True)
    if _unchanged(request, tag, modified):
        return 304, 0, 0, headers
    span = _asked_range(request, tag, headers.get("Last-Modified"), size)
    start, end = span or (0, size)
    headers["Content-Length"] = str(end - start)
    if span is None:
        return 200, start, end, headers
    return 206, start, end, headers | {"Content-Range": f"bytes {start}-{end - 1}/{size}"}


def _asked_range(request: Request, tag: str, modified: str | None, size: int) -> tuple[int, int] | None:
    """Return first byte and end (exclusive); None without a single range of the current version."""
    match = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if match is None or request.headers.get("if-range", tag) not in (tag, modified):
        return None
    first, last, tail = match.groups()
    if first is None and not size:
        return None
    if first is not None and last and int(last) < int(first):
        return None  # not a range at all: ignored, by RFC 9110
    start = int(first) if first is not None else max(0, size - int(tail))
    end = min(size, int(last) + 1) if last else size
    if start >= size:
        raise RangeNotSatisfiable(
            "The range begins after the end of the file.", headers={"Content-Range": f"bytes */{size}"}
        )
    return start, end


async def _blocks(stream: int, start: int, end: int) -> AsyncIterator[bytes]:
    """Yield the bytes of an open file from `start` to before `end`."""
    while start < end:
        block = await anyio.to_thread.run_sync(os.pread, stream, min(_BLOCK, end - start), start)
        if not block:
            raise RuntimeError("a file became shorter while it was sent")
        start += len(block)
        yield block
