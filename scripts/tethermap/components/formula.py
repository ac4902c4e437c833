"""Formulae in the dictionary's style: ``C29 H31 N7 O``."""

import re

_PART = re.compile(r"([A-Z][a-z]?|\*)(\d*)")


def spaced_formula(text: str) -> str:
    """Return a formula in Hill order with a space between the elements, its charge last.

    Parameters
    ----------
    text : str
        In RDKit's format: ``C10H12N2O+``; ``*`` is an atom of unknown element.

    >>> spaced_formula("C29H31N7O")
    'C29 H31 N7 O'
    """
    bare, sign, charge = re.fullmatch(r"([A-Za-z0-9*]*)([+-]?)(\d*)", text).groups()  # type: ignore[union-attr]
    parts = [f"{element}{count}" for element, count in _PART.findall(bare)]
    if sign:
        parts.append(f"{'' if sign == '+' else '-'}{charge or 1}")
    return " ".join(parts)
