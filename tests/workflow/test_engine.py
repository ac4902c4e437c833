"""What Snakemake itself costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.runs import ARCHIVE_IDS, run_job


@pytest.mark.parametrize(("arguments", "limited"), [((), False), (("--max-jobs-per-timespan", "99/1s"), True)])
def test_scheduler_looks_at_waiting_jobs_when_one_has_ended(
    tmp_path: Path, arguments: tuple[str, ...], limited: bool
) -> None:
    """With a limit of new jobs in a second it does so every second, once for each job that has ended."""
    settings = {
        "target_name": "Demo",
        "search_query": "",
        "source": {"kind": "archive"},
        "filters": {"entries": list(ARCHIVE_IDS)},
        "shards": {"entries_per_shard": 1},
    }
    lines = run_job(tmp_path / "job", settings, "--verbose", *arguments).checked().errors.splitlines()
    ended = sum(line.startswith("Finished jobid: ") for line in lines)
    looked = sum(line.startswith("Ready jobs: ") for line in lines)
    assert ended > 30
    assert (looked > ended) is limited
