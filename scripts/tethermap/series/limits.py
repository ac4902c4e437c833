"""The cut-off of similarity, which the report shows too."""

SIMILAR = 0.5
"""Tanimoto coefficient of Morgan counts (radius 2) from which two ligands belong together."""
