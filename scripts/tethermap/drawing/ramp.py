"""The colours of relative exposure, the same in depictions, viewers and plots.

Dark blue over grey to light orange: lightness rises with exposure, so that the ramp is clear in grey, and the ends
differ in hue for every common kind of colour vision (after cividis, Nuñez, Anderton & Renslow 2018,
doi:10.1371/journal.pone.0199239).
"""

import math
from functools import lru_cache

STOPS = ((0.0, (0x2C, 0x48, 0x96)), (0.5, (0x88, 0x80, 0x89)), (1.0, (0xFF, 0xA7, 0x33)))
"""Relative SASA and red, green, blue."""

UNKNOWN = "#d0d5da"
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
    ('#2c4896', '#ffa733')
    """
    if relative_sasa is None or math.isnan(relative_sasa):
        return UNKNOWN
    value = min(max(relative_sasa, 0.0), 1.0)
    (low, first), (high, second) = STOPS[:2] if value <= STOPS[1][0] else STOPS[1:]
    part = (value - low) / (high - low)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(first, second, strict=True))
