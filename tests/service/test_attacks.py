"""Attacks and mistakes, each with the answer that it must get."""

import logging
import os
import re
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from service.connections import raise_descriptor_limit
from service.http.access import COOKIE
from service.http.json_body import parse_object
from service.logs import CountRepeated
from service.routes import shared
from service.settings import Settings
from tests.service.core import ANN, BEN, HPV, OPERATOR, TOKENS, hold, local, run_form
from tests.service.test_contract import assert_error
from tests.tools.patience import patience
from tests.tools.runs import ROOT
from tests.tools.styles import programs

Http = httpx2.Client


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A private service with three tokens, whose jobs wait for ever."""
    folder = tmp_path_factory.mktemp("guarded")
    gate = hold(folder, "search_entries")
    with local(folder, api_tokens=TOKENS, private=True, max_queued_per_token=2, max_running_jobs=1) as client:
        job = client.post("/api/jobs", json=HPV, headers=OPERATOR).json()
        yield client
        client.post(f"{job['status_url']}/cancel", headers=OPERATOR)
        gate.unlink()


@pytest.fixture(scope="module")
def anns_job(guarded: TestClient) -> str:
    """A job of one of its tokens, which waits."""
    answer = guarded.post("/api/jobs", json=HPV, headers=ANN)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["job_id"])


# Responses of a service without tokens


def test_rebinding_reads_and_deletes_nothing(http: Http, done_job: str) -> None:
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::2]"):
        for method in ("GET", "DELETE"):
            assert_error(
                http.request(method, f"/api/jobs/{done_job}", headers={"Host": host}), 421, "MISDIRECTED_REQUEST"
            )
    assert http.get(f"/api/jobs/{done_job}").status_code == 200


def test_loopback_names_are_ours(http: Http, done_job: str) -> None:
    for host in ("localhost", "LOCALHOST:1", "127.8.9.1:80", "[::1]:8000"):
        assert http.get(f"/api/jobs/{done_job}", headers={"Host": host}).status_code == 200, host


LONG = "a" * 300


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"compare?a={LONG}&b={LONG}", 404, "JOB_NOT_FOUND"),
        *((f"batches/{LONG}{rest}", 404, "BATCH_NOT_FOUND") for rest in ("", "/results")),
        *((path, 404, "FILE_NOT_FOUND") for path in (
            f"svg/JOB/{LONG}/478", f"sdf/JOB/1hpv/A/{LONG}", f"pdb/JOB/{'a' * 5000}.pdb",
            f"jobs/JOB/files/TARGET_RESULTS/{LONG}.csv",
        )),
        *((f"jobs/JOB/files/{path}", 400, "INVALID_PATH") for path in (
            "Results_Display.csv%0a", "TARGET_RESULTS/%0aResults_Display.csv", "a%0ab.csv", "Results_Display.csv%0d",
        )),
        ("jobs/JOB%0a", 404, "JOB_NOT_FOUND"), ("batches/batch_00000000%0a", 404, "BATCH_NOT_FOUND"),
        ("jobs/JOB/results%0a", 404, "NOT_FOUND"), ("health%0a", 404, "NOT_FOUND"),
    ],
)  # fmt: skip
def test_long_names_and_line_breaks_name_nothing(http: Http, done_job: str, path: str, status: int, code: str) -> None:
    assert_error(http.get(f"/api/{path.replace('JOB', done_job)}"), status, code)


def test_id_of_300_characters_is_not_found_on_writes(http: Http) -> None:
    assert_error(http.delete(f"/api/jobs/{LONG}"), 404, "JOB_NOT_FOUND")
    assert_error(http.post(f"/api/jobs/{'é' * 300}/cancel"), 404, "JOB_NOT_FOUND")
    assert_error(http.post(f"/api/batches/{LONG}/cancel"), 404, "BATCH_NOT_FOUND")


def test_refusal_of_a_value_lists_the_allowed_ones(http: Http) -> None:
    answer = http.get("/api/indexed-jobs?status=done")
    assert "completed" in assert_error(answer, 400, "INVALID_PARAMETER", parameter="status")["known"]
    known = ["true", "false", "available", "unavailable"]
    for value in ("maybe", "%20"):  # in addition to its other name, which is valid
        answer = http.get(f"/api/indexed-jobs?availability=true&available={value}")
        assert_error(answer, 400, "INVALID_PARAMETER", parameter="available", known=known)
    assert http.get("/api/indexed-jobs?availability=&status=&sort=").status_code == 200


def test_value_given_too_often_is_refused(http: Http, done_job: str) -> None:
    most = http.get("/openapi.json").json()["paths"]["/api/jobs/{job_id}/bundle"]["get"]["parameters"]
    most = next(parameter["schema"]["maxItems"] for parameter in most if parameter["name"] == "stem")
    for stem in ("", "1hpv_A_478"):
        query = "&".join([f"stem={stem}"] * (most + 1))
        assert_error(http.get(f"/api/jobs/{done_job}/bundle?{query}"), 400, "INVALID_PARAMETER", parameter="stem")


def test_form_in_odd_characters_is_refused(http: Http) -> None:
    boundary = "multipart/form-data; boundary=x; charset="
    content = b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\nx\xff\r\n--x--\r\n'
    for charset in ("undefined", "idna", "utf-16"):
        headers = {"Content-Type": boundary + charset}
        assert_error(http.post("/api/uploads", content=content, headers=headers), 422, "INVALID_FIELD", field="files")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("kinds", ["ligand", "gold"], "'gold'.*one of"),
        ("entries", [str(one) for one in range(1000, 3001)], "2001 entries: at most 2000"),
        ("only_ligands", [f"{one}" for one in range(1001)], "1001 items: at most 1000"),
        ("kinds", ["ligand"] * 100_000, "100000 items: at most 1000"),
    ],
    ids=["unknown", "entries", "ligands", "kinds"],
)
def test_wrong_or_too_many_items_of_a_list_are_named(http: Http, name: str, value: list[str], words: str) -> None:
    answer = http.post("/api/jobs", json={**HPV, "options": {name: value}})
    assert re.search(words, assert_error(answer, 422, "INVALID_FIELD", field=f"options.{name}")["reason"])


def test_a_job_has_a_bounded_number_of_sequences(http: Http) -> None:
    """Each is searched separately, and each poll repeats its header."""
    records = [f">{'x' * 190}{number}\nACDEFGHIKL\n" for number in range(101)]
    answer = http.post("/api/jobs", json={**HPV, "fasta_seq": "".join(records)})
    assert_error(answer, 422, "INVALID_FIELD", field="fasta_seq", reason="has more than 100 sequences")
    taken = http.post("/api/jobs", json={**HPV, "fasta_seq": "".join(records[1:])}).json()
    assert len(http.get(taken["status_url"]).content) < 30_000
    http.post(f"{taken['status_url']}/cancel")


@pytest.mark.parametrize("target", ["a\u2028b", "a\u2029b", "a\x85b", "a\nb"])
def test_line_breaks_of_any_kind_are_refused_in_a_target(http: Http, target: str) -> None:
    answer = http.post("/api/jobs", json={**HPV, "target_name": target})
    assert_error(answer, 422, "INVALID_FIELD", field="target_name")


def test_many_entries_are_counted_in_polls(http: Http) -> None:
    entries = [f"{number:04d}" for number in range(1000, 3000)]
    submitted = http.post("/api/jobs", json={**HPV, "options": {"entries": entries}}).json()
    body = http.get(submitted["status_url"]).json()
    assert body["request"]["entries_count"] == len(entries)
    assert "entries" not in body["request"]["options"]
    assert len(http.get(f"{submitted['status_url']}/request").json()["request"]["options"]["entries"]) == len(entries)
    http.post(f"{submitted['status_url']}/cancel")


def test_job_is_indexed_when_its_202_is_sent(http: Http) -> None:
    for number in range(3):
        name = f"seen {number} {os.getpid()}"
        submitted = http.post("/api/jobs", json={**HPV, "target_name": name}).json()
        assert http.get("/api/indexed-jobs", params={"protein": name}).json()["total"] == 1
        assert submitted["job_id"] in http.get("/api/jobs/export").text
        http.post(f"{submitted['status_url']}/cancel")


def test_end_of_a_record_is_no_target_and_may_begin_one(http: Http) -> None:
    assert_error(http.post("/api/jobs", json={**HPV, "target_name": "$$$$"}), 422, "INVALID_FIELD", field="target_name")
    taken = http.post("/api/jobs", json={**HPV, "target_name": "$$$$ BRD4"})  # for SDF files see test_sdf
    assert taken.status_code == 202
    http.post(f"{taken.json()['status_url']}/cancel")


def test_two_hosts_in_one_request_are_refused(http: Http, done_job: str) -> None:
    with socket.create_connection(("127.0.0.1", http.base_url.port or 80), timeout=patience(10)) as connection:
        line = f"GET /api/jobs/{done_job} HTTP/1.1\r\nHost: localhost\r\n"
        connection.sendall(f"{line}Host: evil.example\r\nConnection: close\r\n\r\n".encode())
        assert int(connection.recv(4096).split()[1]) in (400, 421)


# Responses of a private service


def test_the_host_of_an_absolute_target_counts_instead_of_the_header(http: Http) -> None:
    for host, other, status in (("localhost", "evil.example", 200), ("evil.example", "localhost", 421)):
        with socket.create_connection(("127.0.0.1", http.base_url.port or 80), timeout=patience(10)) as connection:
            head = f"GET http://{host}:1/api/health HTTP/1.1\r\nHost: {other}\r\nConnection: close\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.recv(4096).startswith(f"HTTP/1.1 {status} ".encode())


def test_private_reads_need_a_token_and_health_does_not(guarded: TestClient, anns_job: str) -> None:
    for path in ("/api/indexed-jobs", f"/api/jobs/{anns_job}", "/api/manifest", "/openapi.json", "/api/examples",
                 f"/api/jobs/{anns_job}/events", "/api/jobs/export", "/metrics"):  # fmt: skip
        assert_error(guarded.get(path), 401, "UNAUTHORIZED")
        assert_error(guarded.get(path, headers={"Authorization": "Bearer ann-secre"}), 401, "UNAUTHORIZED")
    assert guarded.get(f"/api/jobs/{anns_job}", headers=BEN).status_code == 200
    assert guarded.get("/api/health").status_code == 200


def test_pages_show_the_token_form_and_store_a_cookie_no_script_reads(guarded: TestClient, anns_job: str) -> None:
    page = guarded.get(f"/monitor/{anns_job}")
    assert page.status_code == 401
    assert f'value="/monitor/{anns_job}"' in page.text
    assert anns_job not in guarded.get("/browse").text
    given = guarded.post("/login", data={"token": "ann-secret", "next": f"/monitor/{anns_job}"}, follow_redirects=False)
    assert (given.status_code, given.headers["location"]) == (303, f"/monitor/{anns_job}")
    cookie = given.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "ann-secret" not in cookie
    assert guarded.get(f"/monitor/{anns_job}").status_code == 200
    guarded.cookies.clear()
    begun = given.headers["set-cookie"].partition(";")[0].partition("=")[2]
    for value in ("x", "1.", f"{begun[:-1]}0g"):
        assert guarded.get("/browse", headers={"Cookie": f"{COOKIE}={value}"}).status_code == 401, value


def test_a_login_leads_to_no_other_site(guarded: TestClient) -> None:
    for target in ("//evil.example", "https://evil.example", "/\\evil.example", "/\tx", "javascript:alert(1)"):
        answer = guarded.post("/login", data={"token": "ben-secret", "next": target}, follow_redirects=False)
        assert answer.headers["location"] == "/", target
    guarded.cookies.clear()
    assert guarded.post("/login", data={"token": "guess"}).status_code == 401


def test_another_sites_form_does_nothing_with_the_cookie(guarded: TestClient, anns_job: str) -> None:
    guarded.post("/login", data={"token": "ann-secret"})
    answer = guarded.post(f"/api/jobs/{anns_job}/cancel", headers={"Sec-Fetch-Site": "cross-site"})
    guarded.cookies.clear()
    assert_error(answer, 401, "UNAUTHORIZED")
    assert guarded.get(f"/api/jobs/{anns_job}", headers=ANN).json()["status"] == "queued"


def test_others_jobs_are_not_canceled_or_deleted(guarded: TestClient, anns_job: str) -> None:
    assert_error(guarded.post(f"/api/jobs/{anns_job}/cancel", headers=BEN), 403, "FORBIDDEN")
    assert_error(guarded.delete(f"/api/jobs/{anns_job}", headers=BEN), 403, "FORBIDDEN")
    assert guarded.get(f"/api/jobs/{anns_job}", headers=ANN).json()["status"] == "queued"
    batch = guarded.post("/api/batches", json={"jobs": [HPV]}, headers=ANN).json()
    assert_error(guarded.post(f"/api/batches/{batch['batch_id']}/cancel", headers=BEN), 403, "FORBIDDEN")
    assert guarded.post(f"/api/batches/{batch['batch_id']}/cancel", headers=OPERATOR).status_code == 202


def test_a_job_is_retried_only_by_its_owner_and_the_operator(guarded: TestClient) -> None:
    job = guarded.post("/api/jobs", json=HPV, headers=BEN).json()["status_url"]
    assert_error(guarded.post(f"{job}/retry", headers=BEN), 409, "JOB_STATE_CONFLICT")
    for headers in (BEN, OPERATOR):
        assert guarded.post(f"{job}/cancel", headers=headers).status_code == 202
        assert_error(guarded.post(f"{job}/retry"), 401, "UNAUTHORIZED")
        assert_error(guarded.post(f"{job}/retry", headers=ANN), 403, "FORBIDDEN")
        assert_error(
            guarded.post(f"{job}/retry", headers={**headers, "Sec-Fetch-Site": "cross-site"}), 401, "UNAUTHORIZED"
        )
        again = guarded.post(f"{job}/retry", headers=headers)
        assert (again.status_code, again.json()["status"]) == (202, "queued")
    guarded.post(f"{job}/cancel", headers=BEN)
    batch = guarded.post("/api/batches", json={"jobs": [HPV, HPV]}, headers=BEN).json()
    assert_error(guarded.post(f"{job}/retry", headers=BEN), 429, "RATE_LIMITED", maximum=2)
    guarded.post(f"{batch['batch_status_url']}/cancel", headers=BEN)


def test_others_uploads_are_not_used_or_removed(guarded: TestClient) -> None:
    upload = guarded.post("/api/uploads", files={"files": ("model.pdb", next(programs()).text)}, headers=ANN).json()
    at, job = f"/api/uploads/{upload['upload_id']}", {"target_name": "BAZ2B", "structures": upload["upload_id"]}
    assert_error(guarded.delete(at, headers=BEN), 403, "FORBIDDEN", upload_id=upload["upload_id"])
    for path, body in (("jobs", job), ("jobs?dry_run=true", job), ("batches", {"jobs": [job]})):
        assert_error(guarded.post(f"/api/{path}", json=body, headers=BEN), 403, "FORBIDDEN")
    refused = guarded.post("/api/batches", json={"jobs": [job, HPV, job]}, headers=BEN).json()["error"]
    assert [(one["index"], one["code"]) for one in refused["details"]["items"]] == [(0, "FORBIDDEN"), (2, "FORBIDDEN")]
    assert guarded.post("/ga4gh/wes/v1/runs", files=run_form(job), headers=BEN).status_code == 403
    assert guarded.get(at, headers=ANN).status_code == 200
    assert guarded.delete(at, headers=OPERATOR).json()["deleted"] is True


def test_ones_own_jobs_are_canceled_and_deleted_and_the_operator_may_do_so_with_all(guarded: TestClient) -> None:
    for headers in (BEN, OPERATOR):
        job = guarded.post("/api/jobs", json=HPV, headers=BEN).json()["status_url"]
        record = guarded.app.state.shared.parts.store.get(job.rpartition("/")[2])  # type: ignore[attr-defined]
        assert record.owner == "ben"
        assert guarded.post(f"{job}/cancel", headers=headers).status_code == 202
        assert_error(guarded.delete(job, headers=ANN), 403, "FORBIDDEN")
        assert guarded.delete(job, headers=headers).json()["deleted"] is True


def test_a_token_has_a_quota_which_dry_runs_count_against(guarded: TestClient) -> None:
    batch = guarded.post("/api/batches", json={"jobs": [HPV, HPV]}, headers=BEN)
    assert batch.status_code == 202
    assert_error(guarded.post("/api/jobs", json=HPV, headers=BEN), 429, "RATE_LIMITED", maximum=2)
    assert_error(guarded.post("/api/jobs?dry_run=true", json=HPV, headers=BEN), 429, "RATE_LIMITED", maximum=2)
    assert_error(guarded.post("/api/jobs?dry_run=true", json=HPV), 401, "UNAUTHORIZED")
    guarded.post(f"{batch.json()['batch_status_url']}/cancel", headers=BEN)


def test_one_tokens_idempotency_key_is_not_anothers(guarded: TestClient) -> None:
    ids = set()
    for headers in (ANN, ANN, BEN):
        answer = guarded.post("/api/jobs", json=HPV, headers={**headers, "Idempotency-Key": "the-same"})
        ids.add(answer.json()["job_id"])
        guarded.post(f"{answer.json()['status_url']}/cancel", headers=headers)
    assert len(ids) == 2


# Mistakes of the operator


def test_an_open_service_has_a_limit_of_rate() -> None:
    settings = Settings.from_environment({"TETHERMAP_HOST": "0.0.0.0", "TETHERMAP_OPEN": "true"})
    assert settings.rate_limit is not None
    assert (settings.rate_limit.count, settings.rate_limit.seconds) == (60, 60.0)
    assert Settings.from_environment({"TETHERMAP_HOST": "0.0.0.0", "TETHERMAP_API_TOKENS": "a:b"}).rate_limit is None


def test_every_variable_that_a_part_reads_is_known() -> None:
    paths = [path for name in ("scripts", "service", "config", "tests") for path in (ROOT / name).rglob("*")]
    texts = [path.read_bytes() for path in (*paths, ROOT / "Makefile") if path.is_file() and path.suffix != ".pyc"]
    used = {name.decode() for text in texts for name in re.findall(rb"TETHERMAP_[A-Z_]+[A-Z]", text)}
    wrong = {"TETHERMAP_API_TOKEN", "TETHERMAP_MAX_JOB_BYTES"}  # requests with misspelled names
    Settings.from_environment({name: "" for name in used if name not in wrong})


# Connections and shortages


def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
        assert raise_descriptor_limit() == hard
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_large_body_is_not_parsed_in_the_event_loop(guarded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def parsed(body: bytes) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return parse_object(body)

    monkeypatch.setattr("service.http.json_body.parse_object", parsed)
    for entries in (1, 3000):
        body = {**HPV, "options": {"entries": ["1hpv"] * entries, "none": 1}}
        assert_error(guarded.post("/api/jobs", json=body, headers=ANN), 422, "INVALID_FIELD")
    loop, other = threads
    assert loop != other


def test_a_large_body_is_not_hashed_in_the_event_loop(guarded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[tuple[str, int]] = []
    canonical, parse = shared._canonical, parse_object

    def noted(name: str, called: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(value: Any) -> Any:
            threads.append((name, threading.get_ident()))
            return called(value)

        return call

    monkeypatch.setattr(shared, "_canonical", noted("hashed", canonical))
    monkeypatch.setattr("service.http.json_body.parse_object", noted("parsed", parse))  # a small body, in the loop
    for path, body in (("/api/jobs", HPV), ("/api/batches", {"jobs": [HPV]})):
        threads.clear()
        answer = guarded.post(path, json=body, headers={**BEN, "Idempotency-Key": f"large {path}".replace(" ", "")})
        assert answer.status_code == 202, answer.text
        guarded.post(f"{answer.headers['location']}/cancel", headers=BEN)
        (loop,) = {thread for name, thread in threads if name == "parsed"}
        assert loop not in {thread for name, thread in threads if name == "hashed"}


def test_log_lines_of_one_cause_are_counted(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 0.0
    monkeypatch.setattr("service.logs.time", SimpleNamespace(monotonic=lambda: seconds))
    counting = CountRepeated(seconds=60.0)
    caplog.handler.addFilter(counting)
    log = logging.getLogger("asyncio")
    try:
        for number in range(1000):
            log.error("socket.accept() out of system resource")
            log.error("another cause %d", number)
        assert len(caplog.records) == 2
        seconds = 61.0
        log.error("socket.accept() out of system resource")
        assert caplog.records[-1].repeated == 999  # type: ignore[attr-defined]
    finally:
        caplog.handler.removeFilter(counting)
