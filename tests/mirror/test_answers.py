"""The answer per ligand, over all entries: all presentations agree."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import httpx2

from tests.service.core import LiveService
from tests.tools.answers_told import problems_of_answers
from tests.tools.patience import patience
from tests.tools.runs import ROOT, JobRun, Row, rows_of
from tethermap.base import layout

JOB_ID = "a0000527"


def test_api_page_table_report_and_csv_show_the_same_answers(whole: JobRun, kept: list[Row], tmp_path: Path) -> None:
    job = tmp_path / "jobs" / JOB_ID
    shutil.copytree(whole.job, job, copy_function=os.link, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    record = json.loads((ROOT / "data/examples/exam1hpv/job_record.json").read_text(encoding="utf-8"))
    record |= {"job_id": JOB_ID, "source": "api", "target_name": "every entry", "result_rows": len(kept)}
    (job / "job_record.json").write_text(json.dumps(record), encoding="utf-8")
    with (
        LiveService(tmp_path, quick=True) as service,
        httpx2.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=patience(60)) as client,
    ):
        assert list(problems_of_answers(job, JOB_ID, lambda address: client.get(address).text)) == []
    assert len(rows_of(job, layout.EXIT_ANSWERS)) > len(kept) > 500
