import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.standin import StandIn
from tethermap.run.http import CONTACT, HttpAnswer, HttpClient, HttpError, RequestLimits


@pytest.fixture
def waits() -> list[float]:
    """Seconds that the client would have slept."""
    return []


@contextmanager
def _client(waits: list[float], **limits: float) -> Iterator[HttpClient]:
    client = HttpClient(RequestLimits(**limits), waits.append)  # type: ignore[arg-type]
    try:
        yield client
    finally:
        client.close()


def _get(url: str, waits: list[float], **limits: float) -> HttpAnswer:
    with _client(waits, **limits) as client:
        return client.request(url)


def _url(standin: StandIn) -> str:
    return f"{standin.url}/download/1ABC.cif.gz"


def test_a_valid_response_needs_one_request(standin: StandIn, waits: list[float]) -> None:
    with _client(waits) as client:
        answer = client.request(_url(standin), raw=True)
    assert (answer.status, answer.content[:2]) == (200, b"\x1f\x8b")
    assert waits == []


@pytest.mark.parametrize("contact", ["mailto:pdb@example.org", "https://example.org/tethermap\r\nX: y"])
def test_requests_name_the_client_and_its_contact_address(
    standin: StandIn, waits: list[float], monkeypatch: pytest.MonkeyPatch, contact: str
) -> None:
    monkeypatch.setenv(CONTACT, contact)
    _get(_url(standin), waits)
    agent = re.escape(f"; {contact.partition(chr(13))[0]}")
    assert re.fullmatch(rf"Tethermap/\S+ \([^)]*{agent}[^)]*; Python [^)]*\)", standin.seen[0].headers["User-Agent"])
    assert "X" not in standin.seen[0].headers


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirected_search_keeps_its_body(standin: StandIn, waits: list[float], status: int) -> None:
    query = {"type": "terminal", "service": "full_text", "parameters": {"value": "kinase"}}
    body = {"query": query, "return_type": "entry"}
    with _client(waits) as client:
        straight = client.request(f"{standin.url}/rcsbsearch/v2/query", body)
        standin.fault("search", "status", status=status, location="/rcsbsearch/v2/query", times=1)
        assert client.request(f"{standin.url}/rcsbsearch/v2/query", body) == straight
    assert [seen.body for seen in standin.seen] == [body] * 3
    assert waits == []


@pytest.mark.parametrize(("method", "reason"), [("get", "leads elsewhere"), ("post", "HTTP 302")])
def test_redirects_without_end_are_given_up(standin: StandIn, waits: list[float], method: str, reason: str) -> None:
    standin.fault("search", "status", status=302, location="/rcsbsearch/v2/query")
    standin.fault("files", "status", status=302, location="/download/1ABC.cif.gz")
    with _client(waits, attempts=2) as client, pytest.raises(HttpError, match=reason):
        client.request(_url(standin)) if method == "get" else client.request(f"{standin.url}/rcsbsearch/v2/query", {})
    assert len(waits) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_temporary_statuses_are_retried_at_growing_intervals(
    standin: StandIn, waits: list[float], caplog: pytest.LogCaptureFixture, status: int
) -> None:
    standin.fault("files", "status", status=status, times=3)
    assert _get(_url(standin), waits, backoff=1.0).status == 200
    assert waits == [1.0, 2.0, 4.0]
    messages = [record.getMessage() for record in caplog.records if record.name.endswith("http")]
    assert len(messages) == 3
    assert f"HTTP {status}; attempt 1 of 5, again in 1.0 s" in messages[0]


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_permanent_statuses_are_answers(standin: StandIn, waits: list[float], status: int) -> None:
    standin.fault("files", "status", status=status)
    assert _get(_url(standin), waits).status == status
    assert standin.count("files") == 1


@pytest.mark.parametrize(
    ("fault", "limits", "message", "waited"),
    [
        ({"kind": "status"}, {}, r"HTTP 503 \(5 attempts\)", [1.0, 2.0, 4.0, 8.0]),
        ({"kind": "status", "status": 429, "retry_after": "3600"}, {}, "asks to wait 3600 s", []),
        ({"kind": "slow", "seconds": 0.5}, {"read": 0.1, "attempts": 2}, "no answer in time", [1.0]),
    ],
)
def test_a_service_that_keeps_failing_is_given_up(
    standin: StandIn, waits: list[float], fault: dict[str, Any], limits: dict[str, float], message: str,
    waited: list[float],
) -> None:  # fmt: skip
    standin.fault("files", **fault)
    with pytest.raises(HttpError, match=message) as caught:
        _get(_url(standin), waits, **limits)
    assert (waits, standin.count("files")) == (waited, len(waited) + 1)
    assert caught.value.unreachable == (fault["kind"] == "slow")


@pytest.mark.parametrize(("retry_after", "wait"), [("7", 7.0), ("soon", 1.0), ("", 30.0)])
def test_retry_after_in_seconds_or_as_a_date_is_respected(
    standin: StandIn, waits: list[float], retry_after: str, wait: float
) -> None:
    moment = retry_after or format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    standin.fault("files", "status", status=429, retry_after=moment, times=1)
    _get(_url(standin), waits)
    assert waits == [wait] if retry_after else waits[0] == pytest.approx(wait, abs=2)


@pytest.mark.parametrize("kind", ["cut", "refuse"])
def test_a_connection_that_breaks_is_tried_again(standin: StandIn, waits: list[float], kind: str) -> None:
    standin.fault("files", kind, times=2)
    assert _get(_url(standin), waits).status == 200
    assert len(waits) == 2


def test_wrong_content_is_requested_again(standin: StandIn, waits: list[float]) -> None:
    standin.fault("files", "html", times=1)
    with _client(waits) as client:
        answer = client.request(_url(standin), raw=True, problem=lambda data: "a page" if data[:1] == b"<" else "")
    assert answer.content[:2] == b"\x1f\x8b"
    assert len(waits) == 1


def test_an_absent_service_is_unreachable(waits: list[float]) -> None:
    with pytest.raises(HttpError, match="no connection") as caught:
        _get("http://127.0.0.1:9/x", waits, attempts=2)
    assert caught.value.unreachable


def test_timeouts_can_be_set_through_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETHERMAP_HTTP_BACKOFF", "0.5")
    monkeypatch.setenv("TETHERMAP_HTTP_ATTEMPTS", "nonsense")
    limits = RequestLimits.from_environment()
    assert (limits.backoff, limits.attempts) == (0.5, 5)


def test_preview_gives_up_a_network_without_answer_within_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TETHERMAP_HTTP_ATTEMPTS", "TETHERMAP_HTTP_BACKOFF"):
        monkeypatch.delenv(name, raising=False)
    limits = RequestLimits.from_environment(preview=True)
    assert limits.attempts * limits.connect + limits.backoff <= 5
