import errno
import gzip
from pathlib import Path

import pytest

from tests.tethermap.sources.make import cif_text, write
from tethermap.base.errors import UserError
from tethermap.sources import cache as cache_module
from tethermap.sources.cache import StructureCache
from tethermap.sources.content import check_file
from tethermap.sources.locks import file_lock

_DATA = cif_text("1abc").encode()
_PACKED = gzip.compress(_DATA, mtime=0)
_CHECKED = check_file(_DATA, "1abc")


@pytest.fixture
def cache(tmp_path: Path) -> StructureCache:
    return StructureCache(tmp_path / "cache")


@pytest.mark.parametrize(("origin", "data"), [("rcsb", _PACKED), ("pdbe", _DATA)])
def test_stored_file_is_in_the_cache_gzipped(cache: StructureCache, origin: str, data: bytes) -> None:
    assert cache.get("1abc") is None
    stored = cache.store(_CHECKED, origin, data)
    assert cache.get("1abc") == stored
    assert stored.path.read_bytes() == gzip.compress(_DATA, 6 if data is _DATA else 9, mtime=0)
    assert stored.path.parts[-4:] == ("structures", origin, "ab", "1abc.cif.gz")


@pytest.mark.parametrize("damaged", [b"", _PACKED[:100], b"<html>", b"data_X\n_entry.id X\n"])
def test_a_damaged_file_is_removed(cache: StructureCache, damaged: bytes) -> None:
    path = cache.path("1abc", "rcsb")
    write(path.with_suffix(".x"), damaged).rename(path)
    assert cache.get("1abc") is None
    assert not path.exists()


@pytest.mark.parametrize("entry_id", ["../x", "1ab/", "", "1ABC", "pose", "1abcd", "pdb_../../x"])
def test_only_ids_become_paths(cache: StructureCache, entry_id: str) -> None:
    with pytest.raises(ValueError, match="no PDB id"):
        cache.path(entry_id, "rcsb")


def test_a_full_disk_is_one_sentence_and_leaves_nothing(cache: StructureCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(cache_module, "write_bytes", full)
    with pytest.raises(UserError, match="structure cache is full") as caught:
        cache.store(_CHECKED, "rcsb", _PACKED)
    assert caught.value.kind == "disk_full"
    assert cache.get("1abc") is None


def test_a_lock_has_one_owner_and_can_be_acquired_again(tmp_path: Path) -> None:
    for _ in range(2):
        with file_lock(tmp_path / "x.lock", patience=0) as first, file_lock(tmp_path / "x.lock", patience=0) as second:
            assert (first, second) == (True, False)


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    write(tmp_path / "cache", "a file")
    cache = StructureCache(tmp_path / "cache")
    with pytest.raises(UserError, match="set cache_dir"), cache.reserved("1abc"):
        pass
