"""The programs that model degraders for which there are inputs, and the limits of what is made on demand."""

import re

PROGRAMS = ("prosettac", "protac_ternary", "deepternary")
"""Those whose files a job can write by itself."""

ON_DEMAND = ("p4ward", "af3", "boltz", "chai")
"""Those whose files are made when they are asked for."""

TOOLS = (*PROGRAMS, *ON_DEMAND, "json")
"""What inputs can be made for: programs, each with a folder of its own, and exits and fragments as JSON files."""

MOST_SMILES = 1000
"""Longest SMILES of a degrader that is taken."""

MOST_ATOMS, MOST_RINGS = 150, 30
"""Most heavy atoms and rings of half a degrader; a whole one may have twice as many."""

_ATOM = re.compile(r"\[[^\]]*\]?|Br|Cl|[BCNOPSFIbcnopsa*]")
_RING_BOND = re.compile(r"%\(\d+\)|%\d\d|\d")


def smiles_size(smiles: str) -> tuple[int, int]:
    """Return about how many atoms and rings a SMILES has, without building the molecule.

    >>> smiles_size("[*]Nc1ccc2ccccc2c1"), smiles_size("C%10CC%10Cl")
    ((12, 2), (4, 1))
    """
    outside = re.sub(r"\[[^\]]*\]?", "", smiles)
    return len(_ATOM.findall(smiles)), len(_RING_BOND.findall(outside)) // 2


FORMATS = ("json", "csv", "sdf")
"""How degraders that were made can be had."""

MOST_DEGRADERS = 1000
"""Most molecules of one answer."""
