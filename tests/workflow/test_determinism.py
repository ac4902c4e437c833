"""The same job gives the same bytes however it is divided, interrupted or run beside another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.lib import layout
from tests.tools.runs import ARCHIVE_IDS, JobRun, RunningJob, difference, result_files, run_job


@pytest.mark.parametrize(("per_shard", "shards", "cores"), [(5, 1, 1), (2, 3, 2), (1, 5, 2)])
def test_results_do_not_depend_on_shards_and_cores(
    demo: JobRun, demo_settings: dict[str, Any], tmp_path: Path, per_shard: int, shards: int, cores: int
) -> None:
    settings = {**demo_settings, "cache_dir": str(tmp_path / "cache"), "shards": {"entries_per_shard": per_shard}}
    run = run_job(tmp_path / "job", settings, cores=cores).checked()
    assert len(layout.shard_folders(run.job)) == shards
    ours, theirs = result_files(run.job), result_files(demo.job)
    different = difference(ours, theirs)
    assert [path for path in different if path not in (layout.JOB_CONFIG, layout.MANIFEST)] == []


@pytest.fixture(scope="module")
def fourteen(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, str]]:
    """Run a job on the 14 smallest entries of the mirror and return its result files."""
    folder = tmp_path_factory.mktemp("fourteen")
    sizes = {path.name.partition(".")[0]: path.stat().st_size for path in sorted(mirror.iterdir())}
    entries = sorted(sizes, key=lambda entry: (sizes[entry], entry))[:14]
    settings = {
        "target_name": "Fourteen",
        "search_query": "",
        "source": {"kind": "mirror", "mirror": str(mirror)},
        "filters": {"entries": entries},
        "cache_dir": str(folder / "cache"),
    }

    def run(per_shard: int, cores: int) -> dict[str, str]:
        job = folder / f"{per_shard}-{cores}"
        done = run_job(job, {**settings, "shards": {"entries_per_shard": per_shard}}, cores=cores).checked()
        assert len(layout.shard_folders(done.job)) == -(-14 // per_shard)
        files = result_files(done.job)
        return {path: digest for path, digest in files.items() if path not in (layout.JOB_CONFIG, layout.MANIFEST)}

    return run


def test_one_three_and_seven_shards_on_one_and_two_cores_give_the_same_bytes(
    fourteen: Callable[..., dict[str, str]],
) -> None:
    expected = fourteen(14, 1)
    for per_shard in (14, 5, 2):
        for cores in (1, 2):
            assert difference(fourteen(per_shard, cores), expected) == []


def test_two_jobs_at_once_share_one_cache(demo: JobRun, demo_settings: dict[str, Any], tmp_path: Path) -> None:
    settings = {**demo_settings, "cache_dir": str(tmp_path / "cache")}
    jobs = [RunningJob(tmp_path / name, settings, cores=1) for name in ("one", "two")]
    for run in [job.wait().checked() for job in jobs]:
        assert difference(result_files(run.job), result_files(demo.checked().job)) == []


def test_files_that_killed_writers_left_are_cleared_away(demo_settings: dict[str, Any], tmp_path: Path) -> None:
    job = tmp_path / "job"
    ours = [job / path for path in (layout.RESULTS_DISPLAY_LINK, layout.MANIFEST, layout.REPORT, layout.JOB_LOG)]
    theirs = job / "job.json"  # a service writes into the job folder too
    left = [path.with_name(f".{path.name}.1.0123abcd.part") for path in (*ours, theirs)]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    settings = {**demo_settings, "search_query": "1HPV", "cache_dir": str(tmp_path / "cache")}
    run_job(job, settings).checked()
    assert [path for path in left if path.exists()] == left[-1:]


def test_job_folder_can_be_moved(demo: JobRun, demo_settings: dict[str, Any], tmp_path: Path) -> None:
    settings = {**demo_settings, "cache_dir": str(tmp_path / "cache")}
    run_job(tmp_path / "here", settings).checked()
    (tmp_path / "here").rename(tmp_path / "there")
    again = run_job(tmp_path / "there", settings).checked()
    assert "Nothing to be done" in again.errors
    assert difference(result_files(again.job), result_files(demo.checked().job)) == []


def test_archive_has_the_entries_that_the_demo_names(archive: Path, demo_settings: dict[str, Any]) -> None:
    named = sorted(word.lower() for word in demo_settings["search_query"].split())
    assert named == list(ARCHIVE_IDS)
    assert {path.name.partition(".")[0] for path in archive.iterdir()} >= set(ARCHIVE_IDS)
