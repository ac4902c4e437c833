"""A ligand's depiction coloured by its exposure in another context than the one it was drawn for."""

from __future__ import annotations

from collections.abc import Sequence

from service.results.exposure import relative
from service.results.tables import number
from tethermap.base.contexts import area_column
from tethermap.base.tables import Row
from tethermap.drawing.marks import AtomExposure, in_context


def recoloured(svg: str, atoms: Sequence[Row], context: str) -> str:
    """Return an exposed depiction in a context.

    Parameters
    ----------
    svg : str
        The depiction as the pipeline drew it.
    atoms : sequence of mapping
        Rows of the instance's heavy atoms.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    column = area_column(context)
    exposures = {int(str(row["sdf_index"])): AtomExposure(number(row, column), relative(row, column)) for row in atoms}
    return in_context(svg, exposures, context)
