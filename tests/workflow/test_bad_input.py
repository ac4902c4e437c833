"""Bad input ends as a status row or as one clear sentence, never as a traceback or a lost file."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.disks import small_disk as small_disk_at
from tests.tools.runs import LOCAL, ROOT, JobRun, job_of, result_files, run_job
from tethermap.base import layout

Runner = Callable[..., JobRun]


def refusal(run: JobRun) -> str:
    """Return the one sentence with which a run was refused."""
    assert run.status == 1
    assert "Traceback" not in run.errors
    (message,) = (line for line in run.messages if "entries found" not in line and line != "Tethermap: searching")
    return message.removeprefix("Tethermap: ")


def test_odd_target_name_is_kept_and_unknown_entry_has_a_status_row(job_runner: Runner, tmp_path: Path) -> None:
    name = f"-rf ../x $(touch x); touch x # {{shard}} 😀 {'x' * 150}"
    run = job_runner(job_of(name, "4CUP", filters={"entries": ["4cup", "9zzz"]}), *LOCAL).checked()
    rows = run.rows(layout.RESULTS_DISPLAY)
    assert [row["Target"] for row in rows] == [name] * len(rows) != []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "job", "job.yaml"]
    assert not list(tmp_path.rglob("x"))
    reasons = {row["pdb_id"]: row["reason"] for row in run.rows(layout.ENTRY_STATUS)}
    assert reasons == {"4cup": "kept", "9zzz": "not_found"}


@pytest.mark.parametrize(
    ("name", "query", "note"),
    [("Nosuchprotein", "nosuchword", "Nothing was found for"), ("HIV-1 protease", "P07900", "No entry of P07900 here")],
)
def test_query_that_finds_nothing_ends_well_with_empty_tables(
    job_runner: Runner, name: str, query: str, note: str
) -> None:
    run = job_runner(job_of(name, query), *LOCAL).checked()
    assert run.rows(layout.RESULTS_DISPLAY) == run.rows(layout.ENTRY_STATUS) == []
    assert note in (run.job / layout.JOB_LOG).read_text(encoding="utf-8")
    assert (run.job / layout.REPORT).is_file()
    manifest = json.loads((run.job / layout.MANIFEST).read_text(encoding="utf-8"))
    assert (manifest["has_results"], manifest["self_check"]["passed"]) == (False, True)
    assert run.messages[-1].startswith("Tethermap: no results; all reasons are listed in ")


@pytest.mark.parametrize("arguments", [(), LOCAL], ids=["plain", "local profile"])
def test_missing_mirror_is_named_with_the_remedy(
    job_runner: Runner, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    missing = tmp_path / "no such mirror"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "scripts")))
    run = job_runner(job_of("x", source={"mirror": str(missing)}), *arguments, environment={"PYTHONPATH": path})
    message = refusal(run)
    assert str(missing) in message
    assert "source.mirror" in message
    assert json.loads((run.job / layout.ERROR).read_text())["step"] == "search_entries"
    if arguments:  # nothing else on the terminal
        assert [line for line in run.errors.splitlines() if not line.startswith(("Tethermap: ", "Using profile"))] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few hundred kilobytes; only root can make one."""
    with small_disk_at(tmp_path / "disk", 1000 << 10) as disk:
        yield disk


def test_full_disk_is_reported_in_one_sentence_and_the_job_continues_when_there_is_room(
    small_disk: Path, tmp_path: Path, demo: JobRun, demo_settings: dict[str, Any]
) -> None:
    settings = {**demo_settings, "cache_dir": str(tmp_path / "cache")}
    full = run_job(small_disk / "job", settings)
    assert refusal(full) == "The disk of the job folder is full: free some space and run the job again."
    assert full.errors.splitlines()[-1].startswith("Tethermap: ")
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    run_job(small_disk / "job", settings, "--unlock")
    again = run_job(small_disk / "job", settings, *LOCAL).checked()
    assert result_files(again.job) == result_files(demo.checked().job)


def test_unknown_setting_is_refused_before_anything_runs(job_runner: Runner) -> None:
    run = job_runner({"target_name": "x", "search_query": "x", "sources": {}})
    assert refusal(run).startswith("sources is not a setting")
    assert not (run.job / layout.SEARCH_ENTRIES).exists()


def test_changed_settings_are_rejected_by_name_and_forced_they_give_the_results_of_a_new_folder(
    demo: JobRun, demo_settings: dict[str, Any], job_runner: Runner, tmp_path: Path
) -> None:
    shutil.copytree(demo.checked().job, tmp_path / "used")
    changed = {**demo_settings, "search_query": "4CUP", "sasa": {"probe_radius": 1.5}}
    refused = refusal(job_runner({**demo_settings, "sasa": {"probe_radius": 1.5}}, name="used"))
    assert "other settings of sasa.probe_radius" in refused
    used = job_runner({**changed, "force": True}, *LOCAL, name="used").checked()
    assert json.loads((used.job / layout.JOB_CONFIG).read_text())["sasa"]["probe_radius"] == 1.5
    new = job_runner(changed, *LOCAL, name="new").checked()
    assert result_files(used.job) == result_files(new.job)
