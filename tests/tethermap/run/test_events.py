from pathlib import Path
from typing import Any

import pytest

from tethermap.base import layout
from tethermap.run.events import RunEvents, read_events


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def events(job: Path) -> list[dict[str, object]]:
    return [
        {key: value for key, value in event.items() if key not in ("n", "time")}
        for event in read_events(job / layout.EVENTS)
    ]


def recorded(job: Path, *records: dict[str, Any]) -> list[dict[str, object]]:
    """Return the events that the records become."""
    log = RunEvents()
    for record in records:
        log.take(record["event"], record)
    log.close()
    return events(job)


def test_numbering_continues_in_the_next_run_and_a_line_cut_by_a_kill_does_not_spoil_the_next(job: Path) -> None:
    path = job / layout.EVENTS
    path.parent.mkdir()
    path.write_text('{"n": 1, "event": "run_started"}\n{"n": 2, "ev')
    log = RunEvents()
    log.write("progress", done=1)
    log.close()
    assert [event["n"] for event in read_events(path)] == [1, 2]


def test_finished_job_is_named_by_its_rule_and_shard(job: Path) -> None:
    begun = {"event": "job_info", "jobid": 7, "rule_name": "measure_sasa", "wildcards": {"shard": "3"}}
    assert recorded(job, begun, {"event": "job_finished", "job_id": 7}) == [
        {"event": "job_started", "job": 7, "rule": "measure_sasa", "shard": "3"},
        {"event": "job_finished", "job": 7, "rule": "measure_sasa", "shard": "3"},
    ]


def test_start_of_a_run_contains_nothing_about_the_machine(job: Path) -> None:
    start = {"event": "workflow_started", "snakemake_version": "9", "user": "me", "host": "h", "cwd": "/home/me"}
    assert recorded(job, start) == [{"event": "run_started", "snakemake": "9"}]


def test_invalid_record_does_not_end_the_recording(job: Path) -> None:
    found = recorded(job, {"event": "job_info", "jobid": 1}, {"event": "progress", "done": 1, "total": 2})
    assert [event["event"] for event in found] == ["unreadable", "progress"]


def test_folder_that_cannot_be_written_does_not_raise(job: Path) -> None:
    (job / layout.WORK).write_text("a file where the folder should be")
    log = RunEvents()
    log.write("run_started")
    assert log.closed


@pytest.mark.usefixtures("job")
def test_run_has_failed_if_its_last_record_is_an_error() -> None:
    log = RunEvents()
    log.take("error", {"exception": "RuleException"})
    assert log.failed
    log.take("progress", {"done": 1, "total": 2})
    assert not log.failed
