"""Pairs of exits as one drawing in the format of a slide."""

from collections.abc import Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from markupsafe import Markup

from service.pages.texts import TEXTS
from tethermap.drawing.card import INK, MUTED, text_width
from tethermap.drawing.reader import Depiction


class SheetPair(NamedTuple):
    """A pair on the sheet: its title, its distance, the actions of both exits, the note, both drawings."""

    title: str
    distance: str
    actions: Sequence[str]
    note: str
    drawings: Sequence[Depiction | None]


WIDTH, HEIGHT = 1280.0, 720.0
"""Size of the sheet in pixels, that of a slide."""

_EDGE, _GAP, _HEAD = 24.0, 16.0, 64.0
_ACTION_LINES, _NOTE_LINES, _LINE = 3, 3, 16.0


def sheet_svg(title: str, pairs: Sequence[SheetPair]) -> Markup:
    """Return pairs as one drawing in the format of a slide, without styles, scripts or links.

    Parameters
    ----------
    title : str
        Both targets.
    pairs : sequence of SheetPair
        At most `MOST_PINS`.
    """
    columns = 1 if len(pairs) <= 2 else 2 if len(pairs) <= 4 else 3
    rows = max(1, ceil(len(pairs) / columns))
    wide = (WIDTH - 2 * _EDGE - (columns - 1) * _GAP) / columns
    high = (HEIGHT - _HEAD - _EDGE - (rows - 1) * _GAP) / rows
    tiles = "".join(
        _tile(pair, _EDGE + k % columns * (wide + _GAP), _HEAD + k // columns * (high + _GAP), wide, high)
        for k, pair in enumerate(pairs)
    )
    label = TEXTS.board.sheet(title=title, n=len(pairs))
    return Markup(  # noqa: S704 - texts are escaped, drawings are written anew
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" width="{WIDTH:.0f}"'
        f' height="{HEIGHT:.0f}" font-family="Segoe UI, Helvetica, Arial, sans-serif" role="img" aria-label="{label}">'
        f'<rect width="{WIDTH:.0f}" height="{HEIGHT:.0f}" fill="#ffffff"/>'
        f"{_text(_fitting(title, 24, WIDTH - 2 * _EDGE, 1), _EDGE, 40, 24, INK, bold=True)}{tiles}</svg>"
    )


def _tile(pair: SheetPair, x: float, y: float, wide: float, high: float) -> str:
    inner, half = wide - 24, (wide - 36) / 2
    actions = [_fitting(action, 12, half, _ACTION_LINES) for action in pair.actions]
    note = _fitting(pair.note, 13, inner, _NOTE_LINES)
    below = _LINE * (max(map(len, actions)) + len(note)) + (26 if note else 14)
    top, tall = y + 54, high - 54 - below
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="8" fill="#fff" stroke="#b8c1ca"/>',
        _text(_fitting(pair.title, 16, inner, 1), x + 12, y + 24, 16, INK, bold=True),
        _text(_fitting(pair.distance, 13, inner, 1), x + 12, y + 44, 13, MUTED),
    ]
    for side, (drawing, lines) in enumerate(zip(pair.drawings, actions, strict=True)):
        left = x + 12 + side * (half + 12)
        if drawing is not None:
            box = " ".join(f"{value:.1f}" for value in drawing.window)
            parts.append(
                f'<svg x="{left:.1f}" y="{top:.1f}" width="{half:.1f}" height="{tall:.1f}" viewBox="{box}"'
                f' stroke-width="2">{drawing.body()}</svg>'
            )
        parts.append(_text(lines, left, top + tall + 16, 12, INK))
    parts.append(_text(note, x + 12, y + high - 8 - _LINE * (len(note) - 1), 13, "#0a5a8a"))
    return "".join(parts)


def _text(lines: Sequence[str], x: float, y: float, size: float, colour: str, *, bold: bool = False) -> str:
    look = f'font-size="{size:.0f}" fill="{colour}"' + (' font-weight="600"' if bold else "")
    return "".join(
        f'<text x="{x:.1f}" y="{y + _LINE * k:.1f}" {look}>{escape(line)}</text>' for k, line in enumerate(lines)
    )


def _fitting(text: str, size: float, wide: float, most: int) -> list[str]:
    """Return a text in at most `most` lines that fit a width, cut off at the end."""

    def fits(line: str) -> bool:
        return text_width(line, size) <= wide

    lines = []
    rest = " ".join(text.split())
    while rest:
        end = next(k for k in range(len(rest), 0, -1) if k == 1 or fits(rest[:k]))
        if end < len(rest) and " " in rest[: end + 1]:
            end = rest.rindex(" ", 0, end + 1)
        lines.append(rest[:end])
        rest = rest[end:].lstrip()
    if len(lines) <= most:
        return lines
    last = f"{lines[most - 1]}…"
    while not fits(last):
        last = f"{last[:-2]}…"
    return [*lines[: most - 1], last]
