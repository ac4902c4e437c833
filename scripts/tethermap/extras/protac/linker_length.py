"""Reach of a linker by its number of atoms; this module does not import any chemistry."""

import math

LINKER_BOND = 1.25
"""Length of a stretched linker per bond, in angstroms: C-C of 1.53 at 112 degrees, seen along the chain."""


def shortest_linker(distance: float) -> int:
    """Return the fewest atoms of a linker between two anchors that spans a distance in angstroms.

    >>> shortest_linker(10.0)
    7
    """
    return max(0, math.ceil(round(distance / LINKER_BOND, 6)) - 1)
