"""The file of a validation report, or the reason why there is none."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tethermap.base.packed import SUFFIXES
from tethermap.fit.report import check_report

MAP_ENDINGS = ("mtz", "ccp4", "map", "mrc")
"""Endings of maps, MTZ first."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """Path of an entry's report, or the reason why there is none.

    Parameters
    ----------
    status : str
        ``found``, ``none`` (the source has no report), ``off``, or the reason why it is missing or unreadable.
    path : Path or None
        The file.
    source : str
        Source of the report: ``rcsb``, ``mirror``, ``files``, ``folder``.
    sha256 : str
        Hash of the stored file.
    map : Path or None
        A map of the user's own next to the model.
    """

    status: str
    path: Path | None = None
    source: str = ""
    sha256: str = ""
    map: Path | None = None


NONE = ReportFile("none")


def checked(path: Path, source: str) -> ReportFile:
    """Return an existing report, or the fault of it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return ReportFile(error.strerror or "it can't be read")
    if wrong := check_report(data):
        return ReportFile(wrong)
    return ReportFile("found", path, source, hashlib.sha256(data).hexdigest())


def map_beside(model: Path, stem: str) -> Path | None:
    """Return the map with the name of a model in the same folder, packed or not; MTZ is preferred to CCP4."""
    endings = [f".{ending}{packer}" for ending in MAP_ENDINGS for packer in ("", *SUFFIXES)]
    places = (model.with_name(stem + name) for ending in endings for name in (ending, ending.upper()))
    return next((place for place in places if place.is_file()), None)
