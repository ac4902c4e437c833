"""LRU cache of gzipped responses about finished jobs; a cached response costs at most two milliseconds per megabyte."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import anyio.to_thread
from isal import igzip
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.http.compression import declare, packed, takes_gzip
from service.http.responses import matches
from service.jobs.durable import raise_shortage
from service.lru import Lru
from service.results.job import Job
from tethermap.base import layout

_LEAST_COUNTED = 1 << 14
"""Minimum size in bytes that a response counts as, including its key: this limits the number of short ones."""


def counted(state: str, kept: tuple[bytes, Response]) -> int:
    """Return the size that a cached response counts as."""
    return max(len(state) + len(kept[0]), _LEAST_COUNTED)


KEPT = Lru[str, tuple[bytes, Response]](4 << 20, counted)
"""Cache of this process: gzipped body of responses, with their status and headers, by all that they are made from."""


def _sent(request: Request, body: bytes, answer: Response) -> Response:
    """Return a response from a gzipped body in an encoding that the client accepts, or 304 if the client has it."""
    tag = answer.headers.get("etag")
    if tag is not None and matches(request.headers.get("if-none-match"), tag):
        fields = {name: answer.headers[name] for name in ("etag", "cache-control")}
        return Response(status_code=304, headers=fields)
    if not takes_gzip(request.headers.get("accept-encoding", "")):
        return Response(answer.body or igzip.decompress(body), answer.status_code, answer.headers)
    headers = MutableHeaders(raw=list(answer.headers.raw))
    declare(headers, len(body))
    headers.add_vary_header("Accept-Encoding")
    return Response(body, answer.status_code, headers)


async def kept_answer(request: Request, job: Job, make: Callable[[], Response], listing: int = 0) -> Response:
    """Return the answer to a question about a finished job, which is made in a thread where it isn't kept.

    Only answers with a body are kept, no files and other streams.

    Parameters
    ----------
    request : Request
        The question.
    job : Job
        The job.
    make : callable
        Makes the answer.
    listing : int
        Number of the listing of the job's files, if the answer depends on them.
    """
    state = f"{state_of(request, job)} {listing}"
    if (known := KEPT.use(state)) is not None:
        return _sent(request, *known)

    def made() -> tuple[Response, bytes]:
        answer = make()
        if answer.status_code != 200 or isinstance(answer, StreamingResponse):
            return answer, b""
        body = packed(bytes(answer.body))
        if answer.media_type == "application/json":  # its own tag would need a hash of seven times as many bytes
            answer.headers["ETag"] = f'W/"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
        return answer, body

    answer, body = await anyio.to_thread.run_sync(made)
    if not body:
        return answer
    KEPT.keep(state, (body, Response(None, answer.status_code, answer.headers)))
    return _sent(request, body, answer)


def state_of(request: Request, job: Job) -> str:
    """Return all that an answer about a finished job is made from: its files are as old as their folders."""
    names = (layout.MANIFEST, layout.RESULTS, layout.MCS_OUTPUT, layout.SERIES_FOLDER, layout.SHARDS)
    stamp = tuple(changed(job.folder / name) for name in names)
    return repr((job, request.url.path, request.url.query, stamp))


def changed(place: Path) -> int:
    """Return when a file or folder was changed, in nanoseconds since 1970; 0 if there is none."""
    try:
        return place.stat().st_mtime_ns
    except OSError as error:
        raise_shortage(error)
        return 0
