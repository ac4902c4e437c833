"""Bad input ends as a status row or as one clear sentence, never as a traceback or a lost file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.lib import layout
from scripts.lib.tables import ENTRY_STATUS, RESULTS_TABLE, read_table
from tests.tools.runs import JobRun, result_files

Runner = Callable[..., JobRun]
ARCHIVE = {"kind": "archive"}


def refusal(run: JobRun) -> str:
    """Return the one sentence with which a run was refused."""
    assert run.status == 1
    assert "Traceback" not in run.errors
    (message,) = (line for line in run.messages if "entries found" not in line and line != "Tethermap: searching")
    return message.removeprefix("Tethermap: ")


@pytest.mark.parametrize("name", ["../x", "$(touch x)", "-rf", "x" * 200, "BAZ2B 😀", "{shard}", "a; touch x #"])
def test_odd_target_name_stays_text(job_runner: Runner, tmp_path: Path, name: str) -> None:
    run = job_runner({"target_name": name, "search_query": "4CUP", "source": ARCHIVE}).checked()
    rows = list(read_table(run.job / layout.RESULTS_DISPLAY, RESULTS_TABLE))
    assert [row["Target"] for row in rows] == [name] * len(rows) != []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "job", "job.yaml"]
    assert not list(tmp_path.rglob("x"))


def test_query_that_finds_nothing_ends_well_with_empty_tables(job_runner: Runner) -> None:
    settings = {"target_name": "Nosuchprotein", "search_query": "nosuchword", "source": ARCHIVE}
    run = job_runner(settings).checked()
    assert list(read_table(run.job / layout.RESULTS_DISPLAY, RESULTS_TABLE)) == []
    assert (run.job / layout.REPORT).is_file()
    assert (run.job / layout.MANIFEST).is_file()


def test_unknown_entry_has_a_status_row(job_runner: Runner) -> None:
    settings = {"target_name": "BAZ2B", "search_query": "4CUP", "source": ARCHIVE}
    run = job_runner({**settings, "filters": {"entries": ["4cup", "9zzz"]}}).checked()
    reasons = {row["pdb_id"]: row["reason"] for row in read_table(run.job / layout.ENTRY_STATUS, ENTRY_STATUS)}
    assert reasons == {"4cup": "kept", "9zzz": "not_found"}


def test_missing_mirror_is_named_with_the_remedy(job_runner: Runner, tmp_path: Path) -> None:
    missing = tmp_path / "no such mirror"
    run = job_runner({"target_name": "x", "search_query": "x", "source": {"mirror": str(missing)}})
    message = refusal(run)
    assert str(missing) in message
    assert "source.mirror" in message
    assert json.loads((run.job / layout.ERROR).read_text())["step"] == "search_entries"


def test_unknown_setting_is_refused_before_anything_runs(job_runner: Runner) -> None:
    run = job_runner({"target_name": "x", "search_query": "x", "sources": ARCHIVE})
    assert refusal(run).startswith("sources is not a setting")
    assert not (run.job / layout.SEARCH_ENTRIES).exists()


def test_changed_settings_in_a_used_folder_are_refused_by_name(job_runner: Runner) -> None:
    settings: dict[str, Any] = {"target_name": "BAZ2B", "search_query": "4CUP", "source": ARCHIVE}
    job_runner(settings).checked()
    changed = {**settings, "sasa": {"probe_radius": 1.5}}
    assert "other settings of sasa.probe_radius" in refusal(job_runner(changed))
    forced = job_runner({**changed, "force": True}).checked()
    assert json.loads((forced.job / layout.JOB_CONFIG).read_text())["sasa"]["probe_radius"] == 1.5


def test_forced_settings_give_what_a_new_folder_gives(job_runner: Runner) -> None:
    settings: dict[str, Any] = {"target_name": "BAZ2B", "search_query": "4CUP 1HPV", "source": ARCHIVE}
    changed = {**settings, "search_query": "4CUP", "sasa": {"probe_radius": 1.5}}
    job_runner(settings, name="used").checked()
    used = job_runner({**changed, "force": True}, name="used").checked()
    new = job_runner(changed, name="new").checked()
    assert result_files(used.job) == result_files(new.job)
