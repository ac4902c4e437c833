"""The limits beyond which a fit or a geometry is reported as poor, from the reference table with their sources."""

from functools import cache

from tethermap.base.reference import rows_of


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
    return float({row["name"]: row["limit"] for row in rows_of("fit_limits")}[name])


def fits_poorly(rscc: float | None, rsr: float | None) -> bool:
    """Return whether a fit to density is poor by either measure; one that was not assessed is not.

    >>> fits_poorly(0.85, 0.45), fits_poorly(None, None)
    (True, False)
    """
    return (rscc is not None and rscc < limit("rscc_poor")) or (rsr is not None and rsr > limit("rsr_poor"))
