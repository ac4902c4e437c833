"""Fit of a ligand to the experiment, in words: a missing comparison is distinguished from a poor fit."""

from collections.abc import Mapping

from service.pages.texts import TEXTS
from service.results.tables import number
from tethermap.base.tables import Row
from tethermap.fit.limits import fits_poorly

FITS: Mapping[str, str] = TEXTS.ligand.fits
"""Categories of the fit, in words."""


def fit_of(row: Row) -> str:
    """Return a key of `FITS` for a row of Results_Display."""
    correlation, residual = number(row, "RSCC"), number(row, "RSR")
    if fits_poorly(correlation, residual):
        return "poor"
    if correlation is None:
        return {"assessed": "other", "not_assessed": "not_assessed"}.get(str(row.get("fit_status")), "no_report")
    return "good"
