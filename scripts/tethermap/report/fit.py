"""View of the fit of all ligands to the experiment."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.reasons import GEOMETRY_FLAGS
from tethermap.base.tables import Row, split_cell
from tethermap.fit.limits import fits_poorly
from tethermap.fit.model import ASSESSED, NO_REPORT, NOT_ASSESSED


@dataclass(frozen=True, slots=True)
class FitView:
    """The fit of all instances.

    Parameters
    ----------
    rscc : ndarray of float, shape (n,)
        Value of each instance, NaN if it was not assessed.
    statuses : tuple of (str, int)
        Number of instances by ``fit_status``.
    n_poor : int
        Instances that fit the density poorly.
    geometry : tuple of (str, str, int)
        Flags of geometry with their sentences and numbers, the most frequent first.
    """

    rscc: FloatArray
    statuses: tuple[tuple[str, int], ...]
    n_poor: int
    geometry: tuple[tuple[str, str, int], ...]

    @property
    def assessed(self) -> bool:
        """Whether any instance was compared with density."""
        return bool((~np.isnan(self.rscc)).any())


def fit_view(results: Sequence[Row]) -> FitView:
    """Return the view of the rows of Results_Display.

    >>> fit_view([{"RSCC": 0.95, "fit_status": ASSESSED}, {"RSCC": None, "fit_status": NOT_ASSESSED}]).n_poor
    0
    """
    rscc = np.array([np.nan if (value := _number(row, "RSCC")) is None else value for row in results])
    statuses = Counter(str(row.get("fit_status") or NO_REPORT) for row in results)
    flags = Counter(flag for row in results for flag in split_cell(row.get("geometry_flags")))
    return FitView(
        rscc=rscc,
        statuses=tuple((name, statuses[name]) for name in (ASSESSED, NOT_ASSESSED, NO_REPORT) if statuses[name]),
        n_poor=sum(fits_poorly(_number(row, "RSCC"), _number(row, "RSR")) for row in results),
        geometry=tuple((name, GEOMETRY_FLAGS[name], n) for name, n in flags.most_common()),
    )


def _number(row: Row, column: str) -> float | None:
    value = row.get(column)
    return None if value is None else float(value)
