"""Information for an operator: counts for alarms, reasons of degradation, lines of the log."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from tests.service.core import HPV, REFUSED, LiveService, hold, local
from tests.tools.patience import wait_until
from tests.tools.runs import ROOT

Counts = dict[str, float]


def counts_of(client: TestClient) -> Counts:
    """Return every count by its name with labels."""
    lines = client.get("/metrics").text.splitlines()
    assert all(re.fullmatch(r'[a-z_]+(\{(\w+="[^"]*",?)+\})? [0-9.e+-]+', line) for line in lines if line[0] != "#")
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_counts_show_the_queue_failures_and_the_disk(tmp_path: Path) -> None:
    with local(tmp_path, metrics=True, max_running_jobs=1) as client:
        failing = client.post("/api/jobs", json=REFUSED).json()["status_url"]
        wait_until(lambda: client.get(failing).json()["status"] == "failed", 30, "the job to fail")
        assert counts_of(client)['tethermap_jobs_ended_total{status="failed",kind="input"}'] == 1
        gate = hold(tmp_path, "search_entries")
        jobs = [client.post("/api/jobs", json=HPV).json()["status_url"] for _ in range(3)]
        wait_until(lambda: counts_of(client)["tethermap_queue_oldest_seconds"] > 0, 30, "a job to wait")
        counts = counts_of(client)
        assert (counts["tethermap_jobs_queued"], counts["tethermap_jobs_running"]) == (2, 1)
        assert counts["tethermap_disk_free_bytes"] > 0
        assert counts["tethermap_healthy"] == 1
        for job in reversed(jobs):
            client.post(f"{job}/cancel")
        gate.unlink()
        named = re.findall(r"tethermap_[a-z_]+", (ROOT / "config/deploy/README.md").read_text(encoding="utf-8"))
        assert set(named) <= {name.partition("{")[0] for name in counts}


def test_health_gives_the_reason_of_degradation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with local(tmp_path) as client:
        wait_until(lambda: client.get("/api/health").json()["reasons"] == [], 30, "the service to be healthy")
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
        health = client.get("/api/health").json()
        assert (health["ok"], health["status"], health["reasons"]) == (True, "degraded", ["disk_low"])


def test_a_line_of_the_log_names_the_request_and_the_token(tmp_path: Path) -> None:
    with LiveService(tmp_path, quick=True, API_TOKENS="ann:secret") as service:
        status, answer = service.call("POST", "/api/jobs", HPV)
        assert status == 401
        assert service.terminate() < 30
        lines = [json.loads(line) for line in (tmp_path / "service.log").read_text().splitlines()]
    (line,) = [line for line in lines if line.get("request_id") == answer["request_id"]]
    assert (line["status"], line["path"], line["client"]) == (401, "/api/jobs", "127.0.0.1")
    assert "secret" not in json.dumps(lines)
