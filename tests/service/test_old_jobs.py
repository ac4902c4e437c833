"""Jobs of earlier versions are shown: every reading route responds, with any missing tables and columns."""

import csv
import json
import re
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from starlette.testclient import TestClient

from service.app import endpoints
from service.jobs.outcome import record_of_folder, result_rows
from service.jobs.record import RECORD
from service.results.tables import Database
from tests.service.core import local
from tests.tools.runs import ROOT, unpacked
from tethermap.base import layout, tables
from tethermap.base.contexts import CONTEXTS

VERSIONS = {"old00001": "0.1.0-first", "old00002": "0.1.0-last", "old00003": "0.2.0"}
"""Jobs of one entry as the first and the last commit of version 0.1 and version 0.2 made them."""

STEM = "4cup_A_ZYB_2971"
VALUES = {
    "pdb_id": "4cup", "chain": "A", "ligand": "ZYB", "name": f"{STEM}.pdb", "stem": STEM, "version": "0",
    "path:path": f"TARGET_RESULTS/MCS_Output/MCS_SDF/{STEM}.sdf",
    "batch_id": "batch_00000000", "upload_id": "upload_0000000000000000", "task_id": "clean_complexes",
}  # fmt: skip
INSTANCE = "pdb_id=4cup&chain=A&ligand=ZYB"
QUERIES = {
    "/api/jobs/{job_id}/exit-vectors": ("", f"?{INSTANCE}&top=3"),
    "/api/jobs/{job_id}/answers": ("", "?ligand=ZYB&top=1", "?target=WALP4&columns=Warhead&limit=1"),
    "/api/jobs/{job_id}/sasa/available": ("?pdb_id=4cup",),
    "/api/jobs/{job_id}/sasa/atoms": tuple(
        f"?pdb_id=4cup&chain=A&residue_id=2971&context={context}" for context in CONTEXTS
    ),
    "/api/jobs/{job_id}/sasa/residue_for_ligand": (f"?{INSTANCE}",),
    "/api/jobs/{job_id}/handles": (f"?stem={STEM}", f"?stem={STEM}&anchor={{anchor}}"),
    "/api/jobs/{job_id}/protac-inputs": (f"?stem={STEM}&anchor={{anchor}}",),
    "/api/jobs/{job_id}/download": ("", f"?stem={STEM}"),
    "/api/jobs/{job_id}/rows": tuple(f"?table={name}{rest}" for name in ("results", "atoms", "metadata", "entries",
        "ligands", "exits", "contacts", "answers", "observed", "consensus") for rest in ("", "&format=csv")),
    "/results/{job_id}": ("", f"?row={STEM}", "?series=S001", "?sort=-exposure", "?q=4cup&fit=good"),
    "/results/{job_id}/table": ("", "?ligand=ZYB&sort=-exposure", "?flag=none"),
    "/results/{job_id}/table.csv": ("", "?columns=entry,ligand,exposure"),
    "/results/{job_id}/instance": (f"?row={STEM}", f"?row={STEM}&context=crystal"),
    "/results/{job_id}/series": ("?series=S001",),
    "/results/{job_id}/overlay": (f"?stem={STEM}",),
    "/results/{job_id}/picture/{stem}": ("", "?style=exits&exits={anchor}"),
    "/api/compare": ("?a={job_id}&b=exam4cup", "?a=exam1hpv&b={job_id}"),
    "/compare": ("?a={job_id}&b=exam4cup", "?a=exam1hpv&b={job_id}"),
    "/api/degraders": (
        f"?a={{job_id}}&a_stem={STEM}&a_anchor={{anchor}}&b_smiles=c1ccccc1O%5B*%5D&limit=2", "?a={job_id}&b={job_id}",
    ),
    "/api/degraders/halves": ("?smiles=CC(%3DO)NCCOCCOc1ccccc1&a={job_id}",),
    "/degraders": ("?a={job_id}", "?a={job_id}&b=exam1hpv"),
    "/browse": ("", "?protein=BAZ2B"),
    "/": ("?from={job_id}",),
}  # fmt: skip
"""Queries that make a route read the job, in addition to the empty one."""


def anchor_of(job: Path) -> str:
    """Return the first ranked anchor of a job's ligand."""
    with (job / layout.EXIT_VECTORS).open(newline="") as stream:
        return next(row["anchor_atom"] for row in csv.DictReader(stream) if row["rank"] == "1")


def urls(job_id: str, anchor: str) -> Iterator[str]:
    """Yield addresses of all routes that read, for one job."""
    for endpoint in endpoints():
        if endpoint.method == "GET":
            for query in QUERIES.get(endpoint.path, ("",)):
                yield re.sub(
                    r"\{([\w:]+)\}",
                    lambda match: {**VALUES, "job_id": job_id, "anchor": anchor}[match[1]],
                    endpoint.path + query,
                )


def unpack(name: str, folder: Path) -> None:
    """Unpack a job folder of an earlier version, and write its record."""
    unpacked(f"jobs/{name}", folder)
    record = record_of_folder(folder, folder.name, "cli", sequence=1)
    (folder / RECORD).write_text(json.dumps(asdict(record)))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service with a job of each earlier version."""
    folder = tmp_path_factory.mktemp("old")
    for job_id, name in VERSIONS.items():
        unpack(name, folder / "jobs" / job_id)
    examples = (ROOT / "data/examples",)
    with local(folder, examples_dirs=examples) as asked:
        assert asked.get("/api/jobs/old00001").status_code == 200  # waits until all jobs are known
        yield asked


@pytest.mark.parametrize("job_id", VERSIONS)
def test_every_route_answers_over_a_job_of_an_earlier_version(client: TestClient, job_id: str) -> None:
    jobs = client.app.state.shared.parts.settings.jobs_dir  # type: ignore[attr-defined]
    answers = {url: client.get(url) for url in urls(job_id, anchor_of(jobs / job_id))}
    statuses = {url: answer.status_code for url, answer in answers.items()}
    assert {url: status for url, status in statuses.items() if status >= 500} == {}
    shown = {f"/results/{job_id}", f"/monitor/{job_id}", f"/api/jobs/{job_id}/results", f"/api/jobs/{job_id}/bundle",
             f"/results/{job_id}/instance?row={STEM}", f"/api/jobs/{job_id}/exit-vectors"}  # fmt: skip
    assert {url: statuses[url] for url in shown} == dict.fromkeys(shown, 200)
    for url in (f"/results/{job_id}/partners/{STEM}", f"/api/jobs/{job_id}/handles?stem={STEM}"):
        assert (statuses[url], "of another version" in answers[url].text) == (404, True), url
    assert client.get(f"/api/jobs/{job_id}").json()["results_row_count"] == 1
    assert client.get("/api/indexed-jobs", params={"query": "BAZ2B"}).json()["total"] >= 1


def test_columns_that_a_file_lacks_are_empty_and_not_listed(client: TestClient) -> None:
    (row,) = client.get("/api/jobs/old00001/rows").json()["rows"]
    assert {"protein", "site"} & set(row) == set()
    job = client.app.state.shared.parts.store.folder("old00001")  # type: ignore[attr-defined]
    (read,) = Database().of(job).rows(tables.RESULTS_TABLE)
    whole = next(tables.read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE, strict=False))
    assert read["site"] == ""
    assert read == whole
    assert set(read) >= set(tables.RESULTS_TABLE.names)
    with pytest.raises(KeyError):
        read["no such column"]


NAMES = {table.path: table.names for table in tables.RESULT_TABLES if table.path.endswith(".csv")}
ON_DEMAND = ("partners", "handles", "protac-inputs", "degraders")


@settings(
    max_examples=8,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lacking=st.fixed_dictionaries({path: st.none() | st.sets(st.sampled_from(names)) for path, names in NAMES.items()})
)
def test_no_missing_table_or_column_is_an_error_of_the_service(
    client: TestClient, lacking: dict[str, set[str] | None]
) -> None:
    """None for a missing table."""
    jobs = client.app.state.shared.parts.settings.jobs_dir  # type: ignore[attr-defined]
    job = jobs / secrets.token_hex(4)
    shutil.copytree(jobs / "old00003", job)
    for path, names in lacking.items():
        table = job / path
        if names is None or not table.is_file():
            table.unlink(missing_ok=True)
            continue
        with table.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
            header = [name for name in rows[0] if name not in names] if rows else ["stem"]
        with table.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, header, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    record = json.loads((job / RECORD).read_text())
    (job / RECORD).write_text(json.dumps({**record, "job_id": job.name}))
    result_rows(job)
    asked = [url for url in urls(job.name, "C1") if job.name in url and not any(word in url for word in ON_DEMAND)]
    statuses = {url: client.get(url).status_code for url in asked}
    assert {url: status for url, status in statuses.items() if status >= 500} == {}
