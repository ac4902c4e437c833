"""The depiction of exits: numbered arrows on the ligand, and a line for each.

Open and closed exits differ in colour (blue, vermilion), line (solid, dashed) and number (filled, hollow), so that no
reader has to distinguish colours.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.reasons import EXIT_EVIDENCE, EXIT_REASONS
from tethermap.drawing.canvas import drawn
from tethermap.drawing.card import INK, LEGEND_CLASS, MUTED, TEXT_X, Drawing, card, legend, targets, text_width
from tethermap.drawing.ligand import atom_data, instance_title, missing_stubs, stub_ends
from tethermap.exits.arrows import BADGE, Arrow, best_of_sites, pale_groups, place_arrows
from tethermap.exits.geometry import CONE
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import SHOWN_SITES
from tethermap.exits.model import Exit
from tethermap.exits.words import HEAD_HEIGHT, LINE_HEIGHT, MUCH_GIVEN_UP
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

OPEN, CLOSED = "#0072b2", "#b34700"
"""Blue and a darker vermilion after Okabe and Ito (2008), with a contrast of at least 5 on white."""

SEEN = "#7a3e9d"
"""Purple for exits observed in a crystal, with a contrast of 6 on white."""

ATOM_EDGE, EDGE = 26.0, 10.0
"""Least distance of atoms and of numbers from the edge, in pixels."""

NARROWEST = 620.0
"""Least width, so that the lines below the drawing fit, in pixels."""

NAMED_ATOMS = 2
"""Atoms of a leaving group that a line names."""

_LEAVING = 'stroke-dasharray="3 2.5" opacity="0.38"'
_PATH = re.compile(r"<path class='([^']*)'")
_BAR = 54.0
_LINE, _SMALL = 12.0, 11.0
"""Sizes of text in pixels."""


def exits_svg(
    record: LigandMolecule,
    instance: Instance,
    graph: LigandGraph,
    exits: Sequence[Exit],
    *,
    seen: Sequence[Exit] = (),
    beside_missing: frozenset[int] = frozenset(),
) -> str:
    """Return the depiction of a ligand with its best exit sites numbered by `site_rank`.

    An arrow at the best anchor of each site points away from the drawing; its fan is as wide as the free fraction of
    the 60 degree cone. The leaving group is pale and dashed.

    Parameters
    ----------
    exits : sequence of Exit
        Its candidates, ranked ones first.
    seen : sequence of Exit
        Observed exit of the target's half, if two proteins bind the ligand.
    beside_missing : frozenset of int
        Atoms with a neighbour that was not modelled.
    """
    shown = best_of_sites(exits, SHOWN_SITES)
    bare = drawn(record.flat, coloured=True, prepare=record.sanitised)
    leaving = {f"atom-{k}" for group in pale_groups(shown) for k in group}
    pale = {True: "", False: f" {_LEAVING}"}
    body = _PATH.sub(lambda path: f"{path[0]}{pale[leaving.isdisjoint(path[1].split())]}", bare.body)
    note, seen_note = _note(exits, len(shown)), _seen_note(graph, seen)
    columns = _columns(graph, shown)
    narrowest = max(columns["end"], *(TEXT_X + text_width(text, _LINE) for text in (note, seen_note)))
    placed = place_arrows(graph, shown, bare.places, bare.bond)
    drawing, arrows = _framed(
        replace(bare, body=body), placed, stub_ends(bare, beside_missing), max(narrowest + TEXT_X, NARROWEST)
    )
    head = HEAD_HEIGHT + (LINE_HEIGHT if seen_note else 0.0)
    lines = [_line(graph, exit_, drawing.height + head + LINE_HEIGHT * k, columns) for k, exit_ in enumerate(shown)]
    pairs = list(zip(shown, arrows, strict=True))
    parts = [
        f'<g class="fans">{"".join(_fan(exit_, arrow, drawing.bond) for exit_, arrow in pairs)}</g>',
        missing_stubs(record, drawing, beside_missing),
        drawing.body,
        *(_seen_bond(graph, exit_, drawing) for exit_ in seen),
        targets(drawing, record.names, atom_data(record, instance)),
        *(_arrow(graph, exit_, arrow) for exit_, arrow in pairs),
        legend([instance_title(instance), note, seen_note], drawing),
        f'<g class="{LEGEND_CLASS}">{"".join(lines)}</g>' if lines else "",
    ]
    title = f"Where a linker can leave {instance_title(instance)}"
    description = ". ".join(_sentence(graph, exit_) for exit_ in shown) or "No place for a linker was found"
    return card(title, description, drawing.box(head + LINE_HEIGHT * len(shown)), parts)


def _framed(
    drawing: Drawing, arrows: Sequence[Arrow], stubs: FloatArray, narrowest: float
) -> tuple[Drawing, list[Arrow]]:
    """Return a drawing and its arrows moved into a frame that contains both, wide enough for the lines below.

    Parameters
    ----------
    stubs : ndarray of float, shape (n, 2)
        The question marks.
    narrowest : float
        Least width, in pixels.
    """
    ends = np.array([*(arrow.badge for arrow in arrows), *stubs]).reshape(-1, 2)
    spread = BADGE + EDGE - ATOM_EDGE
    points = np.concatenate([drawing.places, ends - spread, ends + spread])
    low, high = points.min(axis=0) - ATOM_EDGE, points.max(axis=0) + ATOM_EDGE
    width, height = (float(size) for size in np.ceil(high - low))
    low[0] -= max(narrowest - width, 0.0) / 2
    shift = -np.round(low)
    moved = [Arrow(arrow.angle, *(point + shift for point in arrow[1:])) for arrow in arrows]
    body = f'<g transform="translate({shift[0]:.0f} {shift[1]:.0f})">{drawing.body}</g>'
    framed = replace(drawing, body=body, places=drawing.places + shift, width=max(width, narrowest), height=height)
    return framed, moved


def _columns(graph: LigandGraph, shown: Sequence[Exit]) -> dict[str, float]:
    """Return the start of each column of the lines and the end of the last, in pixels, so that no texts overlap."""
    names = (f"{graph.names[one.candidate.anchor]} {_replaced(graph, one)}" for one in shown)
    doubts = (f"{one.evidence.grade} {_doubts(one.evidence.reasons, one.area_lost)}" for one in shown if one.evidence)
    anchor = max((text_width(text, _LINE) for text in names), default=0.0)
    chemistry = max((text_width(one.chem_class, _SMALL) for one in shown), default=0.0)
    grade = max((text_width(text, _SMALL) for text in doubts), default=0.0)
    columns = {"anchor": TEXT_X + 20.0}
    columns["class"] = max(196.0, columns["anchor"] + anchor + 12)
    columns["bar"] = columns["class"] + max(180.0, chemistry + 12)
    columns["share"] = columns["bar"] + _BAR + 6.0
    columns["grade"] = columns["share"] + 46.0
    columns["end"] = columns["grade"] + grade
    return columns


def _fan(exit_: Exit, arrow: Arrow, bond: float) -> str:
    """Return a sector around an arrow, as wide as the free share of the cone."""
    half = float(CONE) * exit_.way_out
    if exit_.closed or half < np.radians(1):
        return ""
    x, y = arrow.anchor.tolist()
    radius = 1.25 * bond
    angles = arrow.angle - half, arrow.angle + half
    (x1, y1), (x2, y2) = ((x + radius * np.cos(angle), y + radius * np.sin(angle)) for angle in angles)
    return (
        f'<path d="M {x:.1f},{y:.1f} L {x1:.1f},{y1:.1f} A {radius:.1f} {radius:.1f} 0 0 1 {x2:.1f},{y2:.1f} Z"'
        f' fill="{OPEN}" fill-opacity="0.12"/>'
    )


def _arrow(graph: LigandGraph, exit_: Exit, arrow: Arrow) -> str:
    """Return an arrow with its head and its number, named for pages by data attributes."""
    x1, y1 = arrow.start.tolist()
    colour = CLOSED if exit_.closed else OPEN
    unit = np.array([np.cos(arrow.angle), np.sin(arrow.angle)])
    base = arrow.end - 8 * unit
    head = _head(arrow.end, base, 4.5 * unit)
    dashes = ' stroke-dasharray="4 3"' if exit_.closed else ""
    data = {
        "site-rank": exit_.site_rank, "rank": exit_.rank, "index": exit_.candidate.anchor,
        "anchor": graph.names[exit_.candidate.anchor], "kind": exit_.candidate.kind,
        "closed": str(exit_.closed).lower(),
    }  # fmt: skip
    attributes = "".join(f' data-{name}="{escape(str(value), quote=True)}"' for name, value in data.items())
    return (
        f'<g class="exit exit-{exit_.site_rank}"{attributes}><title>{escape(_sentence(graph, exit_))}</title>'
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{base[0]:.1f}" y2="{base[1]:.1f}" stroke="{colour}"'
        f' stroke-width="2.4"{dashes}/><polygon points="{head}" fill="{colour}"/>'
        f"{_badge(exit_, float(arrow.badge[0]), float(arrow.badge[1]), BADGE)}</g>"
    )


def _seen_bond(graph: LigandGraph, exit_: Exit, drawing: Drawing) -> str:
    """Return the observed bond to the linker, as an arrow from the target's half."""
    anchor, first = exit_.candidate.anchor, exit_.candidate.leaving[0]
    begin, end = drawing.places[anchor], drawing.places[first]
    along = (end - begin) / max(float(np.linalg.norm(end - begin)), 1.0)
    head = _head(end, end - 10 * along, 6 * along)
    (x1, y1), (x2, y2) = begin.tolist(), (end - 8 * along).tolist()
    return (
        f'<g class="seen" data-anchor="{escape(graph.names[anchor], quote=True)}"'
        f' data-linker="{escape(graph.names[first], quote=True)}"><title>{escape(_seen_note(graph, [exit_]))}'
        f'</title><line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{SEEN}" stroke-width="6"'
        f' stroke-opacity="0.55"/><polygon points="{head}" fill="{SEEN}"/></g>'
    )


def _head(tip: FloatArray, base: FloatArray, half: FloatArray) -> str:
    """Return the corners of an arrow's head; `half` is a vector along it, as long as half of its base."""
    across = np.array([-half[1], half[0]])
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, base + across, base - across))


def _seen_note(graph: LigandGraph, seen: Sequence[Exit]) -> str:
    bonds = [f"{graph.names[one.candidate.anchor]} by {graph.names[one.candidate.leaving[0]]}" for one in seen]
    return f"Purple: seen in this crystal, the linker leaves {', '.join(bonds)}." if bonds else ""


def _badge(exit_: Exit, x: float, y: float, radius: float) -> str:
    """Return the number of a site in a circle: filled when open, hollow when closed."""
    fill, ink, ring = ("#ffffff", CLOSED, CLOSED) if exit_.closed else (OPEN, "#ffffff", OPEN)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{ring}" stroke-width="1.6"/>'
        f'<text x="{x:.1f}" y="{y + 0.38 * radius + 0.2:.1f}" font-size="{1.15 * radius:.1f}" font-weight="700"'
        f' text-anchor="middle" fill="{ink}">{exit_.site_rank}</text>'
    )


def _line(graph: LigandGraph, exit_: Exit, y: float, columns: Mapping[str, float]) -> str:
    """Return one line of the table below the drawing."""
    share = exit_.way_out
    small = f'font-size="{_SMALL:.0f}" fill="{MUTED}"'
    way = "closed" if exit_.closed else f"{100 * share:.0f} %"
    x = {name: f"{left:.0f}" for name, left in columns.items()}
    return (
        f'<g class="line">{_badge(exit_, TEXT_X + 8, y - 4, 7.5)}'
        f'<text x="{x["anchor"]}" y="{y:.0f}" font-size="12" fill="{INK}"><tspan font-weight="600">'
        f"{escape(graph.names[exit_.candidate.anchor])}</tspan> {escape(_replaced(graph, exit_))}</text>"
        f'<text x="{x["class"]}" y="{y:.0f}" {small}>{escape(exit_.chem_class)}</text>'
        f'<rect x="{x["bar"]}" y="{y - 9:.0f}" width="{_BAR:.0f}" height="9" fill="#eaeef2"/>'
        f'<rect x="{x["bar"]}" y="{y - 9:.0f}" width="{_BAR * share:.1f}" height="9" fill="{OPEN}"/>'
        f'<text x="{x["share"]}" y="{y:.0f}" {small}>{way}</text>{_grade(exit_, x["grade"], y)}</g>'
    )


def _grade(exit_: Exit, x: str, y: float) -> str:
    """Return the grade of the evidence, with its reasons as a tooltip."""
    if exit_.evidence is None:
        return ""
    codes = exit_.evidence.reasons
    reasons = " ".join(EXIT_EVIDENCE[code].sentence for code in codes) or "Nothing speaks against it."
    return (
        f'<text x="{x}" y="{y:.0f}" font-size="11" fill="{MUTED}"><tspan font-weight="700" fill="{INK}">'
        f"{exit_.evidence.grade}</tspan> {escape(_doubts(codes, exit_.area_lost))}"
        f"<title>{escape(reasons)}</title></text>"
    )


def _doubts(reasons: Sequence[str], area_lost: float) -> str:
    """Return the most serious reason of a grade as words, and the number of other reasons; else the lost contacts."""
    if not reasons:
        return f"gives up {area_lost:.0f} Å²" if area_lost >= MUCH_GIVEN_UP else "no doubt"
    return reasons[0].replace("_", " ") + (f" +{len(reasons) - 1}" if len(reasons) > 1 else "")


def _replaced(graph: LigandGraph, exit_: Exit) -> str:
    """Describe the group that the linker replaces: ``for H``, ``for O25 C26``."""
    leaving = exit_.candidate.leaving_names(graph)
    if not leaving:
        return "for a hydrogen"
    named = " ".join(leaving[:NAMED_ATOMS])
    more = len(leaving) - NAMED_ATOMS
    unseen = ", not modelled" if exit_.candidate.unseen else ""
    return f"for {named}" + (f" +{more}" if more > 0 else "") + unseen


def _sentence(graph: LigandGraph, exit_: Exit) -> str:
    shut = "no open way out in this structure" if exit_.closed else f"{100 * exit_.way_out:.0f} % of the way out free"
    return (
        f"Site {exit_.site_rank}: {graph.names[exit_.candidate.anchor]} {_replaced(graph, exit_)}, {exit_.chem_class},"
        f" {shut}, score {exit_.score:.2f}" + (f", evidence {exit_.evidence.grade}" if exit_.evidence else "")
    )


def _note(exits: Sequence[Exit], n_shown: int) -> str:
    """Return the second line of the title: the content of the drawing, or the reason why it is empty."""
    n_sites = len({exit_.site_rank for exit_ in exits if exit_.site_rank is not None})
    if not n_sites:
        reasons = sorted({exit_.reason for exit_ in exits} or {"no_candidate"})
        return "No place for a linker: " + " ".join(EXIT_REASONS[reason] for reason in reasons)
    count = f"best {n_shown} of {n_sites} sites" if n_sites > n_shown else f"{n_sites} site{'s'[: n_sites > 1]}"
    return f"Where a linker can leave: {count}. Pale: leaves. Fan and bar: free share of the way out."
