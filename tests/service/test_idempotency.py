"""The same key gives the same job, also for simultaneous requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx2

from tests.service.core import REFUSED, LiveService
from tests.service.test_contract import assert_error, post


def test_twenty_parallel_equal_submits_make_one_job(http: httpx2.Client) -> None:
    before = http.get("/api/indexed-jobs").json()["count"]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: post(http, REFUSED, **{"Idempotency-Key": "twenty"}), range(20)))
    accepted = [answer for answer in answers if answer.status_code == 202]
    assert len({answer.json()["job_id"] for answer in accepted}) == 1
    for answer in answers:
        if answer.status_code != 202:
            assert_error(answer, 409, "IDEMPOTENCY_CONFLICT")
    again = post(http, REFUSED, **{"Idempotency-Key": "twenty"})
    assert again.json()["job_id"] == accepted[0].json()["job_id"]
    assert http.get("/api/indexed-jobs").json()["count"] == before + 1


def test_same_key_with_another_body_is_refused_and_equal_json_is_not(http: httpx2.Client) -> None:
    key = {"Idempotency-Key": "canonical"}
    first = post(http, '{"target_name":"x","search_query":"1HPV","options":{"max_entries":1}}', **key)
    same = post(http, '{ "search_query": "1HPV", "options": {"max_entries": 1.0}, "target_name": "x" }', **key)
    assert (same.status_code, same.json()["job_id"]) == (202, first.json()["job_id"])
    assert_error(post(http, {"target_name": "y", "search_query": "1HPV"}, **key), 422, "IDEMPOTENCY_CONFLICT")
    http.post(f"/api/jobs/{first.json()['job_id']}/cancel")


def test_answer_to_a_repeated_submit_is_the_first_answer(http: httpx2.Client, live: LiveService) -> None:
    key = {"Idempotency-Key": "repeated"}
    first = post(http, REFUSED, **key)
    live.ended(first.json()["job_id"])
    assert post(http, REFUSED, **key).json() == first.json()


def test_batches_have_separate_keys(http: httpx2.Client) -> None:
    key = {"Idempotency-Key": "twenty"}
    first, second = (post(http, {"jobs": [REFUSED]}, "/api/batches", **key) for _ in range(2))
    assert first.status_code == second.status_code == 202
    assert first.json()["batch_id"] == second.json()["batch_id"]
