"""Server-sent events and the log: numbered, resumable, ended by the final state."""

import json
import re
import socket
from pathlib import Path

import httpx2
import pytest

from service.routes import shared
from tests.service.core import LiveService, hold, local
from tests.tools.patience import patience
from tests.tools.runs import ROOT

Event = tuple[int | None, str, str]


def events_of(http: httpx2.Client, job_id: str, last: int | None = None) -> list[Event]:
    """Read a stream to its end."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    answer = http.get(f"/api/jobs/{job_id}/events", headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = re.findall(r"(?:id: (\d+)\n)?event: (\w+)\ndata: (.*)\n\n", answer.text)
    return [(int(number) if number else None, name, data) for number, name, data in found]


def test_stream_beyond_the_maximum_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= shared.MAX_STREAMS <= 1000
    for places, status in ((0, 429), (1, 200)):
        monkeypatch.setattr(shared, "MAX_STREAMS", places)
        with local(tmp_path / str(places), examples_dirs=(ROOT / "data/examples",)) as client:
            answer = client.get("/api/jobs/exam4cup/events")
            assert (answer.status_code, answer.headers.get("retry-after")) == (status, "10" if places == 0 else None)


def test_stream_of_a_run_sends_states_progress_and_log_in_order(http: httpx2.Client, live: LiveService) -> None:
    job_id = live.submit({"target_name": "BAZ2B", "search_query": "4CUP"})
    events = events_of(http, job_id)
    numbers = [number for number, _, _ in events if number is not None]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == len(events)
    assert {name for _, name, _ in events} == {"status", "progress", "log"}
    number, name, data = events[-1]
    final = json.loads(data)
    assert (name, final["status"]) == ("status", "completed")
    assert number == numbers[-1] > numbers[-2]
    states = [json.loads(data)["status"] for _, name, data in events if name == "status"]
    assert states == sorted(states, key=["queued", "running", "completed"].index)
    progress = [json.loads(data) for _, name, data in events if name == "progress"]
    entries = {"found": 1, "done": 1, "kept": 1, "rejected": 0, "ligands": 0, "ligands_done": 0}
    assert progress[-1]["entries"] == entries
    assert final == http.get(f"/api/jobs/{job_id}").json()
    for place, (last, name, _) in enumerate(events[:-1]):
        if name == "status":  # a stream that broke after a state
            assert events_of(http, job_id, last) == [event for event in events[place + 1 :] if lasts(event)]


def lasts(event: Event) -> bool:
    """Return whether an event is sent again to later clients: all except former states."""
    return event[1] != "status" or json.loads(event[2])["status"] == "completed"


def test_stream_is_resumed_at_its_last_event(http: httpx2.Client, done_job: str) -> None:
    whole = events_of(http, done_job)
    places = [place for place, (number, _, _) in enumerate(whole) if number is not None]
    assert [whole[place][1] for place in places[-2:]] == ["log", "status"]
    for place in (*places[:4], places[len(places) // 2], *places[-4:-1]):
        assert events_of(http, done_job, whole[place][0]) == whole[place + 1 :]
    for last in (whole[-1][0], 10**9):
        assert [event[:2] for event in events_of(http, done_job, last)] == [(None, "status")]


@pytest.mark.parametrize("example", [False, True])
def test_stream_sends_every_line_of_the_log(http: httpx2.Client, done_job: str, example: bool) -> None:
    job_id = "exam1hpv" if example else done_job
    lines = [data for _, name, data in events_of(http, job_id) if name == "log"]
    assert lines == http.get(f"/api/job_log/{job_id}").json()["log"]
    assert len(lines) > 10


def test_log_is_the_same_in_pieces_and_in_one(http: httpx2.Client, done_job: str) -> None:
    whole = http.get(f"/api/job_log/{done_job}").json()
    assert whole["log"][0].endswith("run started (Snakemake 9.27.1)") or "run started" in whole["log"][0]
    assert whole["log"][-1].startswith("entries: 3 found")
    lines: list[str] = []
    while (piece := http.get(f"/api/job_log/{done_job}?since={len(lines)}&limit=4").json())["log"]:
        lines += piece["log"]
        assert piece["next"] == len(lines)
    assert lines == whole["log"]
    assert whole["next"] == len(lines)


def test_log_of_an_example_is_its_log_file(http: httpx2.Client) -> None:
    lines = http.get("/api/job_log/exam1hpv").json()["log"]
    assert "\n".join(lines) + "\n" == http.get("/api/jobs/exam1hpv/files/logs/job.log").text


def test_head_of_a_stream_ends_at_once(http: httpx2.Client, done_job: str) -> None:
    assert http.head(f"/api/jobs/{done_job}/events").status_code == 200


def test_open_stream_ends_when_the_service_stops(tmp_path: Path) -> None:
    with LiveService(tmp_path, quick=True) as service:
        hold(tmp_path, "clean_complexes")
        job_id = service.submit({"target_name": "BAZ2B", "search_query": "4CUP"})
        with socket.create_connection(("127.0.0.1", service.port), timeout=patience(10)) as stream:
            stream.sendall(f"GET /api/jobs/{job_id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert stream.recv(1 << 16).startswith(b"HTTP/1.1 200")
            assert service.terminate() < patience(5)
            while stream.recv(1 << 16):
                pass
