"""Curated examples: shipped ones have the pipeline's bytes, missing ones never fail."""

import re
from pathlib import Path

import httpx2
import pytest

from service.app import endpoints
from service.build_examples import SHIPPED, copy_example, is_built, run_example
from service.jobs.outcome import record_of_folder
from service.results.examples import load_examples
from tests.service.core import settings_in
from tests.tools.runs import difference, result_files, rows_of
from tethermap.base import layout
from tethermap.extras.protac.on_demand import RequestedAnchor, inputs_of_anchor
from tethermap.instance.partners import partners_of
from tethermap.reproduce import differing

pytestmark = pytest.mark.process

EXAMPLES = load_examples()


@pytest.mark.parametrize("job_id", [example.job_id for example in EXAMPLES.values() if example.shipped])
def test_fresh_run_gives_the_bytes_of_the_shipped_example(job_id: str, tmp_path: Path) -> None:
    """In addition it keeps the inputs of responses on demand, and no other working files."""
    run_example(EXAMPLES[job_id], settings_in(tmp_path), tmp_path / "job")
    assert differing(SHIPPED / job_id, tmp_path / "job") == []
    assert is_built(tmp_path / "job", SHIPPED / job_id)
    copy = tmp_path / "copy"
    copy_example(tmp_path / "job", copy)
    assert difference(result_files(tmp_path / "job"), result_files(copy)) == []
    kept = {str(path.relative_to(copy)) for path in (copy / layout.WORK).rglob("*") if path.is_file()}
    assert kept == {layout.archive("0", name) for name in layout.ON_DEMAND}
    for row in rows_of(copy, layout.RESULTS_DISPLAY):
        partners_of(copy, row["stem"])
    for row in rows_of(copy, layout.EXIT_VECTORS):
        if row["rank"] == "1":
            assert inputs_of_anchor(RequestedAnchor(copy, row["stem"], row["anchor_atom"]))


def test_three_are_shipped_and_five_are_built_from_a_mirror() -> None:
    assert sorted(example.shipped for example in EXAMPLES.values()) == [False] * 5 + [True] * 3
    for example in EXAMPLES.values():
        assert (SHIPPED / example.job_id).is_dir() == example.shipped
        if example.shipped:
            assert record_of_folder(SHIPPED / example.job_id, example.job_id, "example").artifacts["sdf"] > 0


FIELDS = {
    "job_id", "label", "protein", "search_query", "use_case", "available", "has_results", "status", "status_reason",
    "api_curl", "browser_url", "page_url", "bundle_url", "files_url", "job_url", "counts", "key_outputs", "links",
    "urls", "what_you_can_do",
}  # fmt: skip


def test_records_have_all_fields_and_their_urls_work(http: httpx2.Client) -> None:
    body = http.get("/api/examples").json()
    assert [example["job_id"] for example in body["examples"]] == list(EXAMPLES)
    for example in body["examples"]:
        assert example.keys() == FIELDS
        base = f"/api/examples/{example['job_id']}"
        assert example["job_url"] == example["urls"]["metadata"] == example["links"]["metadata"] == f"{base}/metadata"
        assert example["links"].keys() == {
            "api_docs", "artifacts", "bundle", "files", "metadata", "metadata_legacy", "page", "results", "war_pdbs",
            "war_pdbs_zip",
        }  # fmt: skip
        assert example["urls"].keys() == {
            "artifacts", "browser", "bundle", "files", "metadata", "page", "war_pdbs", "war_pdbs_zip",
        }  # fmt: skip
        for url in {*example["links"].values(), *example["urls"].values()}:
            assert http.get(url).status_code == 200, url
    whole = http.get("/api/examples/exam1hpv").json()
    assert whole == http.get("/api/examples/exam1hpv/metadata").json()
    assert whole["files_count"] == http.get("/api/examples/exam1hpv/files").json()["total"]
    assert whole["counts"]["war_pdb_count"] == 1


MISSING = {endpoint.path: endpoint for endpoint in endpoints() if endpoint.reads_job and endpoint.method == "GET"}


@pytest.mark.parametrize("path", sorted(MISSING))
def test_configured_example_without_results_answers_200_everywhere(http: httpx2.Client, path: str) -> None:
    url = re.sub(r"\{[\w:]+\}", "x.pdb", path.replace("{job_id}", "exambrd4"))
    asked = {"pdb_id": "1abc", "chain": "A", "residue_id": "1", "ligand": "X", "smiles": "CCO"}
    asked |= {"a": "exambrd4", "b": "exambrd4"}
    known = MISSING[path].known_parameters
    answer = http.get(url, params={name: value for name, value in asked.items() if name in known})
    assert answer.status_code == 200
    if path.startswith(("/api/jobs", "/api/examples")):
        body = answer.json()
        assert (body["ok"], body["available"], body["status"]) == (True, False, "unavailable")
        assert body["status_reason"]
        assert body["files"] == []
        assert not any(body["counts"].values())


def test_kind_of_an_id_is_checked_before_its_parameters(http: httpx2.Client) -> None:
    for job_id, status in (("exambrd4", 200), ("00000000", 404), ("exam1hpv", 400)):
        for path in ("files?knid=svg", "artifacts?knid=svg", "files?limit=0"):
            for root in ("/api/examples", "/api/jobs"):
                assert http.get(f"{root}/{job_id}/{path}").status_code == status, (root, job_id, path)


def test_example_is_read_like_a_job(http: httpx2.Client) -> None:
    job = http.get("/api/jobs/exam1gbt").json()
    assert (job["source"], job["status"]) == ("example", "completed")
    atoms = http.get("/api/jobs/exam1gbt/sasa/atoms?pdb_id=1gbt&chain=A&residue_id=704").json()["atoms"]
    assert len(atoms) == 12
    assert http.get("/api/jobs/exam1gbt/reproduce").json()["config"]["filters"]["entries"] == ["1gbt"]
