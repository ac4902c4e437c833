"""Named mutations of structure files: the input of the fuzz campaign.

A mutation gets the uncompressed text of a file and its own random numbers and returns bytes; equal numbers give equal
bytes, so that the base, the names of the mutations and a seed define a case.
"""

import random
import re
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]
MUTATIONS: dict[str, Mutation] = {}
"""All mutations by name."""

NUMBERS = (
    *("nan", "NaN", "inf", "-inf", "1e308", "-1e308", "1e400", "1e-320", "0", "-0.0", "99999.999", "-9999.999"),
    *("1e15", "2147483648", "-2147483649", "9223372036854775808", "18446744073709551616", "1.2.3", "0x10", "1,5"),
    *("?", ".", "", "''", "1(2)", "+", "-", "٣", "1_000", "1e", "000000000001"),
)
"""Texts in place of a number."""

TEXTS = (
    *("?", ".", "'", '"', "''", ";", "#", "_", "data_", "loop_", "save_", "$", "é", "名前", "\u202e", "\ufeff", "\x00"),
    *("HOH", "DOD", "UNK", "UNL", "UNX", "X", "ATP", "ZN", "HEM", "MSE", "NAG", "A1LU6", "ALA", "DA", "*", "a b"),
    *("A" * 5, "Z" * 200, "../../x", "<script>", "=1+1", "%s", "\t", "-1", "A/B", "CON", "{0}", "\\", "|", "&amp;"),
)
"""Texts in place of a name."""

ATOM = re.compile(rb"(?:ATOM|HETATM)\b")


def mutation(function: Mutation) -> Mutation:
    """Enter a mutation under the name of its function."""
    MUTATIONS[function.__name__] = function
    return function


def lines_of(data: bytes) -> list[bytes]:
    """Return the lines with their ends."""
    return data.splitlines(keepends=True)


def atom_lines(lines: list[bytes]) -> list[int]:
    """Return the numbers of the lines of atoms."""
    return [k for k, line in enumerate(lines) if ATOM.match(line)]


def het_lines(lines: list[bytes]) -> list[int]:
    """Return the lines of het groups other than water, or of all atoms if there are none."""
    found = [k for k, line in enumerate(lines) if line.startswith(b"HETATM") and b"HOH" not in line]
    return found or atom_lines(lines)


def is_cif(data: bytes) -> bool:
    """Return whether the text is mmCIF."""
    return b"_atom_site." in data


def span(chance: random.Random, length: int, most: int) -> tuple[int, int]:
    """Return the begin and end of a stretch of at most so many items."""
    size = chance.randint(1, max(1, min(most, length)))
    begin = chance.randint(0, max(0, length - size))
    return begin, begin + size


def some(chance: random.Random, items: list[int], most: int) -> list[int]:
    """Return at most so many of the items, one at least if there are any."""
    return chance.sample(items, min(len(items), chance.randint(1, most))) if items else []
