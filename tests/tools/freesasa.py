"""FreeSASA, against which the areas are checked."""

from __future__ import annotations

import freesasa
import numpy as np

from scripts.lib.arrays import FloatArray


def freesasa_areas(
    xyz: FloatArray, radii: FloatArray, count: int, *, probe_radius: float = 1.4, slices: int = 100
) -> FloatArray:
    """Return the areas of the first of some atoms by Lee and Richards, no two of them in one place."""
    parameters = freesasa.Parameters(
        {"algorithm": freesasa.LeeRichards, "n-slices": slices, "probe-radius": probe_radius, "n-threads": 1}
    )
    result = freesasa.calcCoord(xyz.ravel().tolist(), radii.tolist(), parameters)
    return np.array([result.atomArea(i) for i in range(count)])
