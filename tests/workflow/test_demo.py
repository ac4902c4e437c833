"""The demo job for a user: results, records, progress, and no work the second time."""

import getpass
import os
import platform
import re
import shutil
from pathlib import Path

from tests.tools.runs import ARCHIVE_IDS, LOCAL, ROOT, JobRun, result_files, run_job, settings_in
from tethermap.base import layout
from tethermap.run.events import read_events


def test_demo_keeps_the_ligands_of_three_entries_and_has_a_status_for_each(demo: JobRun) -> None:
    rows = demo.checked().rows(layout.RESULTS_DISPLAY)
    assert {("1hpv", "478"), ("4cup", "ZYB"), ("1gbt", "GBS")} <= {(row["pdb_id"], row["Warhead"]) for row in rows}
    assert sorted(row["pdb_id"] for row in demo.rows(layout.ENTRY_STATUS)) == list(ARCHIVE_IDS)


def test_files_named_by_make_demo_exist(demo: JobRun) -> None:
    told = re.findall(r"\$\(DEMO\)/(\S+?)'? ", (ROOT / "Makefile").read_text(encoding="utf-8").replace("'\n", "' "))
    assert len(told) >= 2
    assert [path for path in told if not (demo.checked().job / path).exists()] == []


def test_results_contain_no_path_and_no_name_of_this_machine(demo: JobRun) -> None:
    job = demo.checked().job
    names = [str(ROOT), str(job.parent), platform.node(), f"/{getpass.getuser()}/"]
    secrets = [name.encode() for name in names]
    for name in (*result_files(job), layout.JOB_LOG):
        text = (job / name).read_bytes()
        assert not [word for word in secrets if len(word) > 3 and word in text], name


def test_events_describe_the_complete_run_without_the_logger_plugin(demo: JobRun) -> None:
    events = list(read_events(demo.checked().job / layout.EVENTS))
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"]) for event in events)
    kinds = [event["event"] for event in events]
    assert kinds[0] == "run_started"
    assert "unreadable" not in kinds
    last = [event for event in events if event["event"] == "entries"][-1]
    assert (last["found"], last["done"], last["kept"] + last["rejected"]) == (5, 5, 5)
    finished = {event["rule"] for event in events if event["event"] == "job_finished"}
    assert {"search_entries", "measure_sasa", "finish_job"} <= finished


def test_job_log_is_readable(demo: JobRun) -> None:
    text = (demo.checked().job / layout.JOB_LOG).read_text(encoding="utf-8")
    assert "run started" in text
    assert "measuring exposure and exits, shard 0: done in" in text
    assert "5 found" in text


def test_progress_is_shown_by_entry(demo: JobRun) -> None:
    assert re.search(r"Tethermap: 5 entries found, 5 done \(\d kept, \d rejected\); complete", demo.checked().errors)
    assert demo.messages[-1].startswith(f"Tethermap: results are in {demo.job.resolve() / layout.RESULTS};")


def test_every_rule_has_left_a_log_and_nothing_half_written(demo: JobRun) -> None:
    logs = demo.checked().job / layout.RULE_LOGS
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    rules = set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE)) - {"all", "write_protac_inputs"}
    assert {path.relative_to(logs).parts[0].removesuffix(".log") for path in logs.rglob("*.log")} == rules
    assert not list(demo.job.rglob("*.part"))


def test_second_run_of_a_job_that_was_moved_does_nothing(demo: JobRun, tmp_path: Path) -> None:
    job = shutil.copytree(demo.checked().job, tmp_path / "elsewhere")

    def times() -> dict[Path, int]:
        files = (path for path in job.rglob("*") if path.is_file() and ".snakemake" not in str(path))
        return {path: path.stat().st_mtime_ns for path in files if path != job / layout.EVENTS}

    before = times()
    again = run_job(job, settings_in(job)).checked()
    assert times() == before
    assert "Nothing to be done" in again.errors


def test_profile_with_the_logger_plugin_gives_the_same_results(demo: JobRun, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'scripts'}"}
    run = run_job(tmp_path / "job", settings_in(demo.checked().job), *LOCAL, environment=environment).checked()
    assert result_files(run.job) == result_files(demo.job)
    others = [line for line in run.errors.splitlines() if not line.startswith(("Tethermap: ", "Using profile"))]
    assert others == []
    assert next(read_events(run.job / layout.EVENTS))["event"] == "run_started"


def test_dry_run_leaves_no_trace(demo: JobRun, tmp_path: Path) -> None:
    run = run_job(tmp_path / "job", settings_in(demo.checked().job), "--dry-run").checked()
    assert [path.name for path in run.job.iterdir()] == [".snakemake"]
