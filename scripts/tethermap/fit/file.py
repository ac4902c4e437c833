"""The file of a validation report: where it lies, or why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tethermap.fit.report import check_report

MAP_ENDINGS = ("mtz", "ccp4", "map", "mrc", "ccp4.gz", "map.gz", "mrc.gz")
"""Endings of maps, MTZ first."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """Where the report of an entry lies, or why there is none.

    Parameters
    ----------
    status : str
        ``found``, ``none`` (the source has no report), ``off``, or why it can't be had or read.
    path : Path or None
        The file.
    source : str
        Where it comes from: ``rcsb``, ``mirror``, ``files``, ``folder``.
    sha256 : str
        Of the file as it lies there.
    map : Path or None
        A map of the user's own beside the model.
    """

    status: str
    path: Path | None = None
    source: str = ""
    sha256: str = ""
    map: Path | None = None


NONE = ReportFile("none")


def checked(path: Path, source: str) -> ReportFile:
    """Return a report that lies somewhere, or what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return ReportFile(error.strerror or "it can't be read")
    if wrong := check_report(data):
        return ReportFile(wrong)
    return ReportFile("found", path, source, hashlib.sha256(data).hexdigest())


def map_beside(model: Path, stem: str) -> Path | None:
    """Return the map that lies beside a model under its name; MTZ before CCP4."""
    places = (model.with_name(f"{stem}.{suffix}") for suffix in MAP_ENDINGS)
    return next((place for place in places if place.is_file()), None)
