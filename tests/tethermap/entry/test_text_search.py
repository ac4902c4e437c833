"""Searches in the text of a file agree with regular expressions."""

from __future__ import annotations

import re

import pytest

from tethermap.entry.text_search import find_mark, first_line

ATOMS = ("\nATOM  ", "\nHETATM")


@pytest.mark.parametrize("text", ["", "#", "\n#", "a#\n#", "a\n##\n#", "C#1\nC#2\n", "x\n#\ny\n#\n"])
def test_a_mark_is_found_where_a_search_for_both_letters_finds_it(text: str) -> None:
    for begin in range(len(text)):
        assert find_mark(text, "\n#", begin) == text.find("\n#", begin)
        assert find_mark(text.encode(), b"\n#", begin) == text.find("\n#", begin)


@pytest.mark.parametrize(
    "text", ["", "ATOM  1", "HETATM1\nATOM  2", "REMARK ATOM  \nATOM  1\nHETATM2", "TITLE\nHETATM1\nATOM  2", "ATOM"]
)
def test_the_first_line_is_that_of_an_expression(text: str) -> None:
    match = re.search("^(?:ATOM  |HETATM)", text, re.MULTILINE)
    assert first_line(text, ATOMS) == (match.start() if match else len(text))
