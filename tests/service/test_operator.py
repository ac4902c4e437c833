"""The operator's commands, with the service running and without."""

import csv
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.__main__ import _check_address
from service.jobs.durable import write_json
from service.jobs.record import RECORD
from service.settings import SettingsError
from tests.service.core import HPV, NOTHING, LiveService, hold, living
from tests.service.forks import Forked
from tests.tools.patience import patience
from tests.tools.runs import ROOT
from tethermap.base import layout

pytestmark = pytest.mark.process


def operate(service: LiveService, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments],
        cwd=ROOT, env=service.environment, capture_output=True, text=True, timeout=patience(60), check=False,
    )  # fmt: skip


def forked(service: LiveService, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command like `operate`, in a process that need not load the service."""
    log = service.folder / f"command {time.monotonic_ns()}"
    status = Forked(service.environment, log, *arguments).wait(patience(60))
    output, errors = (Path(f"{log}{ending}").read_text() for ending in ("", ".errors"))
    return subprocess.CompletedProcess(arguments, status, output, errors)


@pytest.mark.parametrize("serving", [True, False], ids=["service running", "service down"])
def test_commands(tmp_path: Path, serving: bool) -> None:
    by_hand = shutil.copytree(ROOT / "data/examples/exam4cup", tmp_path / "by hand")
    (by_hand / RECORD).unlink()
    with LiveService(tmp_path, quick=True, KEEP_DAYS="30", MAX_RUNNING_JOBS="2") as service:
        done = service.submit(NOTHING)
        service.ended(done)
        hold(tmp_path, "clean_complexes")
        long = service.submit(HPV)
        if not serving:
            service.terminate()
        adopted = forked(service, "adopt", str(by_hand)).stdout.strip()
        assert len(adopted) == 8
        assert forked(service, "adopt", str(tmp_path / "jobs")).returncode == 1
        rows = {row["job_id"]: row for row in csv.DictReader(forked(service, "export").stdout.splitlines())}
        assert rows[adopted]["status"] == rows[done]["status"] == "completed"
        assert len(rows) == 3 + len(list((ROOT / "data" / "examples").glob("????????")))
        assert forked(service, "cancel", "00000000").returncode == 1
        assert forked(service, "cancel", done).returncode == 1
        canceled = forked(service, "cancel", long)
        assert canceled.returncode == 0, canceled.stderr
        if not serving:
            shutil.rmtree(service.folder / "index")
            assert "3 jobs indexed" in forked(service, "reindex").stdout
            write_json(service.jobs / done / RECORD, {**service.record(done), "finished_at": "2020-01-01T00:00:00Z"})
            assert forked(service, "prune").stdout.split() == [done, "1", "jobs", "removed"]
            assert not (service.jobs / done).exists()
            service.start()
        assert service.ended(long)["status"] == "canceled"
        assert living(service.jobs / long) == []
        body = service.job(adopted)
        assert (body["source"], body["status"], body["has_results"]) == ("cli", "completed", True)
        assert (by_hand / layout.MANIFEST).exists()


def test_a_second_service_and_a_wrong_setting_are_refused_by_name(tmp_path: Path) -> None:
    with LiveService(tmp_path, quick=True) as service:
        second = operate(service)
        assert second.returncode == 1
        assert "another service uses" in second.stderr
    service.environment["TETHERMAP_MAX_BATCH"] = "many"
    refused = operate(service)
    assert refused.returncode == 2
    assert "TETHERMAP_MAX_BATCH" in refused.stderr
    assert "Traceback" not in refused.stderr + second.stderr


def test_address_in_use_is_refused_by_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SettingsError, match=f"can't listen on 127.0.0.1, port {port} .*: set TETHERMAP_PORT"):
            _check_address("127.0.0.1", port)
    _check_address("127.0.0.1", port)
