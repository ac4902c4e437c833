"""The contexts of a ligand, from its chain to the crystal, and the column names of areas in them."""

from typing import NamedTuple


class ContextWords(NamedTuple):
    """A context in words: label, name in a sentence, surroundings of the ligand, neighbours that it adds."""

    label: str
    name: str
    surroundings: str
    added: str


CONTEXT_WORDS = {
    "chain": ContextWords("Chain", "nearest chain", "only the nearest target chain", "The nearest target chain"),
    "target": ContextWords("Target", "target chains", "all target chains of the assembly", "All target chains"),
    "assembly": ContextWords("Assembly", "assembly", "the whole biological assembly", "Other chains of the assembly"),
    "crystal": ContextWords("Crystal", "crystal", "assembly and crystal neighbours", "The assembly and symmetry mates"),
}
"""From the smallest to the largest; each contains the atoms of those before it."""

CONTEXTS = tuple(CONTEXT_WORDS)

HEADLINE_CONTEXT = "target"
"""Context of scores and headline columns."""

HEADLINE_FIRST = (HEADLINE_CONTEXT, *(context for context in CONTEXTS if context != HEADLINE_CONTEXT))
"""As clients may name them, the default before the others."""

EXPOSED_ABOVE = 0.1
"""An atom counts as exposed above this SASA in square angstroms (the public service's definition)."""


def area_column(context: str) -> str:
    """Return the column of the SASA in a context; ``free`` is the unbound ligand.

    >>> area_column("target")
    'SASA_target_A2'
    """
    return f"SASA_{context}_A2"
