"""A ligand's depiction coloured by its exposure in another context than the one it was drawn for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scripts.lib.exposure.ramp import exposure_colour
from scripts.lib.tables import Value
from service.exposure import relative
from service.job_tables import number

_SMALLEST, _LARGEST = 0.26, 0.48
"""Radius of the disc of a buried and of an open atom, in bond lengths."""

_TARGET = 0.36
"""Radius of the circle that names an atom, in bond lengths."""

_DISC = re.compile(r'(<circle class="exposure atom-(\d+)" cx="[^"]*" cy="[^"]*") r="[^"]*" fill="[^"]*"/>')
_ATOM = re.compile(
    r'(<circle class="atom atom-(\d+)"[^>]*?) data-sasa="[^"]*" data-relative-sasa="[^"]*"([^>]*r="([0-9.]+)"[^>]*)>'
    r"<title>([^<]*): [^<:]*</title>"
)
_TOTAL = re.compile(r">[0-9.]+ Å² exposed in the complex \([^<)]*\)<")
_NAMES = {"target": "target chains", "chain": "nearest chain", "assembly": "assembly", "crystal": "crystal"}


def recoloured(svg: str, atoms: Sequence[Mapping[str, Value]], context: str) -> str:
    """Return an exposed depiction with discs, titles, data and total of a context.

    Parameters
    ----------
    svg : str
        The depiction as the pipeline drew it.
    atoms : sequence of mapping
        Rows of the instance's heavy atoms.
    context : str
        One of `service.exposure.CONTEXTS`.
    """
    column = f"SASA_{context}_A2"
    rows = {int(str(row["sdf_index"])): row for row in atoms}
    sizes = _ATOM.search(svg)
    bond = float(sizes[4]) / _TARGET if sizes else 0.0

    def disc(match: re.Match[str]) -> str:
        share = relative(rows[int(match[2])], column) if int(match[2]) in rows else None
        radius = bond * (_SMALLEST + (_LARGEST - _SMALLEST) * min(max(share or 0.0, 0.0), 1.0))
        return f'{match[1]} r="{radius:.1f}" fill="{exposure_colour(share)}"/>'

    def atom(match: re.Match[str]) -> str:
        row = rows.get(int(match[2]), {})
        area, share = number(row, column), relative(row, column) if row else None
        data = f' data-sasa="{_text(area, 3)}" data-relative-sasa="{_text(share, 4)}"'
        label = f"{match[5]}: " + ("not measured" if area is None else f"{area:.1f} Å²")
        label += f", {100 * share:.0f} % of free" if share is not None else ""
        return f"{match[1]}{data}{match[3]}><title>{label}</title>"

    areas = [number(row, column) for row in atoms]
    known = [area for area in areas if area is not None]
    total = f"{sum(known):.1f} Å² exposed" if known else "exposure not measured"
    svg = _ATOM.sub(atom, _DISC.sub(disc, svg))
    return _TOTAL.sub(lambda _: f">{total} in the complex ({_NAMES[context]})<", svg)


def _text(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
