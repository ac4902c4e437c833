"""After any kill, deletion or full disk, each job ends in one true state and a restart needs no help.

A small process tree replaces Snakemake here except in named tests, and is paused at the step of the event;
`test_crash_points` kills real runs at random moments.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from service.jobs.durable import read_json, write_json
from service.runs import processes
from service.runs.runner import RUN_FILE, RUN_LOG, read_state
from tests.service.core import HPV, MIXED, NOTHING, REFUSED, LiveService, hold, living
from tests.standin.pipeline import HOLD, finished
from tests.tools.crash_points import script_processes
from tests.tools.patience import patience, wait_until
from tests.tools.runs import difference, job_results
from tethermap.base import layout
from tethermap.run.events import read_events

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")

Starter = Callable[..., LiveService]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Start a service in a new folder; it and its runs end with the test."""
    made: list[LiveService] = []

    def begin(*, real: bool = False, **variables: str) -> LiveService:
        folder = tmp_path / f"service{len(made)}"
        made.append(LiveService(folder, quick=not real, **{"MAX_RUNNING_JOBS": "1", **variables}))
        return made[-1].start()

    yield begin
    for service in made:
        service.__exit__()


@pytest.fixture
def service(start: Starter) -> LiveService:
    """A service that runs one job at a time."""
    return start()


def results_of(query: str) -> dict[str, str]:
    """Return the result files of a job of the stand-in pipeline to which nothing has happened."""
    contents = {name: content for name, content in finished(query).items() if name != layout.JOB_LOG}
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def true_state(
    service: LiveService,
    job_id: str,
    attempt: int | None = None,
    status: str = "completed",
    undisturbed: Path | None = None,
) -> dict[str, Any]:
    """Check that all places show one final state, no process of the job lives, no byte differs; return its body."""
    body = service.ended(job_id)
    assert service.record(job_id)["status"] == body["status"]
    assert (body["status"], body["attempt"]) == (status, attempt or body["attempt"]), body["error"]
    wait_until(lambda: indexed(service, job_id) == body["status"], 10, "the index to follow")
    assert living(service.jobs / job_id) == []
    assert not list((service.jobs / job_id).rglob("*.part"))
    if body["status"] == "completed":
        expected = job_results(undisturbed) if undisturbed else results_of(body["search_query"])
        assert difference(job_results(service.jobs / job_id), expected) == []
    if body["status"] == "completed" and body["search_query"] == "1HPV":
        assert (body["has_results"], body["results_row_count"]) == (True, 1)
        assert json.loads((service.jobs / job_id / layout.MANIFEST).read_text())["self_check"]["passed"]
    return body


def indexed(service: LiveService, job_id: str) -> str | None:
    _, answer = service.call("GET", "/api/indexed-jobs?limit=5000")
    return next((job["status"] for job in answer["jobs"] if job["job_id"] == job_id), None)


def stopped_at(service: LiveService, step: str) -> tuple[str, Path]:
    """Submit a job that is paused at a step; return its id and the file that pauses it."""
    gate = hold(service.folder, step)
    job = service.submit()
    at_step(service, job, step)
    return job, gate


def at_step(service: LiveService, job_id: str, step: str) -> None:
    wait_until(lambda: began(service, job_id, step), 40, f"{job_id} to be at {step}")


def began(service: LiveService, job_id: str, rule: str) -> int:
    """Return how often a rule of a job began."""
    return sum(event.get("rule") == rule and event["event"] == "job_started"
               for event in read_events(service.jobs / job_id / layout.EVENTS))  # fmt: skip


def kill_snakemake(service: LiveService, job_id: str) -> None:
    """Kill the first process of a run and nothing else of it."""
    state = wait_until(lambda: (found := read_state(service.jobs / job_id)) and found.pid and found, 20)
    processes.send([one for one in living(service.jobs / job_id) if one.pid == state.pid], signal.SIGKILL)


def test_killed_while_jobs_are_queued(service: LiveService) -> None:
    gate = hold(service.folder, "search_entries")
    jobs = [service.submit(body) for body in (HPV, NOTHING, NOTHING)]
    service.restart()
    assert [service.job(job)["queue_position"] for job in jobs[1:]] == [1, 2]
    gate.unlink()
    bodies = [true_state(service, job, attempt) for job, attempt in zip(jobs, (None, 1, 1), strict=True)]
    times = [body[name] for body in bodies for name in ("started_at", "finished_at")]
    assert times == sorted(times)


@pytest.mark.parametrize(("began", "attempt"), [(False, 1), (True, 2)])
def test_killed_between_the_note_of_a_run_and_that_of_its_process(
    service: LiveService, *, began: bool, attempt: int
) -> None:
    """A run without a process is not an attempt of the job, even the second time."""
    job = service.submit(NOTHING)
    true_state(service, job)
    for _ in range(3 - attempt):
        service.kill()
        record = {**service.record(job), "status": "running", "finished_at": None, "attempt": 1}
        (service.jobs / job / layout.MANIFEST).unlink()
        if not began:
            (service.jobs / job / RUN_LOG).unlink()
        write_json(service.jobs / job / "job_record.json", record)
        write_json(service.jobs / job / RUN_FILE, {"token": "0" * 32, "pid": None, "start": None, "intent": ""})
        service.start()
        true_state(service, job, attempt)


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "begun but not noted"])
def test_killed_while_a_job_runs_which_is_adopted(service: LiveService, *, noted: bool) -> None:
    job, gate = stopped_at(service, "clean_complexes")
    service.kill()
    state = read_state(service.jobs / job)
    assert state is not None
    if not noted:
        write_json(service.jobs / job / RUN_FILE, asdict(replace(state, pid=None, start=None)))
    service.start()
    gate.unlink()
    assert true_state(service, job, attempt=1)["progress"]["percent"] == 100
    assert began(service, job, "search_entries") == 1


def test_power_cut_resumes_from_the_finished_steps(start: Starter, mixed: Path) -> None:
    """A run of the real Snakemake."""
    service = start(real=True)
    job = service.submit(MIXED)
    at_step(service, job, "match_ligands")
    service.kill()
    processes.send(living(service.jobs / job), signal.SIGKILL)
    service.start()
    body = true_state(service, job, attempt=2, undisturbed=mixed)
    assert began(service, job, "search_entries") == 1
    assert body["started_at"] == service.record(job)["started_at"] <= body["finished_at"]


def test_scripts_that_outlive_service_and_snakemake_are_ended_first(service: LiveService) -> None:
    job, _ = stopped_at(service, "clean_complexes")
    service.kill()
    kill_snakemake(service, job)
    assert living(service.jobs / job), "a script should go on"
    (service.folder / HOLD).unlink()
    service.start()
    true_state(service, job, attempt=2)


def test_snakemake_killed_once_is_run_again_and_killed_twice_fails_as_interrupted(service: LiveService) -> None:
    job, _ = stopped_at(service, "download_entries")
    for attempt in (1, 2):
        wait_until(lambda: service.job(job)["attempt"] == attempt and service.job(job)["current_step"])  # noqa: B023
        kill_snakemake(service, job)
        wait_until(lambda: not living(service.jobs / job) or service.job(job)["attempt"] > attempt)  # noqa: B023
    assert true_state(service, job, attempt=2, status="failed")["error"]["kind"] == "interrupted"
    assert began(service, job, "search_entries") == 1
    service.restart()
    true_state(service, job, status="failed")


def killed_script(job: Path) -> bool:
    """Kill a script of a job's run; return whether there was one."""
    state = read_state(job)
    for script in script_processes(state.pid) if state and state.pid else ():
        with suppress(ProcessLookupError):
            os.kill(script, signal.SIGKILL)
            return True
    return False


def test_a_step_killed_from_outside_is_run_again(start: Starter, mixed: Path) -> None:
    """A run of the real Snakemake, whose words for that are known."""
    service = start(real=True)
    job = service.submit(MIXED)
    wait_until(lambda: killed_script(service.jobs / job), 40, "a script to be killed")
    true_state(service, job, attempt=2, undisturbed=mixed)


@pytest.mark.parametrize("moment", [layout.RESULTS_DISPLAY, layout.MANIFEST, "indexing"])
def test_killed_while_a_job_is_being_finished(service: LiveService, moment: str) -> None:
    job = service.submit()
    folder = service.jobs / job
    ended = lambda: (read_json(folder / "job_record.json") or {}).get("status") == "completed"  # noqa: E731
    wait_until(ended if moment == "indexing" else (folder / moment).exists, 40)
    service.restart()
    true_state(service, job, attempt=1)
    assert service.call("GET", "/api/health")[1]["index_consistent"]


@pytest.mark.parametrize("when", ["queued", "running", "finished", "service down"])
def test_job_folder_deleted_by_hand(service: LiveService, when: str) -> None:
    hold(service.folder, "" if when == "finished" else "clean_complexes")
    first = service.submit(NOTHING if when == "finished" else HPV)
    second = service.submit(NOTHING)
    victim = second if when == "queued" else first
    if when == "finished":
        true_state(service, first)
    elif when != "queued":
        at_step(service, first, "clean_complexes")
    before = living(service.jobs / victim)
    if when == "service down":
        service.kill()
    shutil.rmtree(service.jobs / victim, ignore_errors=True)
    shutil.rmtree(service.jobs / victim, ignore_errors=True)  # a run may write while it is being deleted
    if when == "service down":
        service.start()
    assert service.call("GET", f"/api/jobs/{victim}")[0] == 404
    wait_until(lambda: indexed(service, victim) is None, 10)
    (service.folder / HOLD).unlink()
    other = first if victim == second else second
    true_state(service, other)
    if when != "service down":  # the run continues then, and writes until the next start
        assert not (service.jobs / victim).exists()
    wait_until(lambda: not [one for one in before if processes.process(one.pid) == one], 15, "its run to end")


def test_cancel_survives_a_kill(service: LiveService) -> None:
    job, _ = stopped_at(service, "clean_complexes")
    assert service.call("POST", f"/api/jobs/{job}/cancel")[0] == 202
    service.restart()
    true_state(service, job, status="canceled")


def test_time_limit_counts_from_the_start_of_the_process(start: Starter) -> None:
    service = start(JOB_TIMEOUT_S=f"{patience(1):.1f}")
    job, _ = stopped_at(service, "clean_complexes")
    service.restart()
    assert true_state(service, job, attempt=1, status="failed")["error"]["kind"] == "timeout"


def test_stopped_service_leaves_its_run_resumable(start: Starter, mixed: Path) -> None:
    """Runs of the real Snakemake."""
    service = start(real=True)
    job, waiting = service.submit(MIXED), service.submit(REFUSED)
    at_step(service, job, "match_ligands")
    assert service.terminate() < patience(5)
    assert living(service.jobs / job) == []
    assert service.record(job)["status"] == "running"
    assert service.record(waiting)["status"] == "queued"
    service.start()
    true_state(service, job, attempt=1, undisturbed=mixed)
    assert began(service, job, "search_entries") == 1
    true_state(service, waiting, status="failed")


def test_service_killed_again_and_again_while_jobs_start_and_at_random_moments(start: Starter) -> None:
    moments = random.Random(20261120)
    service = start(MAX_RUNNING_JOBS="2")
    jobs = [service.submit()]
    for delay in (0.0, 0.02, 0.1, 0.3, *(moments.uniform(0.05, 0.4) for _ in range(4))):
        jobs.append(service.submit(NOTHING))
        time.sleep(delay)
        service.restart()
    for job in jobs:
        true_state(service, job)
