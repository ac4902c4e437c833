"""The linker's first atom, as all geometry of exits takes it."""

BOND = 1.5
"""Length of the bond to the linker's first atom, in angstroms."""

LINKER_RADIUS = 1.7
"""Radius of the linker's first atom, in angstroms."""
