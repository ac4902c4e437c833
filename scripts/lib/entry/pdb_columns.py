"""The columns of the coordinate lines of a PDB file: which are kept, and what stands where the element should."""

from __future__ import annotations

import re
from functools import lru_cache

import gemmi
import numpy as np

from scripts.lib.kernels.library import call

_ODD_COLUMNS = re.compile(
    r"""^(?:ATOM|HETA|atom|heta)
    (?!
        (?:(?<=ATOM)\ \ |(?<=HETA)TM)
        [ -~]{16}
        (?=(?=\ *-?\d)[-\d ]{4}|[A-Za-z]\w{3})      # 23-26: a residue number, hybrid-36 too
        [ -~]{8}
        (?:(?=\ *-?(?:\d+\.|\.\d))[-\d ]{4}\.(?:\d{3}|\d\d\ |\d\ \ |\ {3})){2}      # 31-46: a point at 35, at 43
        (?=\ *-?(?:\d+\.|\.\d))[-\d ]{4}\.          # 47-54: a point at 51
        (?:(?:\d{3}|\d\d\ |\d\ \ |\ {3})(?:[-\d. ]{6}[ -~]*|[-\d. ]{0,5})|\d{0,2})  # 55-60: an occupancy
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


def with_decimal_waters(text: str) -> str:
    """Return a file whose waters are numbered in decimal, from 0 again after 9999."""
    return _HEX_WATER.sub(lambda match: f"{match[1]}{int(match[2], 16) % 10_000:4d}", text)


def odd_lines(text: str) -> int:
    """Return how many lines of atoms would be misread.

    Nearly all lines are written alike, which their columns tell at once; the others are looked at one by one.
    """
    if not text.isascii() or "\r" in text:
        return len(_ODD_COLUMNS.findall(text))
    return sum(_ODD_COLUMNS.match(text, start) is not None for start in _atom_lines(text)[0])


def with_known_elements(text: str) -> str:
    """Return the text without what stands in the columns of the element and is none, such as types of other formats."""
    if text.isascii() and _atom_lines(text)[1] <= _SYMBOLS | {"  "}:
        return text
    if {*_ELEMENTS.findall(text)} <= _SYMBOLS:
        return text
    return _ELEMENTS.sub(lambda match: match[0] if match[1] in _SYMBOLS else f"{match[0][:-2]}  ", text)


@lru_cache(maxsize=1)  # asked twice of most files
def _atom_lines(text: str) -> tuple[list[int], set[str]]:
    """Return where lines of atoms start that are not written as nearly all are, and what stands in columns 77-78."""
    letters = np.frombuffer(text.encode(), dtype=np.uint8)
    starts, pairs = np.empty(text.count("\n") + 1, dtype=np.int64), np.zeros((256, 256), dtype=np.uint8)
    odd = call("atom_lines", len(letters), letters, starts, pairs)
    return starts[:odd].tolist(), {f"{chr(first)}{chr(second)}" for first, second in np.argwhere(pairs).tolist()}
