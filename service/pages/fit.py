"""How far a ligand fits the experiment, in words: what was not compared is told apart from what fits poorly."""

from __future__ import annotations

from service.results.tables import number
from tethermap.base.tables import Row
from tethermap.fit.limits import fits_poorly

FITS = {
    "good": "fits the density",
    "poor": "fits the density poorly",
    "other": "fit told by other measures than RSCC",
    "not_assessed": "fit not assessed",
    "no_report": "no validation report",
}
"""What is known of a fit, in words."""


def fit_of(row: Row) -> str:
    """Return a key of `FITS` for a row of Results_Display."""
    correlation, residual = number(row, "RSCC"), number(row, "RSR")
    if fits_poorly(correlation, residual):
        return "poor"
    if correlation is None:
        return {"assessed": "other", "not_assessed": "not_assessed"}.get(str(row.get("fit_status")), "no_report")
    return "good"
