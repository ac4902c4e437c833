"""The same job gives the same bytes after any division, interruption or in parallel with another."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from tests.tools.runs import LOCAL, JobRun, RunningJob, difference, result_files
from tethermap.base import layout
from tethermap.run.events import read_events


def test_results_do_not_depend_on_the_number_of_shards(
    demo: JobRun, demo_settings: dict[str, Any], job_runner: Callable[..., JobRun]
) -> None:
    """Nor do more jobs cost more than their own time with our profile: waiting jobs are checked when one has ended.

    With a limit of new jobs in a second, which Snakemake has by default, it does so every second, once for each job
    that has ended.
    """
    run = job_runner({**demo_settings, "shards": {"entries_per_shard": 1}}, *LOCAL, "--verbose").checked()
    assert len(layout.shard_folders(run.job)) == 5
    ours, theirs = result_files(run.job), result_files(demo.job)
    assert set(difference(ours, theirs)) <= {layout.JOB_CONFIG, layout.MANIFEST}
    lines = run.errors.splitlines()
    ended = sum(line.startswith("Finished jobid: ") for line in lines)
    assert ended == 35
    assert sum(line.startswith("Ready jobs: ") for line in lines) <= ended


def test_two_simultaneous_jobs_share_one_cache_and_print_as_little_as_requested(
    demo: JobRun, demo_settings: dict[str, Any], tmp_path: Path
) -> None:
    settings = {**demo_settings, "cache_dir": str(tmp_path / "cache")}
    quiet = {"one": ("--quiet",), "two": ("--quiet", "all")}
    jobs = [RunningJob(tmp_path / name, settings, *arguments, cores=1) for name, arguments in quiet.items()]
    for run in [job.wait().checked() for job in jobs]:
        assert difference(result_files(run.job), result_files(demo.checked().job)) == []
        assert (run.output, run.messages) == ("", [])
        assert next(read_events(run.job / layout.EVENTS))["event"] == "run_started"
    assert run.errors == ""


def test_freesasa_engine_gives_the_results_of_the_kernel_and_its_name(
    demo: JobRun, demo_settings: dict[str, Any], job_runner: Callable[..., JobRun]
) -> None:
    run = job_runner({**demo_settings, "sasa": {"engine": "freesasa"}}, *LOCAL).checked()
    ours, theirs = result_files(run.job), result_files(demo.checked().job)
    naming = set(difference(ours, theirs)) - {layout.JOB_CONFIG, layout.MANIFEST, layout.REPORT, layout.CRATE}
    assert {layout.SASA_SUMMARY, layout.LIGANDS_SDF} < naming
    typed = {path for path in naming if path.endswith(".parquet")}
    for path in typed:
        ours_typed, theirs_typed = (duckdb.sql(f"FROM '{job / path}'").fetchall() for job in (run.job, demo.job))
        renamed = [tuple({"freesasa": "kernel"}.get(str(cell), cell) for cell in row) for row in ours_typed]
        assert renamed == theirs_typed
    for path in naming - typed:
        ours_text, theirs_text = ((job / path).read_text(encoding="utf-8") for job in (run.job, demo.job))
        renamed_text = ours_text.replace("engine freesasa", "engine kernel").replace(",freesasa,", ",kernel,")
        assert renamed_text == theirs_text
    assert "engine freesasa" in (run.job / layout.REPORT).read_text(encoding="utf-8")


def test_files_that_killed_writers_left_are_cleared_away(
    demo_settings: dict[str, Any], job_runner: Callable[..., JobRun], tmp_path: Path
) -> None:
    job = tmp_path / "job"
    ours = [job / path for path in (layout.RESULTS_DISPLAY_LINK, layout.MANIFEST, layout.REPORT, layout.JOB_LOG)]
    theirs = job / "job.json"  # a service writes into the job folder too
    left = [path.with_name(f".{path.name}.1.0123abcd.part") for path in (*ours, theirs)]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    job_runner({**demo_settings, "search_query": "1HPV"}, *LOCAL).checked()
    assert [path for path in left if path.exists()] == left[-1:]
