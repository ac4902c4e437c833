"""The polymers of a cleaned complex as lines of its PDB file."""

from collections.abc import Sequence
from itertools import takewhile

_COORDINATES = ("ATOM  ", "HETATM", "ANISOU")


def polymer_lines(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return the coordinate lines of each chain up to and with its TER record.

    Parameters
    ----------
    lines : sequence of str
        A PDB file; lines after its first model are ignored.

    Returns
    -------
    dict of str to list of str
        By chain, in the order of the TER records; chains without one have no polymer.

    >>> atom = "ATOM      1  CA  GLY A   1      11.104  13.207   2.100  1.00 20.00           C"
    >>> water = "HETATM    3  O   HOH B 101      10.000  10.000  10.000  1.00 20.00           O"
    >>> [*polymer_lines([atom, "TER       2      GLY A   1", water])]
    ['A']
    """
    open_chains: dict[str, list[str]] = {}
    polymers: dict[str, list[str]] = {}
    for line in takewhile(lambda line: not line.startswith("ENDMDL"), lines):
        name = line[20:22].strip()
        if line.startswith("TER") and len(line) > 21 and open_chains.get(name):
            polymers[name] = [*open_chains.pop(name), line]
        elif line.startswith(_COORDINATES) and name not in polymers:
            open_chains.setdefault(name, []).append(line)
    return polymers
