"""The steps of a job as people watch them."""

from typing import Any

import pytest

from service.results.steps import StepProgress, steps_of


def event(kind: str, seconds: int, rule: str = "", **fields: Any) -> dict[str, Any]:
    return {"event": kind, "time": f"2026-05-30T10:00:{seconds:02d}.000Z", "rule": rule or None, **fields}


def step(name: str, *events: dict[str, Any], final: bool = False) -> StepProgress:
    return next(one for one in steps_of(events, final=final) if one.name == name)


def test_job_without_events_has_no_steps() -> None:
    assert steps_of([], final=True) == []


def test_step_waits_then_runs_then_is_done() -> None:
    begun = event("job_started", 1, "search_entries")
    ended = event("job_finished", 4, "search_entries")
    assert step("measure_sasa", begun).state == "waiting"
    assert step("search_entries", begun).state == "running"
    done = step("search_entries", begun, ended)
    assert (done.state, done.seconds) == ("done", 3.0)


def test_step_of_several_shards_takes_from_the_first_start_to_the_last_end() -> None:
    times = (("job_started", 1), ("job_started", 2), ("job_finished", 5))
    events = [event(kind, seconds, "measure_sasa") for kind, seconds in times]
    half = step("measure_sasa", *events)
    assert (half.state, half.finished, half.started) == ("running", 1, 2)
    whole = step("measure_sasa", *events, event("job_finished", 9, "measure_sasa"))
    assert (whole.state, whole.seconds) == ("done", 8.0)


def test_failed_step_remains_failed() -> None:
    events = [event("job_started", 1, "search_entries"), event("job_error", 2, "search_entries")]
    assert step("search_entries", *events, final=True).state == "failed"


@pytest.mark.parametrize(("final", "state"), [(False, "running"), (True, "stopped")])
def test_step_that_ran_when_the_job_ended_was_stopped(final: bool, state: str) -> None:
    assert step("search_entries", event("job_started", 1, "search_entries"), final=final).state == state


def test_new_attempt_keeps_finished_steps_and_resets_the_others() -> None:
    search = [event("job_started", 1, "search_entries"), event("job_finished", 2, "search_entries")]
    events = [event("run_started", 0), *search, event("job_started", 3, "measure_sasa"), event("run_started", 20)]
    assert step("search_entries", *events).state == "done"
    assert step("measure_sasa", *events).state == "waiting"
