"""Gzipped content comes out as Python's own reader gives it, and damage is told."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.lib.packed import DAMAGED, DamagedGzip, open_unpacked, unpacked


@given(st.binary(max_size=2000), st.integers(0, 9), st.binary(max_size=200))
def test_content_is_what_was_packed(content: bytes, level: int, second: bytes) -> None:
    packed = gzip.compress(content, level)
    assert unpacked(packed) == content
    assert unpacked(packed + gzip.compress(second)) == content + second  # members that follow one another


@given(st.binary(min_size=1, max_size=500), st.data())
def test_damage_that_python_sees_is_seen(content: bytes, data: st.DataObject) -> None:
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


def test_stream_is_unpacked_and_damage_told(tmp_path: Path) -> None:
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
