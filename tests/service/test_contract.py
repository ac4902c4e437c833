"""The contract, row by row: every error code, every route, the envelope, headers, equal keys.

For simultaneous requests with one key see `test_queue`.
"""

import gzip
import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.app import endpoints
from service.errors import STATUSES
from service.jobs.record import JobRecord
from service.settings import Rate, Token
from tests.service.core import HPV, MIXED, REFUSED, LiveService, local

Answer = httpx2.Response
TOO_DEEP = '{"a":' * 33 + "1" + "}" * 33
DEEP_ENOUGH = '{"target_name":"x","search_query":"1HPV","o":' + "[" * 31 + "]" * 31 + "}"


def post(http: httpx2.Client, body: Any, path: str = "/api/jobs", **headers: str) -> Answer:
    """Send a body: bytes and text unchanged, other values as JSON."""
    content = body if isinstance(body, bytes | str) else json.dumps(body)
    return http.post(path, content=content, headers={"Content-Type": "application/json", **headers})


def assert_error(answer: Answer, status: int, code: str, **expected: Any) -> dict[str, Any]:
    """Check the envelope and return its details, some of which are expected."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body.keys() == {"ok", "error", "request_id"}
    assert body["ok"] is False
    assert body["error"].keys() == {"code", "message", "details"}
    assert body["error"]["code"] == code
    assert body["request_id"] == answer.headers["x-request-id"]
    details: dict[str, Any] = body["error"]["details"]
    assert details.items() >= expected.items()
    return details


NO_JSON = (
    "", "   ", "{", "[]", b'{"target_name":"\xff"}', b"\xef\xbb\xbf{}", '{"a":1,"a":2}', '{"a":{"b":1,"b":2}}',
    '{"a":NaN}', '{"a":-Infinity}', '{"a":1e999}', '{"a":' + "1" * 5000 + "}", '{"a":"\\ud800"}', TOO_DEEP,
    "[" * 1000 + "]" * 1000,
)  # fmt: skip
WRONG: dict[str, list[Any]] = {
    "target_name": [5, "x" * 65, "---", "a\x00b"], "search_query": ["y" * 1001, "a\tb", "(a OR b) c"],
    "pdb_id": ["../1hpv"], "ligand": ["TOOLONG"], "fasta_seq": ["MKV#LLDE", "M" * 20001], "fasta": [7], "options": [[]],
    "options.cache_dir": ["/"], "options.slices": [5], "options.max_entries": [0, True], "options.kinds": [["x"]],
    "options.released_after": ["2020-02-31"], "options.organism": ["a\x00b", "Homo sapiens\n"],
    "options.only_ligands": [["478", "ABC\n"]],
}  # fmt: skip
"""Values of fields of a submission that is good otherwise."""


def with_value(field: str, value: Any) -> dict[str, Any]:
    """Return a good submission with a value of a field or option."""
    name, _, option = field.partition(".")
    return {"target_name": "x", "search_query": "y", name: {option: value} if option else value}


BODIES: list[tuple[Any, int, str, str | None]] = [
    *((body, 400, "INVALID_JSON", None) for body in NO_JSON),
    ({}, 400, "MISSING_FIELD", "target_name"),
    ({"target_name": "x"}, 400, "MISSING_FIELD", "search_query"),
    *((with_value("target_name", blank), 400, "MISSING_FIELD", "target_name") for blank in ("  ", None)),
    ({"protein": ["x"], "search_query": "1HPV"}, 422, "INVALID_FIELD", "protein"),
    *((with_value(field, value), 422, "INVALID_FIELD", field) for field, values in WRONG.items() for value in values),
    ({"structure_path": "/etc/passwd"}, 400, "UNSUPPORTED_INPUT", "structure_path"),
    *((with_value(field, value), 400, "UNSUPPORTED_INPUT", field)
      for field, value in (("structure_file", ""), ("input_path", None), ("upload_path", "a"))),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "code", "field"), BODIES, ids=[str(n) for n in range(len(BODIES))])
def test_bad_submission_is_refused_by_name(
    http: httpx2.Client, body: Any, status: int, code: str, field: str | None
) -> None:
    details = assert_error(post(http, body), status, code)
    assert details.get("field") == field
    if code == "INVALID_FIELD":
        assert details["reason"]


def test_refusal_of_a_misspelled_option_has_the_nearest_name(http: httpx2.Client) -> None:
    details = assert_error(post(http, with_value("options.max_resolutoin", 2)), 422, "INVALID_FIELD")
    assert details["reason"].endswith("(did you mean max_resolution?)")


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_body_of_another_media_type_is_refused(http: httpx2.Client, media: str) -> None:
    answer = http.post("/api/jobs", content=json.dumps(MIXED), headers={"Content-Type": media})
    assert_error(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_compressed_body_is_refused_as_such(http: httpx2.Client) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = http.post("/api/jobs?dry_run=1", content=gzip.compress(json.dumps(MIXED).encode()), headers=headers)
    assert_error(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert answer.headers["accept-encoding"] == "identity"
    answer = http.post("/api/jobs?dry_run=1", json=MIXED, headers={"Content-Encoding": "identity"})
    assert answer.status_code == 200


def test_missing_body_is_invalid_json(http: httpx2.Client) -> None:
    assert_error(http.post("/api/jobs"), 400, "INVALID_JSON")


def test_media_type_may_have_parameters_and_depth_of_32_is_fine(http: httpx2.Client) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    answer = http.post("/api/jobs?dry_run=true", content=DEEP_ENOUGH, headers=headers)
    assert answer.status_code == 200, answer.text


REFUSED_PATHS = {
    (400, "INVALID_PARAMETER"): (
        "/api/jobs/{job}/files?limit=0", "/api/jobs/{job}/exit-vectors?ligands=478",
        "/api/jobs/{job}/files?limit=ten", "/api/jobs/{job}/files?limit=", "/api/jobs/{job}/files?offset=-1",
        "/api/jobs/{job}/files?limit=5%0a", "/api/jobs/{job}/sasa/available?pdb_id=1hpv%0a",
        "/api/degraders?a_smiles=C[*]&b_smiles=C[*]&linker_class=rope",
        "/api/jobs/{job}/rows?table=secret", "/api/jobs/{job}/rows?resolution__gte=x",
        "/api/jobs/{job}/rows?sort=nothing", "/api/jobs/{job}/rows?format=xml", "/api/jobs/{job}/exit-vectors?top=0",
        "/api/jobs/{job}/answers?top=0", "/api/jobs/{job}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200&context=moon",
        "/api/jobs/{job}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=200&include_buried=x",
        "/api/indexed-jobs?sort=color", "/api/indexed-jobs?status=asleep", "/api/indexed-jobs?availability=maybe",
        "/api/indexed-jobs?created_after=yesterday", "/api/jobs/export?created_before=2026-13-01",
        "/api/job_log/{job}?since=x", "/api/jobs/{job}/bundle?stems=x", "/api/jobs/{job}/download?stems=x",
        "/api/jobs/{job}/war-pdbs.zip?limt=1", "/api/jobs/{job}/protac-inputs?stem=x&anchor=y&tol=json",
        *(f"/api/jobs/{{job}}/rows?resolution__gte={text}" for text in ("1_0", "%EF%BC%91", "nan", "inf", "1e999")),
    ),
    (404, "JOB_NOT_FOUND"): (
        "/api/compare?a={job}%0a&b={job}", "/api/degraders?a_job={job}%0a&a_stem=x&a_anchor=y&b_smiles=C[*]",
    ),
    (400, "INVALID_PATH"): (
        "/api/jobs/{job}/files?kind=secret", "/api/jobs/{job}/files?folder=../..",
        "/api/jobs/{job}/artifacts?folder=a%5Cb", "/api/jobs/{job}/artifacts?folder=a%00",
        "/api/jobs/{job}/files/..%2f..%2fetc%2fpasswd",
    ),
    (404, "FILE_NOT_FOUND"): (
        "/api/jobs/{job}/files/job_record.json", "/api/jobs/{job}/files/nothing.csv", "/api/svg/{job}/1hpv/A/XXX",
        "/api/svg/{job}/1hpv/A/478?resid=201", "/api/svg/{job}/1hpv%0a/A/478", "/api/svg-plain/{job}/1hpv/A%0a/478",
        "/api/sdf/{job}/1hpv/478%0a", "/api/protein/{job}/1hpv/A%0a", "/api/pdb/{job}/1hpv_A_478.cif",
        "/api/pdb/{job}/1hpv_A_478_999.pdb", "/api/protein/{job}/1hpv/Z",
    ),
    (400, "MISSING_FIELD"): (
        "/api/jobs/{job}/sasa/available", "/api/jobs/{job}/sasa/atoms?pdb_id=1hpv&chain=A",
        "/api/jobs/{job}/sasa/atoms?pdb_id=1hpv&chain=%20&residue_id=200",
        "/api/jobs/{job}/sasa/residue_for_ligand?pdb_id=1hpv&chain=A",
    ),
    (404, "NOT_FOUND"): (
        "/api/jobs/{job}/sasa/atoms?pdb_id=1hpv&chain=A&residue_id=201",
        "/api/jobs/{job}/sasa/residue_for_ligand?pdb_id=1hpv&chain=A&ligand=XXX", "/api/nothing", "/api/",
        "/api/jobs/{job}/",
    ),
    (404, "BATCH_NOT_FOUND"): (
        "/api/batches/batch_00000000",
    ),
    (404, "EXAMPLE_NOT_FOUND"): (
        "/api/examples/{job}",
    ),
}  # fmt: skip
QUERIES = [(path, *answer) for answer, paths in REFUSED_PATHS.items() for path in paths]


@pytest.mark.parametrize(("path", "status", "code"), QUERIES)
def test_bad_query_is_refused_by_name(http: httpx2.Client, done_job: str, path: str, status: int, code: str) -> None:
    details = assert_error(http.get(path.format(job=done_job)), status, code)
    if code == "INVALID_PARAMETER":
        assert details["parameter"]
    if code == "MISSING_FIELD":
        assert details["field"]


WRONG_VALUES = ["sort=nope", "columns=nope", "nope=1", "resolution__gte=nope", "sanitised=nope"]


@pytest.mark.parametrize("query", WRONG_VALUES)
def test_refusal_of_a_filter_names_value_and_remedy(http: httpx2.Client, query: str) -> None:
    answer = http.get(f"/api/jobs/exam1hpv/rows?{query}")
    details, message = assert_error(answer, 400, "INVALID_PARAMETER"), answer.json()["error"]["message"]
    assert "nope" in message
    assert "pdb_id" in details.get("known", ()) or "it must be" in message


LISTS = {"/api/suggestions", *(endpoint.path for endpoint in endpoints() if endpoint.listing)}
LISTS |= {f"/api/jobs/{{job_id}}/{name}" for name in ("rows", "exit-vectors", "answers")}


@pytest.mark.parametrize("name", ["rows", "exit-vectors", "answers"])
def test_documented_examples_of_parameters_are_accepted(http: httpx2.Client, name: str) -> None:
    operation = http.get("/openapi.json").json()["paths"][f"/api/jobs/{{job_id}}/{name}"]["get"]
    for one in operation["parameters"]:
        if one["in"] == "query":
            answer = http.get(f"/api/jobs/exam1hpv/{name}", params={one["name"]: one["example"]})
            assert answer.status_code == 200, (one["name"], answer.text)


@pytest.mark.parametrize("path", sorted(LISTS))
def test_a_list_refuses_a_parameter_that_it_does_not_have(http: httpx2.Client, done_job: str, path: str) -> None:
    job = "exam1hpv" if path.startswith("/api/examples/") else done_job
    answer = http.get(re.sub(r"\{\w+\}", "x", path.replace("{job_id}", job)), params={"knid": "svg"})
    if path.startswith("/ga4gh/"):  # failures there are in the words of the standard
        assert (answer.status_code, "knid" in answer.json()["msg"]) == (400, True)
    else:
        assert_error(answer, 400, "INVALID_PARAMETER", parameter="knid")


ODD_IDS = (
    *("1234567", "123456789", "%00", "5b5b5bd%20", "abc%0adef", "ABCD-123", "%ff%fe%fd"),
    *("00000000", "zzzzzzzz", "%e2%82%ac%e2%82%ac1234", "a" * 300),
)
JOB_PATHS = sorted(
    {endpoint.path for endpoint in endpoints() if "{job_id}" in endpoint.path and endpoint.method == "GET"}
)


@pytest.mark.parametrize("path", JOB_PATHS)
def test_unknown_job_is_404_on_every_route(http: httpx2.Client, path: str) -> None:
    for job_id in ODD_IDS:
        address = path.replace("{job_id}", job_id).replace("{path:path}", "x.csv").replace("{name}", "1abc_A_X.pdb")
        answer = http.get(re.sub(r"\{\w+\}", "x", address))
        assert answer.status_code == 404, address
        if path.startswith("/api/"):
            code = "EXAMPLE_NOT_FOUND" if path.startswith("/api/examples/") else "JOB_NOT_FOUND"
            assert_error(answer, 404, code)


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in endpoints()}))
def test_wrong_method_is_405_with_allow(http: httpx2.Client, path: str) -> None:
    methods = {endpoint.method for endpoint in endpoints() if endpoint.path == path}
    address = re.sub(r"\{[\w:]+\}", "aaaaaaaa", path)
    for method in {"PUT", "PATCH", "DELETE", "POST"} - methods:
        answer = http.request(method, address)
        if path.startswith("/ga4gh/"):  # failures there are in the words of the standard
            assert (answer.status_code, answer.json()["status_code"]) == (405, 405)
        else:
            assert_error(answer, 405, "METHOD_NOT_ALLOWED")
        allowed = set(answer.headers["allow"].split(", "))
        assert allowed == methods | ({"HEAD"} if "GET" in methods else set())


def test_answers_of_a_target_are_found_by_any_name_of_the_row(http: httpx2.Client) -> None:
    url = "/api/jobs/exam1hpv/answers"
    rows = http.get(url).json()["answers"]
    for name in ("HIV-1 protease", "hiv-1 PROTEASE", "G1"):
        assert http.get(url, params={"target": name}).json()["answers"] == rows
    error = assert_error(http.get(url, params={"target": "EGFR"}), 400, "INVALID_PARAMETER")
    assert {"HIV-1 protease", "G1"} <= set(error["known"])
    assert http.get(url, params={"target": "G1", "ligand": "XXX"}).json()["answers"] == []


def test_wait_until_final_answers_once_at_the_end(http: httpx2.Client, live: LiveService, queued_job: str) -> None:
    job_id = live.submit(HPV)
    assert http.get(f"/api/jobs/{job_id}?wait=60&until=final").json()["status"] == "completed"
    begun = time.monotonic()
    assert http.get(f"/api/jobs/{queued_job}?wait=1&until=final").json()["status"] == "queued"
    assert time.monotonic() - begun >= 1
    for query in ("wait=1&until=never", "until=never"):
        assert_error(http.get(f"/api/jobs/{queued_job}?{query}"), 400, "INVALID_PARAMETER")


def test_results_of_a_waiting_job_are_202_and_its_log_exists(http: httpx2.Client, queued_job: str) -> None:
    for endpoint in endpoints():
        if endpoint.ready and endpoint.method == "GET" and re.match("/api/(?!examples/).*{job_id}", endpoint.path):
            path = re.sub(r"\{\w+\}", "x", endpoint.path.replace("{job_id}", queued_job))
            answer = http.get(path, params={one.name: "x" for one in endpoint.parameters if one.required})
            assert_error(answer, 202, "RESULTS_NOT_READY")
            assert int(answer.headers["retry-after"]) > 0
    for path in ("/files", "/artifacts", "/war-pdbs", "/request"):
        assert int(http.get(f"/api/jobs/{queued_job}{path}").headers["retry-after"]) > 0
    job = http.get(f"/api/jobs/{queued_job}")
    assert job.json()["status"] == "queued"
    assert job.json()["queue_position"] >= 1
    assert int(job.headers["retry-after"]) > 0
    assert http.get(f"/results/{queued_job}").status_code == 202
    assert http.get(f"/open_job/{queued_job}").headers["location"] == f"/monitor/{queued_job}"
    assert http.get(f"/api/job_log/{queued_job}").json()["log"] == []
    assert http.get(f"/api/job_summary/{queued_job}").json()["total_warheads"] == 0
    assert http.get(f"/api/jobs/{queued_job}/files").json()["total"] == 0
    assert_error(http.delete(f"/api/jobs/{queued_job}"), 409, "JOB_STATE_CONFLICT")
    canceled = http.post(f"/api/jobs/{queued_job}/cancel")
    assert (canceled.status_code, canceled.json()["status"]) == (202, "canceled")
    assert http.post(f"/api/jobs/{queued_job}/cancel").status_code == 200
    assert http.get(f"/api/jobs/{queued_job}/results").json()["has_results"] is False
    assert http.delete(f"/api/jobs/{queued_job}").json() == {"ok": True, "job_id": queued_job, "deleted": True}
    assert_error(http.get(f"/api/jobs/{queued_job}"), 404, "JOB_NOT_FOUND")


def test_failed_job_returns_its_available_parts_and_the_reason(http: httpx2.Client, failed_job: str) -> None:
    job = http.get(f"/api/jobs/{failed_job}").json()
    assert job["error"].keys() == {"message", "step", "kind"}
    assert job["error"]["kind"] == "input"
    assert http.get(f"/api/jobs/{failed_job}/results").json()["has_results"] is False
    assert http.get(f"/api/jobs/{failed_job}/rows").json()["rows"] == []
    assert http.get(f"/api/sasa_overlay/{failed_job}/4cup/A/ZYB").json() == []
    assert http.get(f"/api/jobs/{failed_job}/war-pdbs.zip").status_code == 200
    assert_error(http.post(f"/api/jobs/{failed_job}/cancel"), 409, "JOB_STATE_CONFLICT")


def test_only_failed_and_canceled_jobs_are_retried(http: httpx2.Client, done_job: str, queued_job: str) -> None:
    for job in (done_job, queued_job):
        assert_error(http.post(f"/api/jobs/{job}/retry"), 409, "JOB_STATE_CONFLICT")
    assert_error(http.post("/api/jobs/00000000/retry"), 404, "JOB_NOT_FOUND")
    http.post(f"/api/jobs/{queued_job}/cancel")
    again = http.post(f"/api/jobs/{queued_job}/retry")
    assert again.status_code == 202
    assert (again.json()["status"], again.json()["attempt"], again.json()["finished_at"]) == ("queued", 1, None)
    assert int(again.headers["retry-after"]) > 0


@pytest.mark.parametrize("path", ["/api/jobs/{id}/cancel", "/api/jobs/{id}/retry", "/api/jobs/{id}"])
@pytest.mark.parametrize("example", ["exam1hpv", "exambrd4"])
def test_examples_cannot_be_changed(http: httpx2.Client, path: str, example: str) -> None:
    answer = http.request("DELETE" if path.endswith("{id}") else "POST", path.format(id=example))
    assert_error(answer, 409, "JOB_STATE_CONFLICT")


def test_batch_with_one_bad_item_starts_nothing(http: httpx2.Client) -> None:
    before = http.get("/api/indexed-jobs").json()["count"]
    jobs = [{"target_name": "x", "search_query": "1HPV"}] * 8
    details = assert_error(post(http, {"jobs": [*jobs, {"target_name": "x"}, 5]}, "/api/batches"), 422, "INVALID_FIELD")
    assert [(item["index"], item["code"], item["field"]) for item in details["items"]] == [
        (8, "MISSING_FIELD", "search_query"),
        (9, "INVALID_FIELD", "jobs"),
    ]
    assert http.get("/api/indexed-jobs").json()["count"] == before


def test_bad_batch_is_refused(http: httpx2.Client) -> None:
    assert_error(post(http, {}, "/api/batches"), 400, "MISSING_FIELD")
    lists: list[Any] = [[], {}, [MIXED] * 101]
    pauses = [{"jobs": [MIXED], "delay_seconds": pause} for pause in (31, -1, "1", True)]
    for body in [*({"jobs": jobs} for jobs in lists), *pauses]:
        assert_error(post(http, body, "/api/batches"), 422, "INVALID_FIELD")


def test_bulk_puts_what_it_does_not_find_into_missing(http: httpx2.Client, done_job: str) -> None:
    path = f"/api/jobs/{done_job}/sasa/bulk"
    good = {"pdb_id": "1HPV", "chain": "a", "residue_id": 200}
    others = [{"pdb_id": "1hpv"}, 7, {**good, "residue_id": "9"}, {**good, "chain": False}]
    body = post(http, {"requests": [good, *others]}, path).json()
    assert list(body["results"]) == ["1hpv|A|200"]
    keys = [None, None, "1hpv|a|9", None]  # none for a malformed one
    assert [(item["index"], item["key"]) for item in body["missing"]] == list(enumerate(keys, 1))
    assert_error(post(http, {}, path), 400, "MISSING_FIELD")
    assert_error(post(http, {"requests": [good] * 501}, path), 422, "INVALID_FIELD")


def test_pdb_id_is_enough_for_a_job_and_aliases_work(http: httpx2.Client) -> None:
    dry = post(http, {"pdb_id": "4CUP", "ligand": "zyb", "colour": 1}, "/api/jobs?dry_run=1").json()
    assert [entry["pdb_id"] for entry in dry["entries"]] == ["4cup"]
    assert "colour" in " ".join(dry["notes"])
    both = {"target": "ignored", "target_name": "BAZ2B", "query": "4CUP", "sequence": "MKV"}
    dry = post(http, both, "/api/jobs?dry_run=true").json()
    assert (dry["total"], dry["dry_run"]) == (1, True)
    assert "3 residues" in " ".join(dry["notes"])
    assert_error(post(http, both, "/api/jobs?dry_run=maybe"), 400, "INVALID_PARAMETER")


def test_dry_run_finds_a_named_entry_in_any_spelling_and_no_other_for_a_missing_one(
    http: httpx2.Client,
) -> None:
    asked = {"target_name": "HIV-1 protease", "search_query": "https://www.rcsb.org/structure/4CUP"}
    dry = post(http, asked, "/api/jobs?dry_run=true").json()
    assert [entry["pdb_id"] for entry in dry["entries"]] == ["4cup"]
    dry = post(http, {**asked, "search_query": "P07900"}, "/api/jobs?dry_run=true").json()
    assert (dry["total"], dry["notes"]) == (
        0, ["No entry of P07900 here (archive): check it, give a name instead, or another source."],
    )  # fmt: skip


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "ä"])
def test_odd_idempotency_key_is_refused(http: httpx2.Client, key: str) -> None:
    headers = {b"Content-Type": b"application/json", b"Idempotency-Key": key.encode()}
    assert_error(http.post("/api/jobs", content=json.dumps(MIXED), headers=headers), 422, "INVALID_FIELD")


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


def test_body_over_the_limit_is_413_announced_or_chunked(tmp_path: Path) -> None:
    with local(tmp_path, max_body_bytes=2000) as client:
        headers = {"Content-Type": "application/json"}
        body = b'{"a":"' + b"x" * 3000 + b'"}'
        assert_error(client.post("/api/jobs", content=body, headers=headers), 413, "PAYLOAD_TOO_LARGE")
        chunks = (body[start : start + 100] for start in range(0, len(body), 100))
        assert_error(client.post("/api/jobs", content=chunks, headers=headers), 413, "PAYLOAD_TOO_LARGE")


def test_changes_need_a_token_where_tokens_are_configured_and_reads_do_not(tmp_path: Path) -> None:
    with local(tmp_path, api_tokens=(Token("operator", "secret"), Token("ann", "other"))) as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic secret"}):
            answer = client.post("/api/jobs", json=MIXED, headers=headers)
            assert_error(answer, 401, "UNAUTHORIZED")
            assert answer.headers["www-authenticate"] == "Bearer"
        for endpoint in endpoints():
            answer = client.request(endpoint.method, re.sub(r"\{[\w:]+\}", "exam1hpv", endpoint.path))
            assert (answer.status_code == 401) == (endpoint.changes and not endpoint.public), endpoint.path
        assert client.post("/api/jobs?dry_run=true", json={}).status_code == 401
        assert client.post("/api/jobs", json={}, headers={"Authorization": "bearer other"}).status_code == 400


def test_rate_limit_answers_429_with_retry_after(tmp_path: Path) -> None:
    with local(tmp_path, rate_limit=Rate(3, 60.0)) as client:
        answers = [client.get("/api/examples") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert_error(answers[-1], 429, "RATE_LIMITED")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
        assert client.get("/api/health").status_code == 200


def test_rate_limit_counts_forms_that_are_sent_but_no_pages(tmp_path: Path) -> None:
    with local(tmp_path, rate_limit=Rate(2, 60.0)) as client:
        assert [client.post("/", data={"search_query": "x"}).status_code for _ in range(3)] == [400, 400, 429]
        assert client.get("/").status_code == 200


def test_full_queue_is_503_with_retry_after(tmp_path: Path) -> None:
    with local(tmp_path, max_queued_jobs=1, max_running_jobs=1) as client:
        answers = [client.post("/api/jobs", json=MIXED) for _ in range(4)]
        assert_error(answers[-1], 503, "QUEUE_FULL")
        assert int(answers[-1].headers["retry-after"]) > 0


def test_unexpected_error_is_500_without_detail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> JobRecord:
        raise RuntimeError("a secret of /home/someone")

    with local(tmp_path) as client:
        monkeypatch.setattr(client.app.state.shared.parts.store, "get", broken)  # type: ignore[attr-defined]
        answer = client.get("/api/jobs/00000000")
        assert_error(answer, 500, "INTERNAL_ERROR")
        assert answer.json()["request_id"] in answer.json()["error"]["message"]
        assert "secret" not in answer.text
        assert "home" not in answer.text


def test_job_that_is_deleted_while_it_is_read_is_404(
    tmp_path: Path, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(mixed, tmp_path / "jobs" / mixed.name)

    def vanishing(job: Path, **_: object) -> list[str]:
        shutil.rmtree(job)
        return (job / "events.jsonl").read_text().splitlines()

    monkeypatch.setattr("service.routes.jobs.log_lines", vanishing)
    with local(tmp_path) as client:
        assert_error(client.get(f"/api/job_log/{mixed.name}"), 404, "JOB_NOT_FOUND", job_id=mixed.name)


def test_dry_run_of_a_source_that_does_not_answer_is_503(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setattr("service.runs.dry_run._SECONDS", 1.0)
    with local(tmp_path, source="rcsb") as client:
        answer = client.post("/api/jobs?dry_run=true", json=MIXED)
        assert_error(answer, 503, "UPSTREAM_UNAVAILABLE")
        assert int(answer.headers["retry-after"]) > 0


def test_dry_run_of_a_query_that_the_source_refuses_is_422(http: httpx2.Client) -> None:
    details = assert_error(post(http, REFUSED, "/api/jobs?dry_run=true"), 422, "INVALID_FIELD")
    assert "sequence" in details["reason"]


def test_cors_is_off_until_origins_are_configured(http: httpx2.Client, tmp_path: Path) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in http.get("/api/health", headers=asked).headers
    assert http.options("/api/jobs", headers=asked).status_code == 405
    with local(tmp_path, cors_origins=("https://example.org",)) as client:
        preflight = client.options("/api/jobs", headers=asked)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == "https://example.org"
        for name in ("If-Range, Range", "MCP-Protocol-Version", "If-Modified-Since"):  # of downloads and agents
            sent = {**asked, "Access-Control-Request-Headers": name}
            assert client.options("/api/jobs", headers=sent).status_code == 200
        other = client.get("/api/health", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_request_id_is_kept_when_it_is_plain(http: httpx2.Client) -> None:
    assert http.get("/api/health", headers={"X-Request-ID": "abc-1.2"}).headers["x-request-id"] == "abc-1.2"
    assert http.get("/api/health", headers={"X-Request-ID": "a b<c>"}).headers["x-request-id"] != "a b<c>"


def test_every_error_code_is_tested_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8") + (Path(__file__).parent / "test_files.py").read_text()
    text += (Path(__file__).parent / "test_attacks.py").read_text()
    assert [code for code in STATUSES if f'"{code}"' not in text] == []
