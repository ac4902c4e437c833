"""The columns of the coordinate lines of a PDB file, and lines that violate them."""

import re
from collections import Counter

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


UNPLACED = 9999.0
"""Coordinate of an atom whose place is unknown; MAXIT of the wwPDB sets such atoms apart, too (11.200, ``Atom.h``)."""

NO_COORDINATE = frozenset({"", "?", ".", "nan"})
"""Entries of files for unknown coordinates, in lower case."""

_PRINTABLE = bytes(range(32, 127)) + b"\n"
_DIGITS = str.maketrans("123456789", "0" * 9)
_RECORDS = frozenset(("ATOM", "HETA", "atom", "heta"))
_NAMES = " " * 16


def with_decimal_waters(text: str) -> str:
    """Return a file whose waters are numbered in decimal, from 0 again after 9999."""
    return _HEX_WATER.sub(lambda match: f"{match[1]}{int(match[2], 16) % 10_000:4d}", text)


def kinds_of_atoms(text: str) -> Counter[str]:
    """Return the lines of atoms, as far as `odd_lines` and columns 67-80 depend on them, and the number of each."""
    if not text.isascii() or text.encode().translate(None, _PRINTABLE):
        return Counter(line for line in text.split("\n") if line[:4] in _RECORDS)
    # Names and digits don't matter, so that expressions are tried once for lines that differ only in them.
    lines = text.translate(_DIGITS).split("\n")
    return Counter(line[:6] + _NAMES + line[22:80] for line in lines if line[:4] in _RECORDS)


def odd_lines(kinds: Counter[str]) -> int:
    """Return the number of lines of atoms that would be misread, from `kinds_of_atoms`."""
    return sum(count for kind, count in kinds.items() if _ODD_COLUMNS.match(kind))
