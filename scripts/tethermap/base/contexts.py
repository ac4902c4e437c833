"""The contexts of a ligand, what may stand around it from its chain to the crystal, and how areas in them are named."""

CONTEXTS = ("chain", "target", "assembly", "crystal")
"""From the smallest to the largest; each holds the atoms of those before it."""

HEADLINE_CONTEXT = "target"
"""The one that scores and headline columns are made from."""

HEADLINE_FIRST = (HEADLINE_CONTEXT, *(context for context in CONTEXTS if context != HEADLINE_CONTEXT))
"""As clients may name them, the default before the others."""

EXPOSED_ABOVE = 0.1
"""An atom counts as exposed above this SASA in square angstroms (the public service's definition)."""


def area_column(context: str) -> str:
    """Return the column of the tables that holds the SASA in a context; ``free`` is the ligand alone.

    >>> area_column("target")
    'SASA_target_A2'
    """
    return f"SASA_{context}_A2"
