"""Inputs for programs that model degraders, requested for any ranked anchor of a finished job."""

import io
import shutil
import zipfile
from pathlib import Path

import httpx2
import pytest

from service.pages.instance import instance_view
from service.results.job import Job
from service.results.tables import Database
from tests.service.test_jobs import RECORD
from tests.tools.runs import rows_of
from tethermap.base import layout, tables
from tethermap.base.tables import read_table
from tethermap.extras.protac.programs import tools


@pytest.fixture(scope="module")
def exits(mixed: Path) -> list[dict[str, str]]:
    """Rows of the table of exits of one ligand."""
    rows = rows_of(mixed, layout.EXIT_VECTORS)
    return [row for row in rows if row["stem"] == rows[0]["stem"]]


def test_any_ranked_anchor_has_its_inputs(http: httpx2.Client, done_job: str, exits: list[dict[str, str]]) -> None:
    last = [row for row in exits if row["rank"]][-1]
    asked = {"stem": last["stem"], "anchor": last["anchor_atom"]}
    answer = http.get(f"/api/jobs/{done_job}/protac-inputs", params=asked)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    of_pairs = {"difflinker", "diffprotacs"}
    assert {name.split("/")[0] for name in names if "/" in name} | {"json"} | of_pairs == set(tools())
    alone = http.get(f"/api/jobs/{done_job}/protac-inputs", params={**asked, "tool": "difflinker"})
    assert alone.status_code == 404
    assert "it needs both halves in one frame" in alone.json()["error"]["message"]
    only = http.get(f"/api/jobs/{done_job}/protac-inputs", params={**asked, "tool": "json"})
    assert zipfile.ZipFile(io.BytesIO(only.content)).namelist() == ["exits.json", "fragments.json"]


def test_anchor_that_is_the_same_by_symmetry_has_the_same_inputs(
    http: httpx2.Client, done_job: str, exits: list[dict[str, str]]
) -> None:
    row = next(row for row in exits if row["rank"] and row["anchor_equivalents"])
    like = row["anchor_equivalents"].split(";")[0]
    files = []
    for name in (row["anchor_atom"], like):
        asked = {"stem": row["stem"], "anchor": name, "tool": "json"}
        answer = http.get(f"/api/jobs/{done_job}/protac-inputs", params=asked)
        files.append(zipfile.ZipFile(io.BytesIO(answer.content)).read("exits.json"))
    assert files[0] == files[1]


def test_anchor_without_a_rank_is_refused_with_its_reason(
    http: httpx2.Client, done_job: str, exits: list[dict[str, str]]
) -> None:
    answer = http.get(f"/api/jobs/{done_job}/protac-inputs", params={"stem": exits[0]["stem"], "anchor": "XX"})
    assert answer.status_code == 404
    assert "no atom that a linker could leave from" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"anchor": "C1"}, "MISSING_FIELD"),
        ({"stem": "x"}, "MISSING_FIELD"),
        ({"stem": "x", "anchor": "C1", "tool": "docking"}, "INVALID_PARAMETER"),
    ],
)
def test_wrong_question_is_refused_by_name(
    http: httpx2.Client, done_job: str, asked: dict[str, str], code: str
) -> None:
    answer = http.get(f"/api/jobs/{done_job}/protac-inputs", params=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_page_of_a_ligand_offers_them(http: httpx2.Client, done_job: str) -> None:
    page = http.get(f"/results/{done_job}").text
    assert f"/api/jobs/{done_job}/protac-inputs?stem=" in page


def test_ligand_of_a_job_without_working_files_is_offered_none(mixed: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    shutil.copytree(mixed, job, ignore=shutil.ignore_patterns(layout.WORK, ".snakemake"))
    row = next(read_table(job / tables.RESULTS_TABLE.path, tables.RESULTS_TABLE, strict=False))
    copied = Job(RECORD, job, "/api/jobs/00000000", Database().of(job))
    assert instance_view(copied, row, "target")["degrader_archives"] == []
