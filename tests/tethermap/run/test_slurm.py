from pathlib import Path

import pytest

from tethermap.run.slurm import cancel_slurm_jobs, never_starting


def test_without_slurm_no_job_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cancel_slurm_jobs(tmp_path)


@pytest.mark.parametrize(
    ("reason", "lasts"),
    [
        ("BadConstraints", True), ("QOSMaxWallDurationPerJobLimit", True), ("AssocMaxMemPerJob", True),
        ("AccountNotAllowed", True), ("Priority", False), ("QOSMaxJobsPerUserLimit", False), ("Resources", False),
    ],
)  # fmt: skip
def test_jobs_that_the_cluster_never_starts_are_reported_with_its_reason(
    reason: str, lasts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, answer in {"squeue": f"1|{reason}|10:00|main|{tmp_path}", "sinfo": ""}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [f"({reason})" in sentence for sentence in never_starting(tmp_path)] == [True] * lasts


def test_jobs_longer_than_their_partition_allows_are_reported_with_both_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = f"1|PartitionTimeLimit|2:00:00|main|{tmp_path}\n2|Resources|10:00|main|{tmp_path}\n3|None|2:00|main|/other"
    for name, answer in {"squeue": queue, "sinfo": "1:00:00"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (sentence,) = never_starting(tmp_path)
    assert sentence.startswith(
        "The cluster starts no job with a time limit of 2:00:00 in partition main, which allows 1:00:00:"
    )
    assert "resources.runtime" in sentence
