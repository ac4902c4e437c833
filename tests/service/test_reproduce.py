"""The response of `/reproduce` is enough to repeat every result, byte for byte."""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.results.reproduce import reproduction
from service.results.tables import Database
from tests.tools.runs import LOCAL, ROOT, difference, result_files, run_job
from tethermap.base import layout, tables

pytestmark = pytest.mark.process

ARCHIVE = ROOT / "data" / "archive"


def _rerun(body: dict[str, Any], folder: Path, **source: str) -> Path:
    """Run a job by hand from an answer of `/reproduce`; return its folder."""
    config = {**body["config"], "cache_dir": str(folder / "cache")}
    config["source"] = {**config["source"], **source}
    return run_job(folder / "again", json.loads(json.dumps(config)), *LOCAL).checked().job


def _compare(body: dict[str, Any], first: Path, again: Path) -> None:
    """Compare all results: only the log may differ, and `outputs` names everything else."""
    before, after = result_files(first), result_files(again)
    ours = {path: digest for path, digest in before.items() if not path.startswith((".service", "job_record"))}
    assert difference(ours, after) == []
    assert {output["path"]: output["sha256"] for output in body["outputs"]} == after
    files = [line for line in body["unpinned"] if ":" in line and "/" in line.partition(":")[0]]
    assert files == [f"{layout.JOB_LOG}: holds times"]


def test_run_by_hand_of_a_job_of_the_service_gives_the_same_bytes(
    http: httpx2.Client, done_job: str, mixed: Path, tmp_path: Path
) -> None:
    body = http.get(f"/api/jobs/{done_job}/reproduce").json()
    assert "<" in body["command"]
    assert sorted(body["config"]["filters"]["entries"]) == [entry["pdb_id"] for entry in body["entries"]]
    _compare(body, mixed, _rerun(body, tmp_path))
    assert body["unpinned"] == [f"{layout.JOB_LOG}: holds times"]


def test_entries_left_out_and_fallbacks_of_a_mirror_are_the_same_again(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    for path in ARCHIVE.rglob("*"):
        if path.name.endswith((".cif.gz", ".ent.gz", ".pdb.gz", ".cif", ".pdb", ".ent")):
            shutil.copyfile(path, mirror / path.name)
    settings = {
        "target_name": "Protease", "search_query": "protease bromodomain 9ZZZ",
        "source": {"kind": "mirror", "mirror": str(mirror), "label": "our mirror"},
        "filters": {"max_entries": 1}, "cache_dir": str(tmp_path / "cache"),
    }  # fmt: skip
    first = run_job(tmp_path / "first", settings, *LOCAL).checked().job
    rows = list(tables.read_table(first / layout.SEARCH_ENTRIES, tables.ENTRIES))
    assert {row["reason"] for row in rows if not row["selected"]} >= {"cut_by_max_entries"}
    body = reproduction(Database().of(first))
    assert body["config"]["source"]["mirror"] == "<mirror>"
    assert body["unpinned"][-1].startswith("source.mirror")
    shutil.move(mirror, tmp_path / "elsewhere")
    _compare(body, first, _rerun(body, tmp_path, mirror=str(tmp_path / "elsewhere")))


def test_rerun_of_a_rerun_starts_from_the_same_search(http: httpx2.Client) -> None:
    recorded = http.get("/api/jobs/exam1gbt/reproduce").json()["config"]["recorded_search"]
    assert recorded["asked"] == []
    assert [row["hits"] for row in recorded["entries"]] == ["named"]
    assert recorded["query"]["totals"]["selected"] == 1
