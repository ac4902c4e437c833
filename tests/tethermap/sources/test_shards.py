import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.tools.parts import put_rows
from tethermap.base import layout
from tethermap.base.tables import ENTRIES, SHARD_ENTRIES, Value, read_table, write_table
from tethermap.sources import shards as dealing
from tethermap.steps.search_entries import divide


def _rows(sizes: list[int | None]) -> list[dict[str, Value]]:
    return [
        {"rank": rank, "pdb_id": f"{rank:04d}", "selected": True, "size": size}
        for rank, size in enumerate(sizes, start=1)
    ]


def _of_shard(row: dict[str, Value]) -> dict[str, Value]:
    return {name: row.get(name, "") for name in SHARD_ENTRIES.names}


def _plan(folder: Path, sizes: list[int | None], *, per_shard: int = 100, cores: int = 1) -> Path:
    write_table(folder / "entries.csv", ENTRIES, _rows(sizes))
    shards = folder / ".work" / "shards"
    divide(folder / "entries.csv", shards, per_shard, cores)
    return shards


def _ids(shard: Path) -> list[Value]:
    return [row["pdb_id"] for row in read_table(shard / "entries.csv", SHARD_ENTRIES)]


def test_the_number_of_shards_follows_the_rule() -> None:
    counted = {(0, 8): 1, (1, 8): 1, (20, 8): 1, (21, 8): 2, (100, 2): 2, (250, 1): 3, (400, 16): 16}
    assert {given: dealing.shard_count(given[0], 100, given[1]) for given in counted} == counted


@pytest.mark.parametrize(("entries", "sizes"), [(45, {"0": 23, "1": 22}), (0, {"0": 0})])
def test_the_plan_gives_the_sizes_of_all_shards(entries: int, sizes: dict[str, int], tmp_path: Path) -> None:
    shards = _plan(tmp_path, [None] * entries, cores=2)
    assert json.loads((tmp_path / ".work" / "shards.json").read_text()) == sizes
    assert {path.name: len(_ids(path)) for path in shards.iterdir()} == sizes


def test_entries_that_were_not_selected_are_in_no_shard(tmp_path: Path) -> None:
    left_out: dict[str, Value] = {"rank": 3, "pdb_id": "9zzz", "selected": False, "reason": "not_found"}
    rows = [*_rows([1, 1]), left_out]
    write_table(tmp_path / "entries.csv", ENTRIES, rows)
    divide(tmp_path / "entries.csv", tmp_path / layout.SHARDS, 100, 1)
    assert _ids(tmp_path / layout.SHARDS / "0") == ["0001", "0002"]


def test_one_huge_entry_has_a_separate_shard(tmp_path: Path) -> None:
    shards = _plan(tmp_path, [*[1000] * 20, 50_000, *[1000] * 20], cores=2)
    assert sorted(len(_ids(shards / name)) for name in "01") == [1, 40]


def test_shards_of_an_earlier_plan_are_removed(tmp_path: Path) -> None:
    shards = _plan(tmp_path, [None] * 300)
    (shards / "2" / "instances.jsonl").write_text("")
    progress = tmp_path / layout.PROGRESS
    progress.mkdir()
    (progress / "clean_complexes.0.jsonl").write_text("of other entries")
    _plan(tmp_path, [None] * 90)
    assert [path.name for path in shards.iterdir()] == ["0"]
    assert list(progress.iterdir()) == []


def test_a_shard_that_stays_the_same_is_not_written_again(tmp_path: Path) -> None:
    shards = _plan(tmp_path, [None] * 30)
    before = (shards / "0" / "entries.csv").stat().st_mtime_ns
    _plan(tmp_path, [None] * 30)
    assert (shards / "0" / "entries.csv").stat().st_mtime_ns == before


def test_new_entries_get_new_shards(tmp_path: Path) -> None:
    shards = _plan(tmp_path, [5] * 30, cores=2)
    before = {path: path.stat().st_mtime_ns for path in shards.glob("*/entries.csv")}
    _plan(tmp_path, [5] * 32, cores=2)
    assert json.loads((tmp_path / ".work" / "shards.json").read_text()) == {"0": 15, "1": 15, "2": 2}
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert _ids(shards / "2") == ["0031", "0032"]


def test_another_rank_changes_no_shard_and_another_size_does(tmp_path: Path) -> None:
    rows = _rows([7, 8, 9])
    write_table(tmp_path / "shards" / "0" / "entries.csv", SHARD_ENTRIES, [_of_shard(row) for row in rows])
    later = [{**row, "rank": 9 - int(str(row["rank"]))} for row in rows]
    whole = [{**dict.fromkeys(SHARD_ENTRIES.names, ""), **row} for row in later]
    assert list(dealing.plan_shards(whole, tmp_path / "shards", 2, 1)) == [0, 1]
    assert list(dealing.plan_shards(whole, tmp_path / "shards", 3, 1)) == [0]
    remediated = [{**row, "size": 1} for row in whole]
    assert [row["size"] for row in dealing.plan_shards(remediated, tmp_path / "shards", 3, 1)[0]] == [1, 1, 1]


@pytest.mark.parametrize(
    ("structure", "selected", "stays"),
    [
        ({"pdb_id": "4abc", "path": "/x"}, ["1abc", "2abc"], True),
        ({"pdb_id": "4abc", "path": "/x"}, ["1abc", "2abc", "4abc"], False),
        ({"pdb_id": "1abc", "reason": "same_as_other", "value": "4abc"}, ["1abc", "2abc"], False),
        ({"pdb_id": "1abc", "reason": "same_as_other", "value": "4abc"}, ["1abc", "2abc", "4abc"], True),
    ],
)
def test_shard_whose_file_would_change_is_planned_again(
    tmp_path: Path, structure: dict[str, Value], selected: list[str], stays: bool
) -> None:
    """The first entry was withdrawn after the search; its successor counts once in a job."""
    rows = [{**dict.fromkeys(SHARD_ENTRIES.names, ""), "pdb_id": entry_id, "size": None} for entry_id in selected]
    write_table(tmp_path / layout.shard_entries("1"), SHARD_ENTRIES, rows[:2])
    put_rows(tmp_path, "1", "download_entries/structures", [structure, {"pdb_id": "2abc", "path": "/y"}])
    plan = dealing.plan_shards(rows, tmp_path / layout.SHARDS, 100, 1)
    assert (1 in plan) is stays
    assert sorted(str(row["pdb_id"]) for shard in plan.values() for row in shard) == selected


@given(
    sizes=st.lists(st.one_of(st.none(), st.integers(0, 10**6)), max_size=120),
    per_shard=st.integers(1, 50),
    cores=st.integers(1, 9),
)
def test_every_entry_is_in_one_shard_within_its_limit(sizes: list[int | None], per_shard: int, cores: int) -> None:
    rows = _rows(sizes)
    count = dealing.shard_count(len(rows), per_shard, cores)
    shards = dealing.deal(rows, count, per_shard)
    assert len(shards) == count
    assert sorted(str(row["pdb_id"]) for shard in shards for row in shard) == [row["pdb_id"] for row in rows]
    assert all(len(shard) <= per_shard for shard in shards)
    assert all([row["rank"] for row in shard] == sorted(int(str(row["rank"])) for row in shard) for shard in shards)
    assert shards == dealing.deal(rows, count, per_shard)


@given(sizes=st.lists(st.integers(1, 1000), min_size=40, max_size=60))
def test_work_is_balanced_as_well_as_the_largest_entry_allows(sizes: list[int]) -> None:
    shards = dealing.deal(_rows([*sizes]), 4, 100)
    loads = [sum(int(str(row["size"])) for row in shard) for shard in shards]
    assert max(loads) - min(loads) <= max(sizes)
