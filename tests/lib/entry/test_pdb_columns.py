"""The quick look at columns against the pattern that decides, on damaged lines."""

from __future__ import annotations

import random

import pytest

from scripts.lib.entry import pdb_columns

ATOM = "ATOM     15  CB  ILE A   3      29.850  24.614  -3.121  1.00 24.98           C  "
HETERO = "HETATM 1518  C1 A478 B 200A     -9.850 124.614   0.121  0.50 24.98           C1-"


def text(*lines: str) -> str:
    return "\n".join(("HEADER    HYDROLASE", *lines, "END", ""))


def test_lines_as_the_archive_writes_them_are_plain_and_kept() -> None:
    whole = text(ATOM, HETERO, ATOM.rstrip())
    assert pdb_columns._atom_lines(whole) == ([], {" C"})
    assert pdb_columns.odd_lines(whole) == 0
    assert pdb_columns.with_known_elements(whole) is whole


@pytest.mark.parametrize("seed", range(4))
def test_damaged_lines_are_judged_as_by_the_pattern_alone(seed: int) -> None:
    chance = random.Random(seed)
    odd = 0
    for _ in range(300):
        line, at = chance.choice((ATOM, HETERO)), chance.randrange(81)
        damage = "".join(chance.choices(" 0-.aA1\n\r\té", k=chance.choice((0, 1, 1, 2))))
        whole = text(line[:at] + damage + line[at + chance.choice((0, 1, 1)) :], ATOM)
        expected = len(pdb_columns._ODD_COLUMNS.findall(whole))
        assert pdb_columns.odd_lines(whole) == expected, whole
        known = {*pdb_columns._ELEMENTS.findall(whole)} <= pdb_columns._SYMBOLS
        assert (pdb_columns.with_known_elements(whole) == whole) == known, whole
        odd += expected
    assert 50 < odd < 300


def test_types_of_other_formats_are_taken_out_of_the_columns_of_the_element() -> None:
    assert pdb_columns.with_known_elements(text(ATOM[:76] + "C3  ")) == text(ATOM[:76] + "    ")


def test_last_line_without_end_is_looked_at() -> None:
    assert pdb_columns.odd_lines(f"HEADER\n{ATOM[:40]}") == 1
    assert pdb_columns.odd_lines(f"HEADER\n{ATOM}") == pdb_columns.odd_lines("") == 0
