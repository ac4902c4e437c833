"""View of the fit of all ligands to the experiment."""

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from tethermap.base.reasons import GEOMETRY_FLAGS
from tethermap.base.tables import Row, split_cell
from tethermap.fit.limits import fits_poorly
from tethermap.fit.model import ASSESSED, NO_REPORT, NOT_ASSESSED


class FitView(SimpleNamespace):
    """The fit of all instances: RSCC of each, NaN if it was not assessed, and numbers by status and by flag."""


def fit_view(results: Sequence[Row]) -> FitView:
    """Return the view of the rows of Results_Display.

    >>> fit_view([{"RSCC": 0.95, "fit_status": ASSESSED}, {"RSCC": None, "fit_status": NOT_ASSESSED}]).n_poor
    0
    """
    rscc = np.array([_number(row, "RSCC") for row in results], dtype=np.float64)
    statuses = Counter(str(row.get("fit_status") or NO_REPORT) for row in results)
    flags = Counter(flag for row in results for flag in split_cell(row.get("geometry_flags")))
    return FitView(
        rscc=rscc,
        assessed=bool((~np.isnan(rscc)).any()),
        statuses=tuple((name, statuses[name]) for name in (ASSESSED, NOT_ASSESSED, NO_REPORT) if statuses[name]),
        n_poor=sum(fits_poorly(_number(row, "RSCC"), _number(row, "RSR")) for row in results),
        geometry=tuple((name, GEOMETRY_FLAGS[name], n) for name, n in flags.most_common()),
    )


def _number(row: Row, column: str) -> float | None:
    value = row.get(column)
    return None if value is None else float(value)
