"""What the page of a job says of its state."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from service.routes.monitor_page import sentence_of


def job(status: str, **fields: Any) -> dict[str, Any]:
    entries = {"found": fields.pop("found", None)}
    base = {"attempt": 1, "current_step": None, "queue_position": None, "results_row_count": 0, "error": None,
            "started_at": "2026-05-30T10:00:00Z", "progress": {"entries": entries}}  # fmt: skip
    return {**base, "status": status, **fields}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (job("queued", queue_position=1), "Next to run."),
        (job("queued", queue_position=3), "Waiting: number 3 in the queue."),
        (job("queued", attempt=2), "Interrupted; it waits to go on where it was."),
        (job("running"), "Running: starting."),
        (job("running", current_step="measure_sasa"), "Running: measuring exposure."),
        (job("running", current_step="search_entries", attempt=2), "Running for the second time: searching."),
        (job("completed", results_row_count=1, found=1), "Completed: 1 ligand instance kept from 1 entry."),
        (job("completed", results_row_count=7, found=4), "Completed: 7 ligand instances kept from 4 entries."),
        (job("completed", found=0), "Completed: nothing was found."),
        (job("completed", found=3), "Completed: no ligand was kept."),
        (job("failed", error={"step": "search_entries"}), "Failed while searching."),
        (job("failed", error={"step": ""}), "Failed."),
        (job("canceled", started_at=None), "Canceled."),
        (job("canceled"), "Canceled while it ran; what was finished is kept."),
    ],
)
def test_state_is_told_in_words(body: dict[str, Any], sentence: str) -> None:
    assert sentence_of(body) == sentence


def test_page_of_a_failed_job_holds_its_reason_escaped_and_no_refresh(http: httpx2.Client, failed_job: str) -> None:
    text = http.get(f"/monitor/{failed_job}").text
    assert "can&#39;t search by sequence" in text
    assert "http-equiv" not in text


def test_page_of_a_waiting_job_comes_again_without_scripts(http: httpx2.Client, queued_job: str) -> None:
    text = http.get(f"/monitor/{queued_job}").text
    assert '<noscript><meta http-equiv="refresh"' in text


def test_cancel_button_works_as_a_plain_form(http: httpx2.Client, queued_job: str) -> None:
    answer = http.post(f"/monitor/{queued_job}", data={"any": "thing"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/monitor/{queued_job}")
    assert http.get(f"/api/jobs/{queued_job}").json()["status"] == "canceled"
    assert http.post("/monitor/exam1hpv", data={"any": "thing"}).status_code == 409
