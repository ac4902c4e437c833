"""The crate of a finished job, read back with the library of the format."""

import json
import shutil
from pathlib import Path

import pytest
from rocrate.rocrate import ROCrate

from tests.tools.runs import ROOT
from tethermap.base import layout
from tethermap.results.crate import crate_text

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished job with its crate."""
    job = tmp_path_factory.mktemp("crate") / "job"
    shutil.copytree(ROOT / "data/examples/exam4cup", job)
    for path in (layout.WORKFLOW, layout.JOB_LOG):  # examples of an earlier version have none
        (job / path).parent.mkdir(exist_ok=True)
        (job / path).touch()
    manifest = json.loads((job / layout.MANIFEST).read_text(encoding="utf-8"))
    listed = {row["path"]: row for row in manifest["files"]}
    listed.setdefault(layout.WORKFLOW, {"path": layout.WORKFLOW, "sha256": "0" * 64, "bytes": 0})
    (job / layout.CRATE).write_text(crate_text(manifest["settings"], "2026-05-30", listed), encoding="utf-8")
    return job


def test_the_crate_reads_as_a_workflow_run(job: Path) -> None:
    crate = ROCrate(job)
    root = crate.root_dataset
    assert {profile.id for profile in root["conformsTo"]} == PROFILES
    assert (str(root["datePublished"])[:10], root["mentions"].id) == ("2026-05-30", "#run")
    assert set(crate.mainEntity.type) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert crate.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    run = crate.get("#run")
    assert run["instrument"] == crate.mainEntity
    assert {part.id for part in run["object"]} == {layout.JOB_CONFIG, layout.SEARCH_QUERY}
    made = {part.id for part in run["result"]}
    assert made >= {layout.RESULTS_DISPLAY, layout.EXIT_ANSWERS, layout.REPORT, f"{layout.WAR_PDB}/"}
    assert made == {part.id for part in root["hasPart"]} - {layout.JOB_CONFIG, layout.SEARCH_QUERY, layout.WORKFLOW}


def test_all_files_that_the_crate_names_exist(job: Path) -> None:
    graph = json.loads((job / layout.CRATE).read_text(encoding="utf-8"))["@graph"]
    ids = [entity["@id"] for entity in graph]
    assert len(ids) == len(set(ids))
    for entity in graph:
        kinds = entity["@type"] if isinstance(entity["@type"], list) else [entity["@type"]]
        if entity["@id"] != "./" and {"File", "Dataset"} & set(kinds):
            assert (job / entity["@id"]).exists(), entity["@id"]
    asked: list[object] = [graph]
    while asked:  # every reference leads somewhere
        value = asked.pop()
        if isinstance(value, list):
            asked += value
        elif isinstance(value, dict):
            asked += value.values()
            if set(value) == {"@id"} and not value["@id"].startswith("http"):
                assert value["@id"] in ids, value
