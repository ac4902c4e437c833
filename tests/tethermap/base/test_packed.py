"""Gzipped content equals that of Python's own reader, and damage is reported."""

import gzip
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tethermap.base import packed as module
from tethermap.base.packed import DAMAGED, DamagedGzip, open_unpacked, unpacked, unpacked_size


@given(st.binary(max_size=2000), st.integers(0, 9), st.binary(max_size=200))
def test_unpacking_returns_the_packed_content(content: bytes, level: int, second: bytes) -> None:
    packed = gzip.compress(content, level)
    assert unpacked(packed) == content
    assert unpacked(packed + gzip.compress(second)) == content + second  # members that follow one another


@given(st.binary(min_size=1, max_size=500), st.data())
def test_damage_that_python_detects_is_detected(content: bytes, data: st.DataObject) -> None:
    packed = bytearray(gzip.compress(content))
    packed[data.draw(st.integers(2, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    damaged = bytes(packed[: data.draw(st.integers(2, len(packed)))])
    try:
        expected = gzip.decompress(damaged)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        with pytest.raises(DamagedGzip):
            unpacked(damaged)
    else:
        assert unpacked(damaged) == expected


def test_stream_is_unpacked_and_damage_reported(tmp_path: Path) -> None:
    whole, cut, plain = (tmp_path / name for name in ("whole", "cut", "plain"))
    packed = gzip.compress(b"HEADER" * 1000)
    whole.write_bytes(packed)
    cut.write_bytes(packed[:-9])
    plain.write_bytes(b"HEADER")
    for path, expected in ((whole, b"HEADER" * 1000), (plain, b"HEADER")):
        with open_unpacked(path) as stream:
            assert stream.read() == expected
    with pytest.raises(DAMAGED), open_unpacked(cut) as stream:
        stream.read()


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(0, 1500), st.booleans())
def test_limit_counts_all_members(members: list[bytes], most: int, by_ratio: bool) -> None:
    content, data = b"".join(members), b"".join(map(gzip.compress, members))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_HIGHEST_RATIO", 1032 if by_ratio else 10**9)
        patch.setattr(module, "_STEP", 64)
        if by_ratio and len(data) * 1032 <= most:
            return
        if len(content) > most:
            with pytest.raises(DamagedGzip, match=f"more than {most} bytes"):
                unpacked(data, most)
        else:
            assert unpacked(data, most) == content


def test_size_is_counted_in_constant_memory(tmp_path: Path) -> None:
    """A file of 160 kB that unpacks to 160 MiB, first member small; both stop at their limit."""
    member = gzip.compress(bytes(16 << 20), 9)
    path = tmp_path / "bomb.cif.gz"
    path.write_bytes(gzip.compress(b"data_x") + member * 10)
    assert path.stat().st_size < 175_000
    tracemalloc.start()
    try:
        assert unpacked_size(path) == 6 + (160 << 20)
        assert unpacked_size(path, 1 << 20) <= 3 << 20
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
        with pytest.raises(DamagedGzip, match="more than"):
            unpacked(path.read_bytes(), 32 << 20)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
