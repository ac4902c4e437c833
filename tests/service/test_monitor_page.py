"""Texts of a job's page about its state."""

from typing import Any

import httpx2
import pytest

from service.http.job_answers import JobProgress
from service.jobs.record import EntryCounts, JobError, JobRecord, State
from service.pages.render import page
from service.routes.monitor_page import sentence_of
from tethermap.run.display import STEPS

TIME = "2026-05-30T10:00:00Z"


def job(status: State, **fields: Any) -> JobRecord:
    base: dict[str, Any] = {"job_id": "00000001", "sequence": 1, "target_name": "x", "search_query": "y"}
    times = {"created_at": TIME, "modified_at": TIME, "started_at": TIME}
    return JobRecord(**{**base, **times, "status": status, **fields})


def kept(ligands: int, entries: int) -> JobRecord:
    return job("completed", result_rows=ligands, entries=EntryCounts(entries))


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ((job("queued"), 1), "Next to run."),
        ((job("queued"), 3), "Waiting: number 3 in the queue."),
        ((job("queued", attempt=2), None), "Interrupted; waiting to resume."),
        ((job("queued", attempt=2, first_attempt=2), 2), "Waiting to resume."),
        ((job("running"), None), "Running: starting."),
        ((job("running", current_step="measure_sasa"), None), "Running: measuring exposure and exits."),
        ((job("running", current_step="search_entries", attempt=2), None), "Running again: searching."),
        ((kept(1, 1), None), "Completed: 1 ligand instance kept from 1 entry."),
        ((kept(7, 4), None), "Completed: 7 ligand instances kept from 4 entries."),
        ((job("completed", entries=EntryCounts(0)), None), "Completed: nothing was found."),
        ((job("completed", entries=EntryCounts(3)), None), "Completed: no ligand was kept."),
        ((job("failed", error=JobError("", "search_entries", "input")), None), "Failed while searching."),
        ((job("failed", error=JobError("", "", "pipeline")), None), "Failed."),
        ((job("canceled", started_at=None), None), "Canceled."),
        ((job("canceled"), None), "Canceled while running; finished steps are kept."),
    ],
)
def test_state_is_described_in_words(state: tuple[JobRecord, int | None], sentence: str) -> None:
    assert sentence_of(*state) == sentence


def test_results_page_has_the_step_in_words(http: httpx2.Client, failed_job: str) -> None:
    record = job("running", current_step="measure_sasa")
    waiting = page("results_waiting", job=record, progress=JobProgress.model_validate(record), step_words=STEPS)
    assert b"This job runs: measuring exposure and exits." in waiting.body
    assert "The job failed while searching" in http.get(f"/results/{failed_job}").text


def test_page_of_a_failed_job_contains_its_reason_escaped_and_no_refresh(http: httpx2.Client, failed_job: str) -> None:
    text = http.get(f"/monitor/{failed_job}").text
    assert "can&#39;t search by sequence" in text
    assert "http-equiv" not in text


def test_page_of_a_missing_job_names_no_route_of_the_api(http: httpx2.Client) -> None:
    text = http.get("/monitor/00000000").text
    assert "<p>There is no job 00000000.</p>" in text


def test_page_of_a_waiting_job_reloads_without_scripts(http: httpx2.Client, queued_job: str) -> None:
    text = http.get(f"/monitor/{queued_job}").text
    assert '<noscript><meta http-equiv="refresh"' in text


def test_cancel_button_works_as_a_plain_form(http: httpx2.Client, queued_job: str) -> None:
    assert f'<form method="post" action="/monitor/{queued_job}"' in http.get(f"/monitor/{queued_job}").text
    answer = http.post(f"/monitor/{queued_job}", data={"any": "thing"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/monitor/{queued_job}")
    assert http.get(f"/api/jobs/{queued_job}").json()["status"] == "canceled"
    assert http.post("/monitor/exam1hpv", data={"any": "thing"}).status_code == 409


def test_retry_button_works_as_a_plain_form(http: httpx2.Client, queued_job: str) -> None:
    page = f"/monitor/{queued_job}"
    assert f'action="{page}/retry"' not in http.get(page).text
    http.post(page, data={"any": "thing"})
    assert f'<form method="post" action="{page}/retry">' in http.get(page).text
    answer = http.post(f"{page}/retry", data={"any": "thing"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    assert http.get(f"/api/jobs/{queued_job}").json()["status"] == "queued"
    assert http.post(f"{page}/retry", data={"any": "thing"}, follow_redirects=False).status_code == 303
    assert http.post("/monitor/exam1hpv/retry", data={"any": "thing"}).status_code == 409
    assert "/monitor/exam1hpv/retry" not in http.get("/monitor/exam1hpv").text
