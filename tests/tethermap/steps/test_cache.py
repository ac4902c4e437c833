"""The cache of entries' results: the same bytes, bounded, and gone what is damaged."""

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.tools.fuzz.one_job import OneJob
from tethermap.base.records import part
from tethermap.base.tables import Row
from tethermap.run.cache import EntryResult, ResultCache
from tethermap.sources import content as content_module
from tethermap.sources.base import FetchError
from tethermap.sources.content import read_content
from tethermap.steps import download_entries, molecules
from tethermap.steps.download_entries import check_once
from tethermap.steps.whole import repeat_or_compute

KEY = "0" * 64
RESULT = EntryResult(True, {"rows": b"a,b\n", "nothing": b""}, {"TARGET_RESULTS/x.svg": b"\x00picture"})


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_an_entry_gives_the_same_bytes_with_the_cache_and_without(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = gzip.decompress(next(archive.glob("4cup.*")).read_bytes())
    job, cache = tmp_path / "job", tmp_path / "cache"
    OneJob(job).run(content)
    computed = files(job)
    OneJob(job, cache).run(content)
    assert files(job) == computed
    kept = files(cache)
    assert len(kept) == 7  # one a step
    monkeypatch.setattr(molecules, "match_entry", None)  # to be called would be an error
    os.utime(job / "structure.gz")
    OneJob(job, cache).run(content)
    assert files(job) == computed
    assert files(cache) == kept


def test_another_text_has_another_cache_key(tmp_path: Path, archive: Path) -> None:
    content = gzip.decompress(next(archive.glob("4cup.*")).read_bytes())
    job, cache = tmp_path / "job", tmp_path / "cache"
    OneJob(job, cache).run(content)
    kept = files(cache)
    OneJob(job, cache).run(content.replace(b"BROMODOMAIN ADJACENT", b"BROMODOMAIN ADJOINED"))
    assert b"ADJOINED" in part(job, "0", "clean_complexes/instances").read_bytes()
    assert len(files(cache)) > len(kept)


def test_a_result_is_read_back_unchanged(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, 64_000, "")
    assert cache.get(KEY) is None
    cache.put(KEY, RESULT)
    assert cache.get(KEY) == RESULT


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"x", lambda _: b""])
def test_a_damaged_result_is_removed(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    cache = ResultCache(tmp_path, 64_000, "")
    cache.put(KEY, RESULT)
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None
    assert not path.exists()


def test_least_recently_used_result_is_removed_first(tmp_path: Path) -> None:
    size = len(RESULT.to_bytes())
    cache = ResultCache(tmp_path, 64 * (3 * size + 1), "")  # a 64th of the limit is that of the keys of one folder
    keys = [f"{64 * number:08x}".ljust(64, "0") for number in range(4)]
    for age, key in enumerate(keys[:3]):
        cache.put(key, RESULT)
        (path,) = tmp_path.rglob(key)
        os.utime(path, (age, age))
    assert cache.get(keys[0]) == RESULT  # the oldest is used again
    cache.put(keys[3], RESULT)
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]


def test_cache_measured_rarely_has_about_its_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[Path] = []
    make_room = ResultCache._make_room

    def counted(cache: ResultCache, bucket: Path) -> None:
        scans.append(bucket)
        make_room(cache, bucket)

    monkeypatch.setattr(ResultCache, "_make_room", counted)
    share, count = 150, 200
    cache = ResultCache(tmp_path, 64 * share * len(RESULT.to_bytes()), "")
    for number in range(count):
        cache.put("0" * 8 + hashlib.sha256(f"{number}".encode()).hexdigest()[8:], RESULT)
    assert share <= len(files(tmp_path)) < 1.1 * share
    assert 0.25 * count < len(scans) < 0.65 * count


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    cache = ResultCache(tmp_path, 64_000, "")
    cache.put(KEY, RESULT)
    assert cache.get(KEY) is None


def test_a_step_over_all_entries_is_done_once_for_the_same_inputs(tmp_path: Path) -> None:
    given, table, poses = (tmp_path / name for name in ("given", "table", "poses"))
    known = ResultCache(tmp_path / "cache", 64_000, "step")
    done = []

    def run(text: str) -> dict[str, bytes]:
        given.write_text(text)

        def compute() -> list[Row]:
            done.append(text)
            table.write_text(text * 3)
            if text == "one":
                poses.write_text(text)
            return [{"stem": "lost"}] if text == "failing" else []

        repeat_or_compute(known, [given], [table, poses], compute)
        return {"table": table.read_bytes(), "poses": poses.read_bytes() if poses.exists() else b""}

    first = run("one")
    table.unlink()
    poses.unlink()
    assert run("one") == first
    assert first["poses"] == b"one"
    assert done == ["one"]
    poses.unlink()
    two = run("two")
    assert (two["table"], two["poses"]) == (b"twotwotwo", b"")
    poses.write_text("of an earlier run")
    assert run("two") == two
    run("failing")
    run("failing")
    assert done == ["one", "two", "failing", "failing"]


def test_an_unchanged_file_is_checked_once(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = partial(check_once, ResultCache(tmp_path / "cache", 64_000_000, "download_entries"))
    for place in sorted(archive.glob("*.gz")):
        found = [check(place, place.name[:4], False), read_content(place, place.name[:4])]
        assert len({replace(one, entities=()) for one in found}) == 1
    path = tmp_path / "4cup.cif"
    path.write_bytes(gzip.decompress(next(archive.glob("4cup.*")).read_bytes()))
    first = check(path, "4cup", False)
    monkeypatch.setattr(download_entries, "check_file", None)  # to be called would be an error
    assert check(path, "4cup", False) == first
    monkeypatch.setattr(download_entries, "check_file", content_module.check_file)
    path.write_bytes(path.read_bytes() + b"#\n")
    assert check(path, "4cup", False).sha256 != first.sha256
    path.write_bytes(path.read_bytes()[:20_000])
    for _ in range(2):
        with pytest.raises(FetchError, match=r"no_atoms|file_truncated"):
            check(path, "4cup", False)
