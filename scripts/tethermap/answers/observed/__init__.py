"""Observed exits: attachment points of linkers in ternary complexes, and the matching atoms of other ligands."""
