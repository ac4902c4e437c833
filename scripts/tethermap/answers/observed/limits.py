"""Cut-offs of ligands between two proteins, which the report shows too."""

LEAST_COVERED = 300.0
"""Each of two proteins covers at least this of a bridging ligand, in square angstroms (house rule)."""

LEAST_HALF = 14
"""Fewest heavy atoms of either half (house rule)."""
