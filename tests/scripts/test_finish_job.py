import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.tools.parts import put_rows, rows_of_part
from tests.tools.small_job import SmallJob, small_job
from tethermap.base import layout, tables
from tethermap.base.root import __version__
from tethermap.base.tables import Row, split_cell
from tethermap.results.finish import link
from tethermap.results.manifest import VARYING

FAILED: Row = {"stem": "1abc_A_LIG_9", "passed": False, "value": "1", "detail": "so it is"}


def prepared(job: SmallJob, failed: str = "") -> SmallJob:
    """Write the inputs of the manifest; `failed` names a check that fails for one instance."""
    for shard in job.shards:
        rows: list[Row] = [{"stem": "1abc_A_LIG_9", "check": "formula", "passed": True}] if shard == "0" else []
        checks = [*rows, {**FAILED, "check": failed}] if failed else rows
        put_rows(job.path, shard, "check_results/checks", checks)
        steps = ("clean_complexes", "measure_sasa", "write_protac_inputs")
        files = [row for step in steps for row in rows_of_part(job.path, shard, f"{step}/files")]
        put_rows(job.path, shard, "check_results/files", files)
    return job.run("build_tables")


def written(job: SmallJob) -> dict[str, Any]:
    job.run("finish_job")
    manifest: dict[str, Any] = json.loads((job.path / layout.MANIFEST).read_text(encoding="utf-8"))
    return manifest


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[SmallJob, dict[str, Any]]:
    """A job of one shard and its manifest."""
    job = prepared(small_job(tmp_path_factory.mktemp("job")))
    return job, written(job)


def test_every_result_file_is_listed_with_hash_and_size(finished: tuple[SmallJob, dict[str, Any]]) -> None:
    job, manifest = finished
    listed = {row["path"]: row for row in manifest["files"]}
    there = {
        path.relative_to(job.path).as_posix()
        for path in job.path.rglob("*")
        if path.is_file() and layout.WORK not in path.parts
    }
    assert there == listed.keys() | set(VARYING) | {layout.MANIFEST}
    assert (job.path / layout.RESULTS_DISPLAY_LINK).samefile(job.path / layout.RESULTS_DISPLAY)
    for path, row in listed.items():
        data = (job.path / path).read_bytes()
        assert (row["sha256"], row["bytes"]) == (hashlib.sha256(data).hexdigest(), len(data))


def test_counts_and_shares_are_those_of_the_tables(finished: tuple[SmallJob, dict[str, Any]]) -> None:
    job, manifest = finished
    counts = manifest["counts"]
    heads = len(list(job.path.rglob("*_head_*.sdf")))
    assert (counts["entries_found"], counts["entries_kept"], counts["instances_kept"]) == (4, 3, 5)
    assert (counts["components_kept"], counts["series"], counts["files"]["sdf"]) == (3, 1, 6 + heads)
    assert manifest["rejections"] == {"entries": {"cut_by_max_entries": 1}, "ligands": {"kind_not_kept": 3}}
    assert manifest["bond_sources"] == {"dictionary": {"instances": 5, "share": 1.0}}
    assert manifest["has_results"] is True
    assert manifest["pipeline"]["version"] == __version__
    assert manifest["versions"]["rdkit"]


def test_manifest_does_not_depend_on_the_shards(finished: tuple[SmallJob, dict[str, Any]], tmp_path: Path) -> None:
    other = prepared(small_job(tmp_path, n_shards=3))
    written(other)
    assert (other.path / layout.MANIFEST).read_bytes() == (finished[0].path / layout.MANIFEST).read_bytes()


def test_a_file_system_without_links_gets_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_link(*_: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", no_link)
    (tmp_path / "a").write_text("x")
    link(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x"


def test_files_of_an_earlier_run_are_removed_and_nothing_else(tmp_path: Path) -> None:
    job = prepared(small_job(tmp_path))
    old = job.path / layout.war_pdb("9old_A_LIG_1")
    elsewhere = tmp_path / "elsewhere.pdb"
    notes = job.path / layout.RESULTS / "notes.txt"
    for path in (old, elsewhere, notes):
        path.write_text("x")
    (job.path / layout.WAR_PDB / "link.pdb").symlink_to(elsewhere)
    written(job)
    assert not old.exists()
    assert elsewhere.exists()
    assert notes.exists()


def test_inputs_of_an_earlier_run_are_removed_with_their_folders(tmp_path: Path) -> None:
    job = prepared(small_job(tmp_path))
    folder = job.path / layout.PROTAC_FOLDER
    old = [folder / "9old_A_LIG_1" / "prosettac" / "target_head_1.sdf", folder / "1abc_A_LIG_9" / "old.txt"]
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    kept = [path for path in folder.rglob("*") if path.is_file() and path not in old]
    written(job)
    assert [path for path in folder.rglob("*") if path.is_file()] == kept
    assert not (folder / "9old_A_LIG_1").exists()


def test_a_check_that_fails_is_in_the_manifest(tmp_path: Path) -> None:
    check = written(prepared(small_job(tmp_path), failed="bonds"))["self_check"]
    assert check["passed"] is False
    assert check["failures"] == [{"stem": "1abc_A_LIG_9", "check": "bonds", "value": "1", "detail": "so it is"}]
    assert check["checks"]["bonds"]["failed"] == 1


@pytest.mark.parametrize("check", ["formula", "bonds", "a_check_without_a_name"])
def test_a_failed_check_marks_its_instance_and_is_reported_once(tmp_path: Path, check: str) -> None:
    job = prepared(small_job(tmp_path), failed=check)
    written(job)
    results = tables.read_table(job.path / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE)
    assert [row["stem"] for row in results if "checks_failed" in split_cell(row["flags"])] == ["1abc_A_LIG_9"]
    assert "1abc_A_LIG_9" in (job.path / layout.REPORT).read_text(encoding="utf-8")
    log = (job.path / layout.JOB_LOG).read_text(encoding="utf-8")
    assert log.count(f"the first is {check} of 1abc_A_LIG_9 (so it is)") == 1


def test_an_entry_lost_on_the_way_is_a_check_that_fails(tmp_path: Path) -> None:
    job = prepared(small_job(tmp_path))
    path = job.path / layout.ENTRY_STATUS
    kept = [row for row in tables.read_table(path, tables.ENTRY_STATUS) if row["pdb_id"] != "2abc"]
    tables.write_table(path, tables.ENTRY_STATUS, kept)
    failures = written(job)["self_check"]["failures"]
    assert [(row["check"], row["detail"]) for row in failures] == [("entry_rows", "2abc")]
