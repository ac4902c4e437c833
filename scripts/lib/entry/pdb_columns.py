"""The columns of the coordinate lines of a PDB file: which are kept, and what stands where the element should."""

from __future__ import annotations

import re

import gemmi
import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from scripts.lib.arrays import BoolArray, IntArray

_ODD_COLUMNS = re.compile(
    r"""^(?:ATOM|HETA|atom|heta)
    (?!
        (?:(?<=ATOM)\ \ |(?<=HETA)TM)
        [ -~]{16}
        (?=(?=\ *-?\d)[-\d ]{4}|[A-Za-z]\w{3})      # 23-26: a residue number, hybrid-36 too
        [ -~]{8}
        (?=(?:\ *-?\d*\.\d*){3})                     # 31-54: three numbers with points at 35, 43, 51
        [ -~]{4}\.[ -~]{7}\.[ -~]{7}\.
        (?:[\d ]{3}[-\d. ]{6}[ -~]*|[-\d. ]{0,8})   # 55-60: an occupancy
        \r?$
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""Lines of atoms that would be misread, letters other than ASCII among them."""

_HEX_WATER = re.compile(
    r"^((?:ATOM  |HETATM)[ -~]{11}(?:HOH|WAT|SOL|TIP|SPC|OPC|T[345]P|TP[345])[ -~]{2})(?!\d{4})([\dA-Fa-f]{4})",
    re.MULTILINE,
)
"""Waters beyond 9999, which simulation programs number in hexadecimal."""

_ELEMENTS = re.compile(r"^(?:ATOM  |HETATM)[^\r\n]{70}(?!  )([^\r\n]{2})", re.MULTILINE)
"""Columns 77-78 of an atom where they are not blank."""

_SYMBOLS = frozenset(
    spelling
    for name in ("D", *(gemmi.Element(number).name for number in range(119)))  # 0 is X, unknown
    for spelling in (name.rjust(2), name.ljust(2), name.upper().rjust(2), name.upper().ljust(2), name.lower().rjust(2))
)
"""What can stand there; anything else, such as the types of other formats, leaves the element to the atom's name."""

_WIDTH, _NUMBERS_END = 82, 66
"""Columns that are looked at, those of the end of a line among them, and where the last number ends."""

_SPACE, _MINUS, _DIGIT, _POINT, _OTHER, _NONE = range(6)
_KIND = np.full(256, _NONE, dtype=np.uint8)
_KIND[32:127] = _OTHER
_KIND[[ord(" "), ord("-"), ord(".")]] = _SPACE, _MINUS, _POINT
_KIND[ord("0") : ord("9") + 1] = _DIGIT
"""What a letter is; none of these where ASCII has no sign for it."""


def with_decimal_waters(text: str) -> str:
    """Return a file whose waters are numbered in decimal, from 0 again after 9999."""
    return _HEX_WATER.sub(lambda match: f"{match[1]}{int(match[2], 16) % 10_000:4d}", text)


def odd_lines(text: str) -> int:
    """Return how many lines of atoms would be misread.

    Nearly all lines are written alike, which their columns tell at once; the others are looked at one by one.
    """
    if not text.isascii() or "\r" in text:
        return len(_ODD_COLUMNS.findall(text))
    starts, lines = _atoms(text)
    return sum(_ODD_COLUMNS.match(text, start) is not None for start in starts[~_are_plain(lines)].tolist())


def with_known_elements(text: str) -> str:
    """Return the text without what stands in the columns of the element and is none, such as types of other formats."""
    if text.isascii():
        lines = _atoms(text)[1]
        named = lines[(lines[:, :78] != ord("\n")).all(axis=1), 76:78]
        if {bytes(pair).decode() for pair in np.unique(named.view("S2")).view("u1").reshape(-1, 2)} <= _SYMBOLS | {
            "  "
        }:
            return text
    if {*_ELEMENTS.findall(text)} <= _SYMBOLS:
        return text
    return _ELEMENTS.sub(lambda match: match[0] if match[1] in _SYMBOLS else f"{match[0][:-2]}  ", text)


def _atoms(text: str) -> tuple[IntArray, npt.NDArray[np.uint8]]:
    """Return where the lines of atoms start, and their columns, shape (n_lines, 82), what follows a line included."""
    data = np.frombuffer(text.encode() + b"\n" * _WIDTH, dtype=np.uint8)
    starts = np.append(0, np.flatnonzero(data[: len(text)] == ord("\n")) + 1)
    words = sliding_window_view(data, 4)[starts].view("S4")[:, 0]
    starts = starts[np.isin(words, (b"ATOM", b"HETA", b"atom", b"heta"))]
    return starts, sliding_window_view(data, _WIDTH)[starts]


def _are_plain(lines: npt.NDArray[np.uint8]) -> BoolArray:
    """Return which lines are written as nearly all are, a part of what `_ODD_COLUMNS` lets pass."""
    ended = np.logical_or.accumulate(lines[:, _NUMBERS_END:] == ord("\n"), axis=1)
    plain: BoolArray = ended[:, -1] & np.isin(lines[:, :6].copy().view("S6")[:, 0], (b"ATOM  ", b"HETATM"))
    plain &= (((lines >= ord(" ")) & (lines <= ord("~")))[:, :_NUMBERS_END]).all(axis=1)
    plain &= (ended | ((lines >= ord(" ")) & (lines <= ord("~")))[:, _NUMBERS_END:]).all(axis=1)
    kind = _KIND[lines[:, :_NUMBERS_END]]
    number = kind[:, 22:26]
    plain &= ((number == _SPACE) | (number == _DIGIT)).all(axis=1) & (number == _DIGIT).any(axis=1)
    for begin in (30, 38, 46):  # blanks, a sign, digits, the point, three digits
        whole = kind[:, begin : begin + 4]
        plain &= (whole <= _DIGIT).all(axis=1) & (whole[:, :-1] <= whole[:, 1:]).all(axis=1)
        plain &= (whole == _MINUS).sum(axis=1) <= 1
        plain &= (kind[:, begin + 4] == _POINT) & (kind[:, begin + 5 : begin + 8] == _DIGIT).all(axis=1)
    occupancy, rest = kind[:, 54:57], kind[:, 57:63]
    plain &= ((occupancy == _SPACE) | (occupancy == _DIGIT)).all(axis=1) & (rest <= _POINT).all(axis=1)
    return plain
