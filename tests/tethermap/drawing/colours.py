"""Colours as people see them."""

from collections.abc import Sequence

import numpy as np

from tethermap.base.arrays import FloatArray


def linear(rgb: Sequence[float] | FloatArray) -> FloatArray:
    """Return the linear light of an sRGB colour, each from 0 to 1."""
    values = np.array(rgb)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast_with_white(rgb: Sequence[float] | FloatArray) -> float:
    """Return the contrast of a colour with white after WCAG 2, from 1 to 21."""
    return 1.05 / (0.05 + float(linear(rgb) @ [0.2126, 0.7152, 0.0722]))
