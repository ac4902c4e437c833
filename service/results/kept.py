"""Answers about finished jobs that were asked for last: asked again, they cost two milliseconds a megabyte."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from isal import igzip
from starlette.requests import Request
from starlette.responses import Response

from scripts.lib import layout
from service.http.responses import matches
from service.results.job import Job

_LEVEL = 1
"""Of compression: a tenth of the size of rows as JSON, at 300 MB/s."""


_LEAST_COUNTED = 1 << 14
"""Bytes that an answer counts as at least, with what it is made from: short ones must not be many either."""


class KeptAnswers:
    """Keeps whole answers, packed, by all that they are made from.

    Parameters
    ----------
    most_bytes : int
        What they may take in all.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[str, tuple[bytes, Response]] = OrderedDict()

    def get(self, request: Request, state: str) -> Response | None:
        """Return an answer, 304 where the client has it already, None where it must be made."""
        if state not in self._kept:
            return None
        self._kept.move_to_end(state)
        packed, answer = self._kept[state]
        tag = answer.headers.get("etag")
        if tag is not None and matches(request.headers.get("if-none-match"), tag):
            fields = {name: answer.headers[name] for name in ("etag", "cache-control")}
            return Response(status_code=304, headers=fields)
        return Response(igzip.decompress(packed), 200, answer.headers)

    def keep(self, state: str, answer: Response) -> Response:
        """Keep an answer that is no 304, and return it."""
        if answer.status_code == 200:
            self._kept[state] = igzip.compress(answer.body, compresslevel=_LEVEL), Response(None, 200, answer.headers)
            while sum(_size(state, packed) for state, (packed, _) in self._kept.items()) > self._most:
                self._kept.popitem(last=False)
        return answer


def _size(state: str, packed: bytes) -> int:
    return max(len(state) + len(packed), _LEAST_COUNTED)


KEPT = KeptAnswers(4 << 20)
"""Those of this process."""


def state_of(request: Request, job: Job) -> str:
    """Return all that an answer about a finished job is made from: its files are as old as their folders."""
    places = (job.folder / name for name in (layout.MANIFEST, layout.RESULTS, layout.MCS_OUTPUT, layout.SERIES_FOLDER))
    stamp = tuple(_changed(place) for place in places)
    return repr((job, request.url.path, request.url.query, stamp))


def _changed(place: Path) -> int:
    return place.stat().st_mtime_ns if place.exists() else 0
