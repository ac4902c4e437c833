"""Answers that are kept."""

import gzip
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from service.lru import Lru
from service.results.job import Job
from service.results.kept import counted, kept_answer, state_of
from service.results.tables import Database
from tests.service.test_jobs import RECORD
from tethermap.base import layout


def asked(query: str = "", tag: str = "", takes: str = "") -> Request:
    headers = [(b"if-none-match", tag.encode()), (b"accept-encoding", takes.encode())]
    scope = {"type": "http", "method": "GET", "path": "/x", "query_string": query.encode(), "headers": headers}
    return Request({**scope, "server": ("127.0.0.1", 80), "scheme": "http"})


async def test_cached_response_is_unchanged_and_304_to_a_client_that_has_it(tmp_path: Path) -> None:
    job = finished(tmp_path)  # in a separate folder, so that it is not cached yet
    answer = Response("text " * 1000, headers={"Cache-Control": "no-cache"}, media_type="application/json")
    first, again = [await kept_answer(asked(), job, lambda: answer) for _ in range(2)]
    assert (again.body, again.status_code, again.headers) == (answer.body, 200, answer.headers)
    unchanged = await kept_answer(asked(tag=first.headers["etag"]), job, lambda: answer)
    assert (unchanged.status_code, unchanged.body, unchanged.headers["etag"]) == (304, b"", first.headers["etag"])


def test_least_recently_used_response_is_evicted_for_any_size() -> None:
    kept = Lru[str, tuple[bytes, Response]](2 << 14, counted)
    for name in "ab":
        kept.keep(name, (b"", Response()))
    assert kept.use("a")
    kept.keep("c", (b"", Response()))
    assert sorted(kept) == ["a", "c"]
    kept.keep("x" * (2 << 14), (b"", Response()))
    assert list(kept) == ["x" * (2 << 14)]


async def test_an_answer_is_made_once_and_sent_gzipped_or_plain_and_none_that_changed_nothing_is_kept(
    tmp_path: Path,
) -> None:
    job = finished(tmp_path)  # in a separate folder, so that it is not cached yet
    made = Response("text " * 1000, headers={"ETag": '"1"'}, media_type="text/html")
    answers = [Response(status_code=304), made, Response("never made")]
    left = iter(answers)
    unchanged, first, again, plain = [
        await kept_answer(asked(takes=takes), job, lambda: next(left))
        for takes in ("", "br, gzip", "br, gzip", "gzip;q=0")
    ]
    assert unchanged is answers[0]
    assert again.body is first.body
    assert gzip.decompress(bytes(first.body)) == plain.body == made.body
    common = {"content-type": "text/html; charset=utf-8"}
    packed = {"content-length": str(len(first.body)), "content-encoding": "gzip", "vary": "Accept-Encoding"}
    assert dict(again.headers) == {**common, **packed, "etag": 'W/"1"'}
    assert dict(plain.headers) == {**common, "content-length": "5000", "etag": '"1"'}


def finished(folder: Path) -> Job:
    """Return a job that has ended."""
    return Job(replace(RECORD, status="completed"), folder, "/api/jobs/00000001", Database().of(folder))


def test_response_is_computed_again_if_results_or_request_differ(tmp_path: Path) -> None:
    job = finished(tmp_path)
    results = tmp_path / layout.RESULTS
    results.mkdir()
    before = state_of(asked(), job)
    assert state_of(asked(), job) == before
    assert state_of(asked("top=1"), job) != before
    (results / "new.csv").touch()
    assert state_of(asked(), job) != before


async def test_another_listing_of_files_gives_a_new_response(tmp_path: Path) -> None:
    job = finished(tmp_path)
    made = iter([Response("a" * 2000), Response("b" * 2000)])

    first, again, other = [await kept_answer(asked(), job, lambda: next(made), listing) for listing in (1, 1, 2)]
    assert first.body == again.body != other.body
