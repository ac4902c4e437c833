"""The limits beyond which a fit or a geometry is told as poor, from the reference table with their sources."""

from __future__ import annotations

import csv
from functools import cache, lru_cache

from tethermap.base.reference import FIT_LIMITS


@cache
def limit(name: str) -> float:
    """Return a limit of ``fit_limits.csv``.

    Raises
    ------
    KeyError
        If the table has none of that name.

    Examples
    --------
    >>> limit("rscc_poor")
    0.8
    """
    return float(_table()[name]["limit"])


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, str]]:
    with FIT_LIMITS.open(encoding="utf-8", newline="") as stream:
        return {row["name"]: row for row in csv.DictReader(stream)}
