"""Depictions of ligands coloured by exposure, in any context."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tethermap.base.contexts import CONTEXT_WORDS
from tethermap.drawing.card import MUTED, TEXT_X, Drawing, card, legend, targets
from tethermap.drawing.ramp import STOPS, exposure_colour

SMALLEST_DISC, LARGEST_DISC = 0.26, 0.48
"""Radius of a disc in bond lengths for an atom that is buried, and for one that is open."""

_LEGEND_HEIGHT = 62.0
"""Height of the legend below the drawing, in pixels."""

_DISC_OPACITY = 0.7


class AtomExposure(NamedTuple):
    """Of one atom: its SASA in the complex in square angstroms, and its share of the free one; None if unknown."""

    area: float | None
    relative: float | None


def exposed_card(
    title: str,
    smiles: str,
    drawing: Drawing,
    atoms: Sequence[Mapping[str, str]],
    exposures: Sequence[AtomExposure],
    context: str,
) -> str:
    """Return the depiction of a ligand: colour and size of the disc of an atom show its relative SASA.

    Parameters
    ----------
    drawing : Drawing
        The ligand in one colour.
    atoms : sequence of mapping of str to str
        Data attributes of each atom, without ``data-``.
    exposures : sequence of AtomExposure
        Exposure of each atom.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    discs, labels, data = [], [], []
    for k, ((x, y), atom, (area, relative)) in enumerate(zip(drawing.places.tolist(), atoms, exposures, strict=True)):
        share = min(max(relative or 0.0, 0.0), 1.0)
        radius = drawing.bond * (SMALLEST_DISC + (LARGEST_DISC - SMALLEST_DISC) * share)
        colour = exposure_colour(relative)
        discs.append(f'<circle class="exposure atom-{k}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>')
        words = "not measured" if area is None else f"{area:.1f} Å²"
        of_free = "" if relative is None else f", {100 * relative:.0f} % of free"
        labels.append(f"{atom['atom-name']}: {words}{of_free}")
        measured = "" if area is None else f"{area:.3f}", "" if relative is None else f"{relative:.4f}"
        data.append({**atom, "sasa": measured[0], "relative-sasa": measured[1]})
    areas = [area for area, _ in exposures if area is not None]
    whole = f"{np.array(areas).round(3).sum():.1f} Å² exposed" if areas else "exposure not measured"
    lines = [title, f"{whole} in the complex ({CONTEXT_WORDS[context].name})"]
    parts = [
        f'<g class="discs" fill-opacity="{_DISC_OPACITY}">{"".join(discs)}</g>',
        drawing.body,
        targets(drawing, labels, data),
        legend(lines, drawing) + _ramp_legend(drawing),
    ]
    return card(title, smiles, drawing.box(_LEGEND_HEIGHT), parts)


def _ramp_legend(drawing: Drawing) -> str:
    """Return the colour ramp with its scale: relative SASA in percent."""
    x, y, width = TEXT_X, drawing.height + 38, 120.0
    stops = "".join(f'<stop offset="{share:g}" stop-color="{exposure_colour(share)}"/>' for share, _ in STOPS)
    text = f'font-size="11" fill="{MUTED}"'
    return (
        f'<defs><linearGradient id="exposure-ramp">{stops}</linearGradient></defs>'
        f'<text x="{x:.0f}" y="{y + 9:.0f}" {text}>buried 0 %</text>'
        f'<rect x="{x + 70:.0f}" y="{y:.0f}" width="{width:.0f}" height="10" rx="5" fill="url(#exposure-ramp)"'
        f' fill-opacity="{_DISC_OPACITY}"/>'
        f'<text x="{x + 78 + width:.0f}" y="{y + 9:.0f}" {text}>100 % exposed</text>'
    )
