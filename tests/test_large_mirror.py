"""Mirrors made of small ones by repeating their entries."""

from collections import Counter
from itertools import islice
from pathlib import Path

from tests.tools.large_mirror import entry_ids, link_mirror, repeated, structures
from tethermap.sources.mirror import MirrorSource


def test_ids_are_distinct() -> None:
    ids = list(islice(entry_ids(), 250_000))
    assert len(set(ids)) == len(ids)
    assert all(len(entry_id) == 4 and entry_id[0].isdigit() for entry_id in ids)


def test_each_entry_is_used_equally_often(archive: Path) -> None:
    files = structures(archive)
    counts = Counter(file.entry_id for file in repeated(files, 12))
    assert sorted(counts.values()) == [2, 2, 2, 3, 3]


def test_a_mirror_of_links_is_searched_like_any_other(archive: Path, tmp_path: Path) -> None:
    ids = link_mirror(tmp_path / "mirror", archive, 10)
    source = MirrorSource(tmp_path / "mirror", tmp_path / "cache").open()
    assert source.all_entries() == ids
    assert len(source.text_search(["BAZ2B"], [], any_term=False)) == 2
    assert source.fetch(ids[0]).entry_id == ids[0]
    source.close()
