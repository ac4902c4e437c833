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


def test_any_ranked_anchor_has_inputs_as_offered(
    http: httpx2.Client, done_job: str, exits: list[dict[str, str]]
) -> None:
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
    assert f"/api/jobs/{done_job}/protac-inputs?stem=" in http.get(f"/results/{done_job}").text


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


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({"anchor": "C1"}, 400, "stem is missing"),
        ({"stem": "x"}, 400, "anchor is missing"),
        ({"stem": "x", "anchor": "C1", "tool": "docking"}, 400, "tool is 'docking'"),
        ({"stem": "1hpv_A_478_200", "anchor": "XX"}, 404, "no atom that a linker could leave from"),
    ],
)
def test_wrong_question_is_refused_with_its_reason(
    http: httpx2.Client, done_job: str, asked: dict[str, str], status: int, says: str
) -> None:
    answer = http.get(f"/api/jobs/{done_job}/protac-inputs", params=asked)
    assert (answer.status_code, says in answer.json()["error"]["message"]) == (status, True), answer.text


def test_ligand_of_a_job_without_working_files_is_offered_none(mixed: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    shutil.copytree(mixed, job, ignore=shutil.ignore_patterns(layout.WORK, ".snakemake"))
    row = next(read_table(job / tables.RESULTS_TABLE.path, tables.RESULTS_TABLE, strict=False))
    copied = Job(RECORD, job, "/api/jobs/00000000", Database().of(job))
    assert instance_view(copied, row, "target")["degrader_archives"] == []
