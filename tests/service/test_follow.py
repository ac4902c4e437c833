import json
from pathlib import Path

from service.http.job_answers import JobProgress
from service.jobs.progress import Live
from service.jobs.record import EntryCounts
from service.results.events import EventReader
from service.runs.supervisor import states
from tethermap.base import layout


def events(folder: Path, *lines: dict[str, object], end: str = "\n") -> None:
    path = folder / layout.EVENTS
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as stream:
        stream.seek(0)
        first = len(stream.readlines()) + 1
        stream.write("\n".join(json.dumps({"n": n, **line}) for n, line in enumerate(lines, first)) + end)


def test_a_job_without_events_is_nowhere(tmp_path: Path) -> None:
    assert next(states(tmp_path)) == Live()


def test_progress_is_read_as_it_grows(tmp_path: Path) -> None:
    follower = states(tmp_path)
    events(tmp_path, {"event": "run_started"}, {"event": "planned", "jobs": 7})
    events(tmp_path, {"event": "job_started", "rule": "search_entries"}, {"event": "progress", "done": 1, "total": 7})
    assert next(follower) == Live("search_entries", 7, 1, None)
    events(tmp_path, {"event": "job_started", "rule": "clean_complexes"}, {"event": "progress", "done": 6, "total": 12})
    events(tmp_path, {"event": "entries", "found": 3, "done": 1, "kept": 2, "rejected": 1})
    assert next(follower) == Live("clean_complexes", 12, 6, 50, EntryCounts(3, 1, 2, 1))
    events(tmp_path, {"event": "entries", "found": 1, "ligands": 500, "ligands_done": 137})
    assert next(follower).entries == EntryCounts(1, ligands=500, ligands_done=137)
    events(tmp_path, {"event": "job_started", "rule": "all"}, {"event": "progress", "done": 5, "total": 12})
    last = next(follower)
    assert (last.current_step, last.percent) == ("clean_complexes", 50)


def test_stream_of_events_shows_the_progress_of_the_job(tmp_path: Path) -> None:
    """No percent before the search has ended, as most steps are planned after it."""
    steps: list[tuple[str, dict[str, object]]] = [("run_started", {}), ("planned", {"jobs": 7})]
    steps += [("job_started", {"rule": "search_entries", "job": 1})]
    steps += [("progress", {"done": 1, "total": 7}), ("job_started", {"rule": "clean_complexes", "job": 2})]
    steps += [("progress", {"done": 6, "total": 12}), ("entries", {"found": 3, "done": 1, "kept": 1})]
    reader, follower = EventReader(tmp_path), states(tmp_path)
    for number, (name, values) in enumerate(steps, 1):
        events(tmp_path, {"event": name, "n": number, "time": "2026-01-01T00:00:00.000", **values})
        changed = [one.progress for one in reader.read() if one.progress is not None]
        assert changed[-1:] in ([], [JobProgress.model_validate(next(follower))])
        assert len(changed) == (name != "job_started")


def test_a_half_written_or_broken_line_changes_nothing_yet(tmp_path: Path) -> None:
    follower = states(tmp_path)
    events(tmp_path, {"event": "planned", "jobs": 7}, end="")
    assert next(follower) == Live()
    events(tmp_path, end="\nnot json\n[]\n")
    assert next(follower) == Live(planned=7)


def test_only_the_latest_run_counts(tmp_path: Path) -> None:
    events(tmp_path, {"event": "job_started", "rule": "measure_sasa"}, {"event": "progress", "done": 9, "total": 12})
    events(tmp_path, {"event": "run_started"}, {"event": "planned", "jobs": 4})
    assert next(states(tmp_path)) == Live(planned=4)
