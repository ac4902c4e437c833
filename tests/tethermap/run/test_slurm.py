from pathlib import Path

import pytest

from tethermap.run.slurm import cancel_slurm_jobs


def test_without_slurm_no_job_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cancel_slurm_jobs(tmp_path)
