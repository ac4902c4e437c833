"""Find the parts of a structure file in its text, before it is parsed: faster than by expressions."""

from collections.abc import Iterable
from typing import AnyStr

PDB_START = (
    r"(?:[^\n]*\n){0,200}?(?:HEADER|OBSLTE|TITLE |COMPND|EXPDTA|REMARK|CRYST1|MODEL |ATOM  |HETATM"
    r"|USER  |HELIX |SHEET |SEQRES)"
)
"""Pattern of the beginning of a PDB file, with the records that other programs write first."""


def find_mark(text: AnyStr, mark: AnyStr, begin: int) -> int:
    """Return the position of an end of line that is followed by a rare letter, like `find` but a hundred times faster.

    Parameters
    ----------
    text : str or bytes
        The file.
    mark : str or bytes
        The end of line and the letter: the wwPDB ends each category with ``#``.
    begin : int
        First position to search.

    Returns
    -------
    int
        -1 when there is none.

    >>> find_mark("loop_\\n_a.b\\nC#1\\n# \\n", "\\n#", 0)
    14
    """
    at = text.find(mark[1:], begin + 1)
    while at >= 0 and text[at - 1 : at] != mark[:1]:
        at = text.find(mark[1:], at + 1)
    return at - 1 if at >= 0 else -1


def first_line(text: AnyStr, beginnings: Iterable[AnyStr]) -> int:
    """Return the position of the first line with one of the prefixes; the length of the text if there is none.

    Parameters
    ----------
    text : str or bytes
        The file.
    beginnings : iterable of str or bytes
        Each with an end of line before it.

    >>> first_line("REMARK\\nMODEL \\nATOM  ", ["\\nATOM  ", "\\nMODEL "])
    7
    """
    end = len(text)
    for beginning in beginnings:
        if text.startswith(beginning[1:]):
            return 0
        at = text.find(beginning, 0, end)
        end = at + 1 if at >= 0 else end
    return end
