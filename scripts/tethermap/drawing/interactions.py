"""A ligand with the residues that touch it around, after LIDIA and PoseView: made from its plain depiction.

The molecule is not drawn again: atoms keep their positions in the depiction, residues are placed in the free space
nearest to the atoms they touch.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXT_WORDS, CONTEXTS
from tethermap.base.tables import Row
from tethermap.drawing.card import INK, MUTED, card, legend_line
from tethermap.drawing.reader import Depiction

DISC = 19.0
"""Radius of a residue in pixels; bonds have 39."""

ATOM = 9.0
"""Half the height of an atom's letters in pixels."""

FROM_ATOMS, APART = 56.0, 2 * DISC + 5.0
"""Least distance in pixels of the middle of a residue from atoms, and from other residues."""

MOST_RESIDUES, MOST_ATOMS = 60, 1500
"""Maximum number of residues (those with the strongest contacts) and of ligand atoms."""

MARGIN = 16.0

LEGEND_LINE = 18.0
"""Height of a line of the legend in pixels."""


class Stroke(NamedTuple):
    """Drawing style of a type of contact: words, colour (Okabe and Ito), dashes, width, whether with its length."""

    words: str
    colour: str
    dashes: str
    width: float
    with_length: bool


STROKES: Mapping[str, Stroke] = {
    "covalent": Stroke("covalent bond", INK, "", 3.0, True),
    "metal": Stroke("bond to metal", "#6f42c1", "", 2.0, True),
    "ionic": Stroke("opposite charges", "#d55e00", "2 3", 2.4, True),
    "hbond": Stroke("hydrogen bond", "#0072b2", "6 4", 1.8, True),
    "halogen": Stroke("halogen bond", "#009e73", "6 4", 1.8, True),
    "cation_pi": Stroke("cation and ring", "#b8578f", "9 3 2 3", 1.8, False),
    "pi_stacking": Stroke("stacked rings", "#b07800", "9 3", 1.8, False),
    "water": Stroke("through water", "#2f86b8", "2 5", 1.8, True),
    "hydrophobic": Stroke("hydrophobic", "#8c959f", "1 4", 1.4, False),
}
"""In the order of strength."""

_ANGLES = np.linspace(0.0, 2 * np.pi, 36, endpoint=False)
_SPOKES = np.arange(FROM_ATOMS + 4.0, 460.0, 15.0)
_GRID = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)[:, None] * _SPOKES[:, None]
_TRIED = 16
"""Number of free places of a residue whose lines are examined, those nearest to the atoms."""

_NEAR = 7
"""Number of places of a spoke examined first; usually enough of them are free."""

_BLOCKED = 45.0
"""Penalty of a line that crosses an atom, in pixels."""


@dataclass(frozen=True, slots=True)
class _Residue:
    """A residue with its contacts: (type, name of the ligand atom, distance in angstroms, words)."""

    name: str
    number: str
    title: str
    contacts: list[tuple[str, str, float, str]] = field(default_factory=list)

    @property
    def strength(self) -> tuple[int, float]:
        order = list(STROKES)
        return min((order.index(kind), distance) for kind, _, distance, _ in self.contacts)


def interactions_svg(plain: Depiction, contacts: Iterable[Row], context: str) -> str:
    """Return the depiction of a ligand with the residues that touch it as a file; see `amid_residues`."""
    title, box, parts = amid_residues(plain, contacts, context, plain.body(without=()))
    return card(title, plain.description, box, parts)


def amid_residues(
    plain: Depiction, contacts: Iterable[Row], context: str, ligand: str
) -> tuple[str, tuple[float, float, float, float], list[str]]:
    """Return a ligand with the residues that touch it: title, box in pixels of the ligand's drawing, SVG elements.

    Parameters
    ----------
    plain : Depiction
        Plain depiction of the ligand.
    contacts : iterable of Row
        Its rows of `tethermap.base.tables.CONTACTS`.
    context : str
        Largest of `tethermap.base.contexts.CONTEXTS` whose residues are shown.
    ligand : str
        Elements of `plain`, between the lines and the residues.

    Raises
    ------
    ValueError
        If it has no atoms or too many.
    """
    atoms = {atom.name: (atom.x, atom.y) for atom in plain.atoms}
    if not 0 < len(atoms) <= MOST_ATOMS:
        raise ValueError("no depiction of a ligand with few enough atoms to draw residues around")
    residues = [one for one in _residues(contacts, context) if any(atom in atoms for _, atom, _, _ in one.contacts)]
    residues = residues[:MOST_RESIDUES]
    places = _places(residues, atoms)
    low = np.minimum(places.min(axis=0, initial=np.inf) - DISC - MARGIN, 0.0)
    high = np.maximum(places.max(axis=0, initial=-np.inf) + DISC + MARGIN, (plain.width, plain.height))
    left, top, width, height = (float(value) for value in (*low, *(high - low)))
    words = f"{len(residues)} residue{'' if len(residues) == 1 else 's'} in contact ({CONTEXT_WORDS[context].name})"
    found = {contact[0] for residue in residues for contact in residue.contacts}
    kinds = [kind for kind in STROKES if kind in found]
    words_below, needed = _legend([plain.title, words], kinds, left + MARGIN, top + height, width)
    lines = "".join(_lines(one, place, atoms) for one, place in zip(residues, places, strict=True))
    discs = "".join(_disc(one, place) for one, place in zip(residues, places, strict=True))
    above = f'<g class="residues">{discs}</g>\n<g class="legend">{words_below}</g>'
    parts = [f'<g class="contacts">{lines}</g>', ligand, above]
    return f"{plain.title}: {words}", (left, top, width, height + needed), parts


def _residues(contacts: Iterable[Row], context: str) -> list[_Residue]:
    """Return the residues within a context, those with the strongest contacts first."""
    residues: dict[tuple[str, ...], _Residue] = {}
    for row in contacts:
        kind, where = str(row["type"]), str(row["context"])
        if kind not in STROKES or (where in CONTEXTS and CONTEXTS.index(where) > CONTEXTS.index(context)):
            continue
        key = tuple(str(row[f"partner_{name}"]) for name in ("chain", "residue", "component", "copy"))
        chain, number, component, copy = key
        uniprot = str(row.get("partner_uniprot_residue") or "")
        if key not in residues:
            numbered = f", {row.get('partner_uniprot')} {uniprot}" if uniprot else ""
            place = f"{component} {chain} {number}{f' of copy {copy}' if copy else ''}{numbered}"
            residues[key] = _Residue(component.capitalize(), (uniprot or number) + ("'" if copy else ""), place)
        atom, distance = str(row["ligand_atom"]), float(row["distance_A"] or 0.0)
        words = f"{STROKES[kind].words} {atom} to {row['partner_atom']}, {distance:.1f} Å"
        residues[key].contacts.append((kind, atom, distance, words))
    return sorted(residues.values(), key=lambda one: (*one.strength, one.title))


def _places(residues: Sequence[_Residue], atoms: Mapping[str, tuple[float, float]]) -> FloatArray:
    """Return the middle of each residue in pixels, shape (n_residues, 2): room first, then short free lines."""
    counts = len(atoms), len(residues)
    others = np.array([*atoms.values(), *[(0.0, 0.0)] * len(residues)]).reshape(-1, 2)
    room, wide = np.repeat([FROM_ATOMS, APART], counts), np.repeat([11.0, DISC + 2.0], counts)
    for n_others, residue in enumerate(residues, start=len(atoms)):
        occupied = others[:n_others]
        touched = [atom for _, atom, _, _ in residue.contacts if atom in atoms]
        own = np.array([atoms[atom] for atom in touched])
        places, length = _nearest_free(own, occupied, room[:n_others])
        if len(places):
            lines = Counter(touched)
            ends = np.array([atoms[atom] for atom in lines])
            cost = length + _BLOCKED * _blocked(places, ends, list(lines.values()), occupied, wide[:n_others])
            others[n_others] = places[int(cost.argmin())]
        else:
            others[n_others] = own.mean(axis=0) + _GRID[-1, -1] + 2 * DISC * (n_others - len(atoms))
    return others[len(atoms) :]


def _nearest_free(own: FloatArray, others: FloatArray, room: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the `_TRIED` places nearest to some atoms that are far from all others, and how far they are on average.

    Parameters
    ----------
    own, others : ndarray of float, shape (n, 2)
        The atoms, and all atoms and residues.
    room : ndarray of float, shape (n_others,)
        Least distance from each of `others`.
    """
    middle = own.mean(axis=0)
    apart = middle - others
    for grid in (_GRID[:, :_NEAR], _GRID):
        spots = grid.reshape(-1, 2)
        free = 2 * spots @ apart.T + _squared(spots)[:, None] >= room**2 - _squared(apart)
        places = middle + spots[free.all(axis=1)]
        away_x, away_y = (places[:, None, axis] - own[:, axis] for axis in (0, 1))
        length = np.sqrt(away_x**2 + away_y**2).sum(axis=1) / len(own)
        nearest = np.argsort(length.round(3), kind="stable")[:_TRIED]
        if len(nearest) == _TRIED and length[nearest[-1]] < _SPOKES[_NEAR] - 0.01:
            break  # places farther away have longer lines; the middle has the shortest
    return places[nearest], length[nearest]


def _squared(points: FloatArray) -> FloatArray:
    """Return the squared length of vectors in the plane; an axis of two is summed slowly."""
    return points[..., 0] ** 2 + points[..., 1] ** 2


def _blocked(
    places: FloatArray, own: FloatArray, weights: Sequence[int], others: FloatArray, wide: FloatArray
) -> FloatArray:
    """Return the number of atoms and residues on the lines from each place to the given atoms, shape (n_places,).

    Parameters
    ----------
    weights : sequence of int
        Number of lines to each of `own`.
    wide : ndarray of float, shape (n_others,)
        How near a line may come to each of `others`.
    """
    ends = np.abs(others[:, None] - own).max(axis=2) < 1e-6  # the atoms to connect
    line = own - places[:, None]  # (place, own atom, axis)
    length = np.maximum(_squared(line), 1e-6)
    from_place = others - places[:, None]  # (place, other, axis)
    along = (from_place @ line.transpose(0, 2, 1) / length[:, None]).clip(0.0, 1.0)
    away_x, away_y = (from_place[:, :, None, axis] - along * line[:, None, :, axis] for axis in (0, 1))
    on_line = (away_x**2 + away_y**2 < wide[:, None] ** 2) & ~ends
    counts: FloatArray = on_line.sum(axis=1) @ np.array(weights)
    return counts


def _lines(residue: _Residue, place: FloatArray, atoms: Mapping[str, tuple[float, float]]) -> str:
    """Return the lines from a residue to the atoms it touches, one for each type and atom."""
    x, y = place.tolist()
    parts, drawn = [], set()
    for kind, atom, distance, words in sorted(residue.contacts, key=lambda one: one[2]):
        if atom not in atoms or (kind, atom) in drawn:
            continue
        drawn.add((kind, atom))
        stroke = STROKES[kind]
        to_x, to_y = atoms[atom]
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        parts.append(
            f'<line class="contact {kind}" x1="{to_x:.1f}" y1="{to_y:.1f}" x2="{x:.1f}" y2="{y:.1f}"'
            f' stroke="{stroke.colour}" stroke-width="{stroke.width}" stroke-linecap="round"{dashes}>'
            f"<title>{escape(words)}</title></line>"
        )
        if stroke.with_length:
            length = max(float(np.hypot(to_x - x, to_y - y)), 1.0)
            share = (ATOM + length - DISC) / 2 / length  # in the middle of the visible part of the line
            label_x, label_y = to_x + share * (x - to_x), to_y + share * (y - to_y)
            parts.append(
                f'<text x="{label_x:.1f}" y="{label_y - 3:.1f}" font-size="9.5" text-anchor="middle"'
                f' fill="{stroke.colour}">{distance:.1f}</text>'
            )
    return "".join(parts)


def _disc(residue: _Residue, place: FloatArray) -> str:
    x, y = place.tolist()
    colour = list(STROKES.values())[residue.strength[0]].colour
    words = "; ".join(dict.fromkeys(one[3] for one in residue.contacts))
    text = f'font-size="10" text-anchor="middle" fill="{INK}"'
    return (
        f'<g class="residue"><title>{escape(f"{residue.title}: {words}")}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DISC:.0f}" fill="#f6f8fa" stroke="{colour}"'
        f' stroke-width="1.6"/><text x="{x:.1f}" y="{y - 1.5:.1f}" {text}>{escape(residue.name)}</text>'
        f'<text x="{x:.1f}" y="{y + 10:.1f}" font-weight="600" {text}>{escape(residue.number, quote=False)}</text></g>'
    )


def _legend(lines: Sequence[str], kinds: Sequence[str], x: float, y: float, width: float) -> tuple[str, float]:
    """Return the legend below the drawing, and its height in pixels."""
    parts: list[str] = []
    top = y + LEGEND_LINE
    for line in lines:
        parts.append(legend_line(line, x, top, first=not parts))
        top += LEGEND_LINE
    left = x
    for kind in kinds:
        stroke = STROKES[kind]
        wide = 34.0 + 6.2 * len(stroke.words)
        if left > x and left + wide > x + width - 2 * MARGIN:
            left, top = x, top + LEGEND_LINE
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        parts.append(
            f'<line x1="{left:.0f}" y1="{top - 4:.0f}" x2="{left + 22:.0f}" y2="{top - 4:.0f}" stroke="{stroke.colour}"'
            f' stroke-width="{stroke.width}" stroke-linecap="round"{dashes}/>'
            f'<text x="{left + 27:.0f}" y="{top:.0f}" font-size="11" fill="{MUTED}">{stroke.words}</text>'
        )
        left += wide + 8.0
    return "".join(parts), top + (LEGEND_LINE if kinds else 0.0) - y
