import json
from pathlib import Path

from tethermap.base import layout
from tethermap.run.job_log import job_log_text


def write_events(job: Path, *events: dict[str, object]) -> None:
    lines = [
        json.dumps({"n": number, "time": f"2026-01-31T10:00:{number:02}.500Z", **event})
        for number, event in enumerate(events, 1)
    ]
    (job / layout.EVENTS).parent.mkdir(parents=True)
    (job / layout.EVENTS).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_log_lists_the_steps_with_their_shards_and_times(tmp_path: Path) -> None:
    step = {"job": 4, "rule": "measure_sasa", "shard": "0"}
    write_events(
        tmp_path,
        {"event": "run_started", "snakemake": "9.27.1"},
        {"event": "planned", "jobs": 7},
        {"event": "job_started", **step},
        {"event": "progress", "done": 1, "total": 7},
        {"event": "job_finished", **step},
        {"event": "waiting", "message": "The cluster starts no job with a time limit of 2:00:00."},
        {"event": "job_started", "job": 0, "rule": "all", "shard": None},
        {"event": "job_finished", "job": 0, "rule": "all", "shard": None},
    )
    assert job_log_text(tmp_path).splitlines() == [
        "2026-01-31T10:00:01Z  run started (Snakemake 9.27.1)",
        "2026-01-31T10:00:02Z  7 steps planned, more when the search is done",
        "2026-01-31T10:00:03Z  measuring exposure and exits, shard 0: started",
        "2026-01-31T10:00:05Z  measuring exposure and exits, shard 0: done in 2.0 s",
        "2026-01-31T10:00:06Z  The cluster starts no job with a time limit of 2:00:00.",
        "entries: not searched yet, 0 done, 0 kept, 0 rejected",
    ]


def test_log_of_a_failed_job_ends_with_the_reason(tmp_path: Path) -> None:
    step = {"job": 4, "rule": "search_entries", "shard": None}
    write_events(
        tmp_path,
        {"event": "job_started", **step},
        {"event": "job_error", **step},
        {"event": "failed", "message": "The mirror is empty.", "step": "search_entries", "kind": "input"},
    )
    lines = job_log_text(tmp_path).splitlines()
    assert lines[1:3] == [
        "2026-01-31T10:00:02Z  searching: FAILED",
        "2026-01-31T10:00:03Z  the job ended: The mirror is empty.",
    ]


def test_run_without_events_has_a_log(tmp_path: Path) -> None:
    assert job_log_text(tmp_path) == "entries: not searched yet, 0 done, 0 kept, 0 rejected\n"
