"""With `PRIVATE=owner` a token finds nothing of another's: neither jobs nor batches nor uploads, on no route."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx2
import pytest
from starlette.testclient import TestClient

from service.app import endpoints
from service.extras.tools import TOOLS, Tool
from service.http.endpoint import Endpoint
from service.settings import Settings, SettingsError
from tests.service.core import ANN, BEN, MIXED, OPERATOR, TOKENS, hold, local
from tests.tools.runs import ROOT
from tests.tools.service_readme import QUERIES, VALUES

EXAMPLES = (ROOT / "data/examples",)
UNKNOWN = {"job_id": "00000000", "batch_id": "batch_00000000", "upload_id": "upload_0000000000000000"}
NAMING = {"a": "job_id", "b": "job_id", "other": "job_id", "from": "job_id"}
"""Query parameters that name a job."""
SLOW = ("/api/jobs/{job_id}/protac-inputs", "/api/jobs/{job_id}/handles", "/api/degraders", "/api/degraders/halves")


@dataclass(frozen=True)
class Private:
    """A private service, and the ids of Ann's finished job, batch and upload."""

    http: TestClient
    ids: dict[str, str]


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[Private]:
    """A private service with things of Ann's."""
    folder = tmp_path_factory.mktemp("private")
    job = folder / "jobs" / mixed.name
    shutil.copytree(mixed, job)
    record = json.loads((job / "job_record.json").read_text(encoding="utf-8"))
    (job / "job_record.json").write_text(json.dumps({**record, "owner": "ann"}), encoding="utf-8")
    hold(folder, "search_entries")
    with local(folder, api_tokens=TOKENS, private="owner", metrics=True, examples_dirs=EXAMPLES) as http:
        batch = http.post("/api/batches", json={"jobs": [MIXED]}, headers=ANN).json()
        model = next((mixed / "TARGET_RESULTS" / "WAR_PDB").glob("4cup*.pdb")).read_bytes()
        upload = http.post("/api/uploads", files={"files": ("model.pdb", model)}, headers=ANN).json()
        yield Private(http, {"job_id": job.name, "batch_id": batch["batch_id"], "upload_id": upload["upload_id"]})
        (folder / "hold").unlink(missing_ok=True)


def named(endpoint: Endpoint) -> list[str]:
    """Return the parameters by which a route can name a job, batch or upload."""
    parameters = [name for name in endpoint.known_parameters if name in NAMING]
    return [*(name for name in UNKNOWN if f"{{{name}}}" in endpoint.path), *parameters]


def asked(private: Private, endpoint: Endpoint, name: str, ids: dict[str, str], who: dict[str, str]) -> httpx2.Response:
    """Send a request that names something by one of the ways that a route has."""
    asked = dict(parse_qsl(QUERIES.get(endpoint.path, "").removeprefix("?")))
    path = endpoint.path
    if name in NAMING:
        others = {"a": "exam1hpv", "b": "exam1hpv"} if "compare" in path else {}
        half = {f"{name}_stem": "1hpv_A_478_200", f"{name}_anchor": "C3"}
        half = half if path.endswith(("degraders", "inputs")) else {}
        asked = {**{key: value for key, value in asked.items() if key != f"{name}_smiles"}, **others, **half}
        asked[name] = ids["job_id"]
        path = path.replace("{job_id}", "exam1hpv")
    for known, value in {**VALUES, **ids}.items():
        path = path.replace(f"{{{known}}}", value)
    sends: dict[str, Any] = {}
    if endpoint.method == "POST":
        form = endpoint.for_people or "ga4gh" in path
        who = {**who, "Content-Type": "application/x-www-form-urlencoded"} if form else who
        sends = {} if form else {"json": {"requests": []}}
    return private.http.request(endpoint.method, path, params=asked, headers=who, follow_redirects=False, **sends)


def shown(response: httpx2.Response, ids: dict[str, str]) -> tuple[int, str]:
    """Return status and text of a response without ids and keys of forms."""
    text = re.sub(r"[0-9a-f]{32}", "", response.text.replace(response.headers["x-request-id"], ""))
    for value in sorted(ids.values(), key=len, reverse=True):
        text = text.replace(value, "…")
    return response.status_code, text


OF_JOBS = [tool for tool in TOOLS if {"job_id", "a"} & set(tool.arguments)]
WAYS = [(endpoint, name) for endpoint in endpoints() for name in named(endpoint)]


@pytest.mark.parametrize(("endpoint", "name"), WAYS, ids=[f"{one.method} {one.path} {name}" for one, name in WAYS])
def test_another_owner_is_answered_as_if_there_were_nothing(private: Private, endpoint: Endpoint, name: str) -> None:
    there = shown(asked(private, endpoint, name, private.ids, BEN), private.ids)
    assert there == shown(asked(private, endpoint, name, UNKNOWN, BEN), UNKNOWN)
    if endpoint.path != "/":
        assert there[0] == 404
    if endpoint.method == "GET" and name != "other" and endpoint.path not in SLOW and "/examples/" not in endpoint.path:
        assert shown(asked(private, endpoint, name, private.ids, ANN), private.ids) != there


def test_ways_contain_every_route_that_names_a_job() -> None:
    of_jobs = {endpoint.path for endpoint in endpoints() if "{job_id}" in endpoint.path}
    assert {endpoint.path for endpoint, name in WAYS if name == "job_id"} == of_jobs


@pytest.mark.parametrize("path", sorted({
    endpoint.path + QUERIES.get(endpoint.path, "").replace("protein=HIV", "") for endpoint in endpoints()
    if endpoint.method == "GET" and "{" not in endpoint.path and endpoint.path not in SLOW
}))  # fmt: skip
def test_no_list_names_another_ones_job(private: Private, path: str) -> None:
    text = private.http.get(path, headers=BEN).text
    assert not [value for value in private.ids.values() if value in text]
    if path.startswith(("/api/indexed-jobs", "/api/jobs", "/api/search", "/browse", "/ga4gh/wes/v1/runs")):
        for who in (ANN, OPERATOR):
            assert private.ids["job_id"] in private.http.get(path.replace("&limit=1", ""), headers=who).text


@pytest.mark.parametrize("tool", OF_JOBS, ids=lambda tool: tool.name)
def test_tools_of_agents_find_nothing_of_another_owner(private: Private, tool: Tool) -> None:
    values = {**dict.fromkeys(("a", "b"), "exam1hpv"), **VALUES, "residue_id": "200", "path": "x.csv", "anchor": "C3"}

    def answer(job_id: str) -> str:
        given = {name: job_id if name in ("job_id", "a") else values.get(name) for name in tool.required or ("a",)}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool.name, "arguments": given}}
        result = private.http.post("/mcp", json=message, headers=BEN).json()["result"]
        assert result["isError"] is True
        return re.sub(r'"request_id":"\w+"', "", result["content"][0]["text"]).replace(job_id, "…")

    assert answer(private.ids["job_id"]) == answer(UNKNOWN["job_id"])


def test_another_ones_upload_can_not_be_used(private: Private) -> None:
    def refused(upload_id: str) -> tuple[int, str]:
        body = {"target_name": "x", "structures": upload_id}
        return shown(private.http.post("/api/jobs", json=body, headers=BEN), {"upload_id": upload_id})

    assert refused(private.ids["upload_id"]) == refused(UNKNOWN["upload_id"])


def test_operator_sees_all_and_examples_are_everybodys(private: Private) -> None:
    for path in ("/api/jobs/{job_id}", "/api/batches/{batch_id}", "/api/uploads/{upload_id}"):
        assert private.http.get(path.format(**private.ids), headers=OPERATOR).status_code == 200
    assert private.http.get("/api/jobs/exam1hpv/answers", headers=BEN).status_code == 200
    assert private.http.get("/api/jobs/exam1hpv/answers").status_code == 401


def test_value_of_the_setting_is_checked() -> None:
    variables = {"HOME": "/home/user", "TETHERMAP_API_TOKENS": "ann:secret"}
    assert Settings.from_environment({**variables, "TETHERMAP_PRIVATE": "Owner"}).private == "owner"
    assert Settings.from_environment({**variables, "TETHERMAP_PRIVATE": "yes"}).private is True
    with pytest.raises(SettingsError, match="owner"):
        Settings.from_environment({**variables, "TETHERMAP_PRIVATE": "own"})
