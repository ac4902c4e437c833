"""The same key gives the same job; for simultaneous requests see `test_queue`."""

import httpx2

from tests.service.core import REFUSED, LiveService
from tests.service.test_contract import assert_error, post


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
