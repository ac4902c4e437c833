"""Whole runs against the stand-in of the RCSB services, with faults."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.standin import StandIn
from tests.tools.runs import LOCAL, JobRun, job_of
from tethermap.base import layout

Runner = Callable[..., JobRun]
RCSB = {"kind": "rcsb"}
SETTINGS = job_of("BAZ2B", "4CUP 1GBT 1A8O 1OLD zebra", RCSB)


@pytest.fixture
def standin(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn(archive, {"1old": ("4zhl",)}) as running:
        running.use(monkeypatch)
        yield running


def test_a_run_through_faults_succeeds_and_a_second_one_downloads_only_the_missing_files(
    job_runner: Runner, standin: StandIn
) -> None:  # fmt: skip
    standin.fault("search", "status", status=429, retry_after="0", times=1)
    standin.fault("data", "html", times=1)
    standin.fault("files", "cut", entry="4cup", times=2)
    standin.fault("files", "status", entry="1a8o", status=503)
    for service in ("files", "pdbe"):
        standin.fault(service, "cut_gzip" if service == "files" else "html", entry="1gbt")
    first = job_runner(SETTINGS, *LOCAL, name="first").checked()
    rows = {row["pdb_id"]: row for row in first.rows(layout.ENTRY_STATUS)}
    assert {name: row["reason"] for name, row in rows.items()} == {
        "4cup": "kept", "1gbt": "file_truncated", "1a8o": "only_polymer_residues", "4zhl": rows["4zhl"]["reason"],
    }  # fmt: skip
    assert (rows["4zhl"]["requested_id"], rows["4zhl"]["successor"]) == ("1old", "4zhl")
    assert (rows["4cup"]["source"], rows["1a8o"]["source"]) == ("rcsb", "pdbe")
    assert (standin.count("files", "4cup"), standin.count("files", "1gbt"), standin.count("pdbe", "1gbt")) == (3, 5, 5)
    standin.reset()
    second = job_runner(SETTINGS, *LOCAL, name="second").checked()
    assert (standin.count("files"), standin.count("files", "1gbt")) == (1, 1)
    rows = {row["pdb_id"]: row for row in second.rows(layout.ENTRY_STATUS)}
    assert rows["1gbt"]["reason"] == "kept"


def test_an_unreachable_service_ends_the_run_with_one_sentence(job_runner: Runner, standin: StandIn) -> None:
    standin.fault("search", "refuse")
    run = job_runner(job_of("EGFR", source=RCSB))
    assert run.status == 1
    assert "Traceback" not in run.errors
    error = json.loads((run.job / layout.ERROR).read_text())
    assert (error["kind"], error["step"]) == ("upstream", "search_entries")
    assert "RCSB's search service" in error["message"]
