"""Searches in the text of a file agree with regular expressions."""

import re

import pytest

from tethermap.entry.text_search import find_mark, first_line

ATOMS = ("\nATOM  ", "\nHETATM")


@pytest.mark.parametrize("text", ["", "#", "\n#", "a#\n#", "a\n##\n#", "C#1\nC#2\n", "x\n#\ny\n#\n"])
def test_a_mark_is_found_at_the_position_of_both_letters(text: str) -> None:
    for begin in range(len(text)):
        assert find_mark(text, "\n#", begin) == text.find("\n#", begin)
        assert find_mark(text.encode(), b"\n#", begin) == text.find("\n#", begin)


@pytest.mark.parametrize(
    "text", ["", "ATOM  1", "HETATM1\nATOM  2", "REMARK ATOM  \nATOM  1\nHETATM2", "TITLE\nHETATM1\nATOM  2", "ATOM"]
)
def test_the_first_line_equals_that_of_a_regular_expression(text: str) -> None:
    match = re.search("^(?:ATOM  |HETATM)", text, re.MULTILINE)
    assert first_line(text, ATOMS) == (match.start() if match else len(text))
