import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.standin import StandIn
from tests.tethermap.sources.make import cif_text, settings, write
from tests.tools.parts import rows_of_part, run_step
from tests.tools.runs import ROOT
from tethermap.base import layout
from tethermap.base.errors import UserError
from tethermap.base.reasons import REASONS
from tethermap.base.tables import ENTRIES, SHARD_ENTRIES, Row, Table, write_table
from tethermap.run.progress import ProgressReader


def _entries(path: Path, ids: list[str], table: Table) -> None:
    rows: list[Row] = [
        {"rank": rank, "pdb_id": name, "requested_id": name, "selected": True, "successor": ""}
        for rank, name in enumerate(ids, start=1)
    ]
    write_table(path, table, [{name: row[name] for name in row.keys() & set(table.names)} for row in rows])


def _download(job: Path, config: dict[str, Any], ids: list[str], planned: list[str] | None = None) -> list[Row]:
    _entries(job / layout.shard_entries("0"), ids, SHARD_ENTRIES)
    return _downloaded(job, config, planned or ids)


def _downloaded(job: Path, config: dict[str, Any], planned: list[str]) -> list[Row]:
    _entries(job / layout.SEARCH_ENTRIES, planned, ENTRIES)
    run_step("download_entries", job, given=config)
    return rows_of_part(job, "0", "download_entries/structures")


def _cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RCSB_FILES", "PDBE_FILES"):
        monkeypatch.setenv(f"TETHERMAP_{name}_URL", "http://127.0.0.1:9")


@pytest.fixture
def rcsb(tmp_path: Path, standin: StandIn) -> dict[str, Any]:
    assert standin.seen == []
    return settings(tmp_path / "cache", {"kind": "rcsb"})


def test_files_of_the_archive_are_used_in_place(tmp_path: Path, archive: Path) -> None:
    config = settings(tmp_path / "cache", {"kind": "archive"})
    rows = _download(tmp_path / "job", config, ["1hpv", "4cup"])
    assert [row["path"] for row in rows] == [str(archive / "1hpv.ent.gz"), str(archive / "4cup.cif.gz")]
    assert [row["format"] for row in rows] == ["pdb", "mmcif"]
    assert {row["source"] for row in rows} == {"archive"}
    assert rows[0]["sha256"] == "5e4a3e559491dcde705665959e34f52b51582c5104d933732a25db92804ba153"
    assert not (tmp_path / "cache" / "structures").exists()


def test_rows_are_in_the_order_of_the_entries(tmp_path: Path, rcsb: dict[str, Any], standin: StandIn) -> None:
    standin.fault("files", "slow", entry="1abc", seconds=0.2)
    rows = _download(tmp_path / "job", rcsb, ["1abc", "5abc", "3abc"])
    assert [row["pdb_id"] for row in rows] == ["1abc", "5abc", "3abc"]


def test_missing_file_is_a_row_and_other_downloads_continue(
    tmp_path: Path, rcsb: dict[str, Any], standin: StandIn
) -> None:  # fmt: skip
    for service in ("files", "pdbe"):
        standin.fault(service, "html", entry="1abc")
        standin.fault(service, "cut_gzip", entry="2abc")
        standin.fault(service, "no_atoms", entry="3abc")
        standin.fault(service, "status", entry="4abc", status=503)
    rows = _download(tmp_path / "job", rcsb, ["1abc", "2abc", "3abc", "4abc", "5abc", "9zzz", "1gon"])
    assert [row["reason"] for row in rows] == [
        "file_not_structure", "file_truncated", "no_atoms", "download_failed", "", "not_found", "withdrawn",
    ]  # fmt: skip
    assert {str(row["reason"]) for row in rows} - {""} <= set(REASONS)
    assert all((row["path"] == "") == (row["reason"] != "") for row in rows)


def test_progress_is_reported_by_entry(tmp_path: Path, rcsb: dict[str, Any]) -> None:
    _download(tmp_path / "job", rcsb, ["1abc", "9zzz"])
    assert ProgressReader(tmp_path / "job").read().passed == {"download_entries": 2}


def test_a_shard_without_entries_sends_no_request(tmp_path: Path, rcsb: dict[str, Any], standin: StandIn) -> None:
    assert _download(tmp_path / "job", rcsb, []) == []
    assert standin.seen == []


@pytest.mark.parametrize(
    ("planned", "found"),
    [
        (["7abc"], ("4abc", "7abc", "4abc", "", "", "")),
        (["7abc", "4abc"], ("7abc", "7abc", "4abc", "", "same_as_other", "4abc")),  # another shard has it
    ],
)
def test_successor_of_an_entry_removed_since_the_search_is_used_once(
    tmp_path: Path, rcsb: dict[str, Any], standin: StandIn, planned: list[str], found: tuple[str, ...]
) -> None:
    standin.removed["7abc"] = ("4abc",)
    (row,) = _download(tmp_path / "job", rcsb, ["7abc"], planned)
    del standin.removed["7abc"]
    names = ("pdb_id", "requested_id", "successor", "flags", "reason", "value")
    assert tuple(row[name] for name in names) == found


def test_a_withdrawn_entry_of_a_mirror_is_flagged(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1old.cif", cif_text("1old"))
    write(tmp_path / "obsolete.csv", "pdb_id,obsoleted_date,replaced_by\n1old,2000-01-01,9xyz\n")
    config = settings(tmp_path / "cache", {"kind": "mirror", "mirror": str(tmp_path / "m")})
    (row,) = _download(tmp_path / "job", config, ["1old"])
    assert (row["pdb_id"], row["flags"], row["successor"], row["reason"]) == ("1old", "withdrawn", "9xyz", "")


def test_the_successor_that_the_search_selected_keeps_the_requested_id(tmp_path: Path, rcsb: dict[str, Any]) -> None:
    taken = [{"pdb_id": "3abc", "requested_id": "1old", "successor": "3abc"}]
    write_table(tmp_path / layout.shard_entries("0"), SHARD_ENTRIES, taken)
    (found,) = _downloaded(tmp_path, rcsb, [])
    assert (found["pdb_id"], found["requested_id"], found["successor"]) == ("3abc", "1old", "3abc")


def test_no_network_at_all_is_one_sentence(
    tmp_path: Path, rcsb: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _cut_off(monkeypatch)
    with pytest.raises(UserError, match=r"No structure can be downloaded .*check the network") as caught:
        _download(tmp_path / "job", rcsb, ["1abc", "2abc"])
    assert caught.value.kind == "upstream"
    assert not (tmp_path / "job" / layout.archive("0", "download_entries")).exists()


def test_cached_files_need_no_network(tmp_path: Path, rcsb: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    before = _download(tmp_path / "a", rcsb, ["1abc", "2abc"])
    _cut_off(monkeypatch)
    assert _download(tmp_path / "b", rcsb, ["1abc", "2abc"]) == before
    rows = _download(tmp_path / "c", rcsb, ["1abc", "3abc"])
    assert [row["reason"] for row in rows] == ["", "download_failed"]


_JOB = """
import json, sys
from pathlib import Path
from tests.tools.parts import run_step
run_step("download_entries", Path(sys.argv[1]), given=json.loads(Path(sys.argv[2]).read_text()))
"""


def _begun(job: Path, config: Path, ids: list[str]) -> subprocess.Popen[bytes]:
    _entries(job / layout.shard_entries("0"), ids, SHARD_ENTRIES)
    _entries(job / layout.SEARCH_ENTRIES, ids, ENTRIES)
    return subprocess.Popen([sys.executable, "-c", _JOB, str(job), str(config)], cwd=ROOT)


def test_jobs_that_share_a_cache_at_once_download_each_file_once(
    tmp_path: Path, rcsb: dict[str, Any], standin: StandIn
) -> None:
    ids = [f"{number}abc" for number in range(1, 7)]
    standin.fault("files", "slow", seconds=0.05)
    config = write(tmp_path / "config.json", json.dumps(rcsb))
    jobs = [_begun(tmp_path / name, config, ids) for name in "abc"]
    assert [job.wait() for job in jobs] == [0, 0, 0]
    assert standin.count("files") == len(ids)
    tables = {(tmp_path / name / layout.archive("0", "download_entries")).read_bytes() for name in "abc"}
    assert len(tables) == 1
    # Two have a mmCIF report, one has XML at the first of two addresses, and three have none at all.
    assert standin.count("reports") == 2 * 1 + 3 + 3 * (2 * 2)
    left = [path for path in (tmp_path / "cache/structures").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert sorted(path.name for path in left) == [f"{name}.cif.gz" for name in ids]


def test_no_more_than_eight_connections_are_open(tmp_path: Path, rcsb: dict[str, Any], standin: StandIn) -> None:
    standin.fault("files", "slow", seconds=0.03)
    ids = [f"{number:04d}" for number in range(1, 41)]
    _download(tmp_path / "job", rcsb, ids)
    assert 2 <= standin.most_at_once["files"] <= 8


def test_a_cut_between_the_writing_of_files_leaves_whole_files_only(
    tmp_path: Path, rcsb: dict[str, Any], standin: StandIn
) -> None:
    standin.fault("files", "slow", seconds=0.1)
    config = write(tmp_path / "config.json", json.dumps(rcsb))
    ids = [f"{number}abc" for number in range(1, 7)]
    job = _begun(tmp_path / "a", config, ids)
    while not standin.count("files"):
        assert job.poll() is None
    job.kill()
    job.wait()
    standin.reset()
    rows = _download(tmp_path / "b", rcsb, ids)
    assert all(row["sha256"] for row in rows)
    assert not (tmp_path / "a" / layout.archive("0", "download_entries")).exists()
