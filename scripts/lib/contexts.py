"""The contexts of a ligand: what may stand around it, from its chain to the crystal."""

CONTEXTS = ("chain", "target", "assembly", "crystal")
"""From the smallest to the largest; each holds the atoms of those before it."""

HEADLINE_CONTEXT = "target"
"""The one that scores and headline columns are made from."""
