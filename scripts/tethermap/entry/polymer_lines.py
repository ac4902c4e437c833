"""The polymers of a cleaned complex as lines of its PDB file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    for line in _coordinates(lines):
        name = line[20:22].strip()
        if line.startswith("TER"):
            if open_chains.get(name):
                polymers[name] = [*open_chains.pop(name), line]
        elif name not in polymers:
            open_chains.setdefault(name, []).append(line)
    return polymers


def _coordinates(lines: Sequence[str]) -> Iterator[str]:
    """Yield the coordinate and TER lines of the first model."""
    for line in lines:
        if line.startswith("ENDMDL"):
            return
        if line.startswith(_COORDINATES) or (line.startswith("TER") and len(line) > 21):
            yield line
