"""The colours of relative exposure, the same in depictions, viewers and plots.

Blue over grey to orange: the ends differ in lightness and hue for every common kind of colour vision, and both contrast
with light and dark backgrounds (after ColorBrewer's PuOr, Harrower & Brewer 2003, doi:10.1179/000870403235002042).
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

STOPS = ((0.0, (0x3B, 0x5B, 0xA5)), (0.5, (0xC4, 0xC2, 0xC6)), (1.0, (0xE6, 0x6A, 0x00)))
"""Relative SASA and red, green, blue."""

UNKNOWN = "#8c8c8c"
"""Colour of an atom without surface."""


@lru_cache(maxsize=1024)
def exposure_colour(relative_sasa: float | None) -> str:
    """Return the colour of a relative SASA.

    Parameters
    ----------
    relative_sasa : float or None
        0 (buried) to 1 (open), clipped; None or NaN if there is none.

    Returns
    -------
    str
        ``#rrggbb``.

    >>> exposure_colour(0.0), exposure_colour(1.0)
    ('#3b5ba5', '#e66a00')
    """
    if relative_sasa is None or math.isnan(relative_sasa):
        return UNKNOWN
    value = min(max(relative_sasa, 0.0), 1.0)
    for (low, first), (high, second) in pairwise(STOPS):
        if value <= high:
            part = (value - low) / (high - low)
            return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(first, second, strict=True))
    raise AssertionError("a clipped value must be between two stops")
