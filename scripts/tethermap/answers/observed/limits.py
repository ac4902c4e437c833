"""Cut-offs of ligands between two proteins, which the report shows too."""

LEAST_COVERED = 300.0
"""Least area of a bridging ligand that each of two proteins covers, in square angstroms (house rule)."""

LEAST_HALF = 14
"""Fewest heavy atoms of either half (house rule)."""
