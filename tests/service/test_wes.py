"""The jobs as runs of GA4GH's Workflow Execution Service, checked against its published schemas."""

import json
from pathlib import Path
from typing import Any

import gxy_wes
import gxy_wes.client
import httpx2
import pytest
from jsonschema import Draft202012Validator

from service.settings import Rate, Token
from tests.service.core import HPV, REFUSED, LiveService, local, run_form
from tests.tools.patience import wait_until
from tests.tools.runs import ROOT

BASE = "/ga4gh/wes/v1"
PUBLISHED = json.loads((ROOT / "tests/data/wes/schemas.json").read_text(encoding="utf-8"))


def fits(body: Any, schema: str) -> dict[str, Any]:
    """Return a body that fits a published schema."""
    reference = {"$ref": f"#/components/schemas/{schema}", "components": PUBLISHED["components"]}
    assert [error.message for error in Draft202012Validator(reference).iter_errors(body)] == []
    return dict(body)


def run(http: httpx2.Client, params: Any, **changes: str) -> httpx2.Response:
    """Send a run as clients of the standard do: a multipart form."""
    fields = run_form(params) | {name: (None, value) for name, value in changes.items()}
    return http.post(f"{BASE}/runs", files=fields)


def test_service_info_lists_the_supported_workflow(http: httpx2.Client) -> None:
    info = fits(http.get(f"{BASE}/service-info").json(), "ServiceInfo")
    assert info["type"] == {"group": "org.ga4gh", "artifact": "wes", "version": "1.1.0"}
    assert "SMK" in info["workflow_type_versions"]


def test_a_run_goes_from_its_request_to_its_outputs(http: httpx2.Client) -> None:
    run_id = fits(run(http, HPV).json(), "RunId")["run_id"]

    def status() -> Any:
        return fits(http.get(f"{BASE}/runs/{run_id}/status").json(), "RunStatus")["state"]

    wait_until(lambda: status() == "COMPLETE", 60, "the run to end")
    log = fits(http.get(f"{BASE}/runs/{run_id}").json(), "RunLog")
    assert log["request"]["workflow_params"]["search_query"] == HPV["search_query"]
    assert (log["run_log"]["exit_code"], log["run_log"]["name"]) == (0, HPV["target_name"])
    for address in (*log["outputs"].values(), log["run_log"]["stdout"], log["task_logs_url"]):
        assert address.startswith(f"{http.base_url}/")
        assert http.get(address).status_code == 200, address
    page = fits(http.get(f"{BASE}/runs?page_size=1").json(), "RunListResponse")
    following = http.get(f"{BASE}/runs?page_size=1&page_token={page['next_page_token']}").json()
    assert page["runs"][0]["run_id"] != fits(following, "RunListResponse")["runs"][0]["run_id"]


def test_client_of_another_project_drives_a_run(live: LiveService) -> None:
    client = gxy_wes.WesClient(live.address)
    (kind,) = client.service_info()["workflow_type_versions"]
    asked = {"workflow_type": kind, "workflow_type_version": "9", "workflow_url": "tethermap"}
    run_id = client.submit_run(**asked, params={"pdb_id": "1hpv"})["run_id"]
    wait_until(lambda: client.get_run_status(run_id)["state"] in gxy_wes.client.TERMINAL_STATES, 60, "the run to end")
    log = client.get_run(run_id)
    assert (log["state"], log["request"]["workflow_params"]["pdb_id"]) == ("COMPLETE", "1hpv")
    assert b"1hpv" in httpx2.get(log["outputs"]["Results_Display.csv"]).content
    assert "run started" in httpx2.get(log["run_log"]["stderr"]).text
    first = client.get_run_tasks(run_id, page_size=1)
    tasks = client.get_run_tasks(run_id, page_size=100)["task_logs"]
    assert first["task_logs"] == tasks[:1]
    assert client.get_run_tasks(run_id, page_size=1, page_token=first["next_page_token"])["task_logs"] == tasks[1:2]
    assert client.get_run_task(run_id, tasks[-1]["id"]) == tasks[-1]
    assert {task["exit_code"] for task in tasks} == {0}
    assert run_id in {run["run_id"] for run in client.list_runs(page_size=100)["runs"]}
    with pytest.raises(gxy_wes.WesError, match="canceled"):
        client.cancel_run(run_id)


def test_tags_are_kept_and_tasks_fit_the_standard(http: httpx2.Client) -> None:
    run_id = run(http, HPV, tags='{"project": "A1"}').json()["run_id"]
    request = http.get(f"{BASE}/runs/{run_id}").json()["request"]
    assert (request["tags"], "run" in request["workflow_params"]) == ({"project": "A1"}, False)
    page = fits(http.get(f"{BASE}/runs?page_size=200").json(), "RunListResponse")
    assert {"project": "A1"} in [one["tags"] for one in page["runs"] if one["run_id"] == run_id]
    for one in page["runs"]:
        fits(one, "RunSummary")
    tasks = fits(http.get(f"{BASE}/runs/{run_id}/tasks").json(), "TaskListResponse")["task_logs"]
    for task in tasks:
        fits(task, "TaskLog")
    assert http.get(f"{BASE}/runs/{run_id}/tasks/nothing").status_code == 404


def test_a_run_is_canceled_and_a_failed_one_has_its_cause(http: httpx2.Client, queued_job: str) -> None:
    assert fits(http.post(f"{BASE}/runs/{queued_job}/cancel").json(), "RunId")["run_id"] == queued_job
    assert http.get(f"{BASE}/runs/{queued_job}/status").json()["state"] == "CANCELED"
    failed = run(http, REFUSED).json()["run_id"]
    wait_until(lambda: http.get(f"{BASE}/runs/{failed}/status").json()["state"] == "EXECUTOR_ERROR", 60, "it to fail")
    assert http.get(f"{BASE}/runs/{queued_job}/tasks/x").json()["msg"] == "The run has no task x; it has no tasks."


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"workflow_url": "https://evil.example/x.smk"}, 400), ({"workflow_url": ""}, 400),
        ({"workflow_type": "CWL"}, 400), ({"workflow_type_version": "99"}, 400),
        ({"workflow_engine": "nextflow"}, 400), ({"tags": '{"a": 1}'}, 400),
        ({"tags": "[]"}, 400), ({"tags": json.dumps({"a": "x" * 8192})}, 400),
        ({"workflow_engine_parameters": '{"cores": "4"}'}, 400),
        ({"workflow_params": "{"}, 400), ({"workflow_params": "{}"}, 400), ({"workflow_attachment": "x"}, 400),
        ({"workflow_params": '{"pdb_id": "../x"}'}, 422), ({"workflow_params": '{"a":1,"a":2}'}, 400),
    ],
)  # fmt: skip
def test_a_wrong_run_is_refused_in_the_words_of_the_standard(
    http: httpx2.Client, changes: dict[str, str], status: int
) -> None:
    answer = run(http, HPV, **changes)
    assert answer.status_code == status, answer.text
    assert fits(answer.json(), "ErrorResponse")["status_code"] == status
    if "JSON" in answer.json()["msg"]:  # errors there have no details
        assert answer.json()["msg"].startswith(next(iter(changes)))


def test_a_form_of_many_fields_is_refused(http: httpx2.Client) -> None:
    form = "&".join(f"field{number}=1" for number in range(101))
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = http.post(f"{BASE}/runs", content=form, headers=headers)
    assert fits(answer.json(), "ErrorResponse") == {"msg": "form has too many fields.", "status_code": 422}


def test_unknown_runs_and_pages_are_refused(http: httpx2.Client, live: LiveService) -> None:  # noqa: ARG001
    for path in ("/runs/00000000", "/runs/00000000/status", f"/runs/{'a' * 300}", "/runs/exambrd4", "/nothing", ""):
        answer = http.get(f"{BASE}{path}")
        assert (answer.status_code, fits(answer.json(), "ErrorResponse")["status_code"]) == (404, 404), path
    for query in ("page_token=x", "page_size=0", "page_token=99999999999999999999", "limit=5"):
        assert fits(http.get(f"{BASE}/runs?{query}").json(), "ErrorResponse")["status_code"] == 400, query
    assert "page_size" in http.get(f"{BASE}/runs?limit=5").json()["msg"]
    assert http.post(f"{BASE}/runs", json=HPV).status_code == 415


def test_every_error_has_the_body_of_the_standard(tmp_path: Path) -> None:
    tokens = (Token("ann", "ann-secret"), Token("ben", "ben-secret"))
    with local(tmp_path, api_tokens=tokens, max_body_bytes=2000, rate_limit=Rate(10, 60.0)) as http:

        def refused(answer: httpx2.Response) -> int:
            assert answer.json().keys() == {"msg", "status_code"}, answer.text
            assert fits(answer.json(), "ErrorResponse")["status_code"] == answer.status_code
            return answer.status_code

        ann, ben = ({"Authorization": f"Bearer {token.secret}"} for token in tokens)
        form = 'multipart/form-data; boundary="x"'
        twice = b'--x\r\nContent-Disposition: form-data; name="workflow_url"\r\n\r\ntethermap\r\n' * 2 + b"--x--\r\n"
        assert refused(run(http, HPV)) == 401
        assert refused(http.delete(f"{BASE}/runs")) == 405
        assert refused(http.get(f"{BASE}/runs", headers={"Host": "evil.example"})) == 421
        http.headers = httpx2.Headers(ann)
        run_id = run(http, HPV).json()["run_id"]
        assert refused(http.post(f"{BASE}/runs/{run_id}/cancel", headers=ben)) == 403
        assert refused(run(http, "x" * 2000)) == 413
        for content, status in ((twice, 422), (b"--x", 400), (twice.replace(b"map", b"\xff"), 400)):
            assert refused(http.post(f"{BASE}/runs", content=content, headers={"Content-Type": form})) == status
        assert refused([http.get(f"{BASE}/runs") for _ in range(10)][-1]) == 429
