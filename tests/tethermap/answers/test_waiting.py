"""Values spooled to disk are read back unchanged, with and without the buffer in memory."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tethermap.answers import waiting
from tethermap.answers.waiting import StoredValues, spool


@pytest.mark.parametrize("held", [0, 2, 100])
def test_spooled_values_equal_those_of_a_dict(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "HELD", held)

    @given(st.lists(st.tuples(st.sampled_from("abcdef"), st.text())))
    def check(added: list[tuple[str, str]]) -> None:
        with spool() as blocks:
            stored, others = (StoredValues[str, str](blocks, str.encode, bytes.decode) for _ in range(2))
            expected: dict[str, str] = {}
            for name, value in added:
                stored.add(name, value)
                others.add(name, value[::-1])
                expected[name] = value
                assert stored[name] == value
            assert dict(stored) == expected
            assert dict(others) == {name: value[::-1] for name, value in expected.items()}
            assert ("a" in stored) == ("a" in expected)
            assert len(stored) == len(expected)

    check()


def test_temporary_file_is_removed_afterwards(tmp_path: Path) -> None:
    with spool(tmp_path) as blocks:
        place = blocks.add(b"one")
        assert blocks.read(place) == b"one"
        assert blocks.read(blocks.add(b"two")) == b"two"
    assert list(tmp_path.iterdir()) == []
