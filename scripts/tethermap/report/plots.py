"""Plots of the report as small SVG texts: no library, no styles, no ids, the page's CSS colours them.

Each function returns one ``<svg>`` element with a text alternative. Sizes are in pixels; numbers
have one decimal at most, so that the same values always give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.drawing.ramp import exposure_colour
from tethermap.report.texts import TEXTS

_T = TEXTS.figures

WIDTH = 560
_CHARACTER = 7.4


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, its length and its final text."""

    label: str
    value: int
    note: str = ""


def funnel(bars: Sequence[Bar], title: str) -> str:
    """Return horizontal bars, one a stage, all to one scale.

    Parameters
    ----------
    bars : sequence of Bar
        Stages from first to last.
    title : str
        Text alternative.

    >>> funnel([Bar("found", 4), Bar("kept", 0)], "entries").count('class="bar empty"')
    1
    """
    left, row, right = 180, 30, 140
    longest = max((bar.value for bar in bars), default=0)
    parts = []
    for index, bar in enumerate(bars):
        middle = index * row + row / 2
        length = (WIDTH - left - right) * bar.value / longest if longest else 0
        parts.append(_text(left - 10, middle + 4, bar.label, "end"))
        parts.append(_rect(left, middle - 9, max(length, 1.0), 18, "bar" if bar.value else "bar empty"))
        note = f'<tspan dx="8">{escape(bar.note)}</tspan>' if bar.note else ""
        end = f'<tspan class="strong">{bar.value}</tspan>{note}'
        parts.append(f'<text x="{_number(left + max(length, 1.0) + 8)}" y="{_number(middle + 4)}">{end}</text>')
    return _svg(WIDTH, len(bars) * row, title, parts)


def histogram(values: FloatArray, title: str, x_label: str, y_label: str, bins: int = 20) -> str:
    """Return the distribution of fractions between 0 and 1.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Fractions; NaN are left out.
    title, x_label, y_label : str
        Texts.
    """
    known = values[~np.isnan(values)]
    counts = np.histogram(np.clip(known, 0.0, 1.0), bins=bins, range=(0.0, 1.0))[0]
    left, top, height, base = 56, 18, 190, 212
    span = WIDTH - left - 16
    highest = _round_up(int(counts.max(initial=1)))
    parts = []
    for tick in range(0, highest + 1, max(1, highest // 4)):
        y = base - height * tick / highest
        parts.append(f'<line class="grid" x1="{left}" x2="{left + span}" y1="{_number(y)}" y2="{_number(y)}"/>')
        parts.append(_text(left - 8, y + 4, str(tick), "end"))
    for index, count in enumerate(counts.tolist()):
        x, size = left + span * index / bins, height * count / highest
        label = _T.bin.plain(first=f"{index / bins:.2f}", last=f"{(index + 1) / bins:.2f}", n=count)
        parts.append(_rect(x + 1, base - size, span / bins - 2, size, "bar", label))
    parts += [_text(left + span * t / 10, base + 18, f"{t / 10:.1f}", "middle") for t in range(0, 11, 2)]
    if len(known):
        x = left + span * float(np.clip(np.median(known), 0.0, 1.0))
        parts.append(f'<line class="median" x1="{_number(x)}" x2="{_number(x)}" y1="{top}" y2="{base}"/>')
        parts.append(_text(x, top - 8, _T.median.plain(value=f"{np.median(known):.2f}"), "middle", "strong"))
    parts.append(_text(left + span / 2, base + 40, x_label, "middle"))
    turn = f"translate(14 {(top + base) / 2:.0f}) rotate(-90)"
    parts.append(f'<text transform="{turn}" text-anchor="middle">{escape(y_label)}</text>')
    axis = f'<line class="axis" x1="{left}" x2="{left + span}" y1="{base}" y2="{base}"/>'
    return _svg(WIDTH, base + 50, title, [axis, *parts])


def box_rows(groups: Sequence[tuple[str, FloatArray]], title: str, x_label: str) -> str:
    """Return one box plot a group, lying: ends at the 5th and 95th percentile, box at the quartiles.

    Parameters
    ----------
    groups : sequence of (str, ndarray of float)
        Label and fractions between 0 and 1 of each group; NaN are left out.
    title, x_label : str
        Texts.
    """
    left, row, right = 110, 34, 130
    span = WIDTH - left - right
    base = len(groups) * row + 6
    parts = []
    for tenth in range(0, 11, 2):
        x = _number(left + span * tenth / 10)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="4" y2="{base}"/>')
        parts.append(_text(left + span * tenth / 10, base + 16, f"{tenth / 10:.1f}", "middle"))
    for index, (label, values) in enumerate(groups):
        middle = index * row + row / 2 + 4
        known = np.clip(values[~np.isnan(values)], 0.0, 1.0)
        parts.append(_text(left - 10, middle + 4, label, "end"))
        if not len(known):
            parts.append(_text(left + 8, middle + 4, _T.not_defined, "start", "faint"))
            continue
        low, first, half, third, high = (left + span * float(v) for v in np.percentile(known, (5, 25, 50, 75, 95)))
        counted = {"median": f"{np.median(known):.2f}", "n": len(known)}
        summary = _T.box.plain(label=label, **counted)
        y = _number(middle)
        parts.append(f'<line class="whisker" x1="{_number(low)}" x2="{_number(high)}" y1="{y}" y2="{y}"/>')
        parts.append(_rect(first, middle - 9, max(third - first, 1.0), 18, "box", summary))
        x, ends = _number(half), f'y1="{middle - 11:.0f}" y2="{middle + 11:.0f}"'
        parts.append(f'<line class="median" x1="{x}" x2="{x}" {ends}/>')
        parts.append(_text(left + span + 10, middle + 4, _T.median_of.plain(**counted), "start"))
    parts.append(_text(left + span / 2, base + 36, x_label, "middle"))
    return _svg(WIDTH, base + 46, title, parts)


def heat_map(rows: Sequence[tuple[str, FloatArray]], columns: Sequence[str], title: str) -> str:
    """Return a table of coloured cells with labels.

    Parameters
    ----------
    rows : sequence of (str, ndarray of float of shape (n_columns,))
        Label and fractions between 0 and 1 of each row; NaN cells stay empty.
    columns : sequence of str
        Labels of the columns.
    title : str
        Text alternative.
    """
    cell = 18
    left = 12 + max((len(label) for label, _ in rows), default=0) * _CHARACTER
    top = 14 + max((len(label) for label in columns), default=0) * _CHARACTER
    width = left + len(columns) * cell + 10
    parts = []
    for j, label in enumerate(columns):
        turn = f"translate({_number(left + j * cell + cell / 2 + 4)} {_number(top - 6)}) rotate(-90)"
        parts.append(f'<text transform="{turn}">{escape(label)}</text>')
    for i, (label, values) in enumerate(rows):
        y = top + i * cell
        parts.append(_text(left - 6, y + cell / 2 + 4, label, "end"))
        for j, value in enumerate(values.tolist()):
            name = f"{label}, {columns[j]}"
            if np.isnan(value):
                parts.append(_rect(left + j * cell, y, cell - 1, cell - 1, "missing", _T.no_value.plain(cell=name)))
            else:
                fill = exposure_colour(min(max(value, 0.0), 1.0))
                parts.append(_rect(left + j * cell, y, cell - 1, cell - 1, "", f"{name}: {value:.2f}", fill))
    return _svg(width, top + len(rows) * cell + 4, title, parts)


def ramp(low: str, high: str) -> str:
    """Return the legend of a colour ramp from 0 to 1.

    Parameters
    ----------
    low, high : str
        Meaning of the two ends.
    """
    steps, left = 20, 8 + len(low) * _CHARACTER
    parts = [_text(left - 6, 17, low, "end"), _text(left + steps * 8 + 6, 17, high, "start")]
    parts += [_rect(left + k * 8, 4, 8.5, 18, "", "", exposure_colour((k + 0.5) / steps)) for k in range(steps)]
    return _svg(left + steps * 8 + 16 + len(high) * _CHARACTER, 26, _T.ramp.plain(low=low, high=high), parts)


def _round_up(value: int) -> int:
    """Return the next of 4, 8, 12, 20, 40, 80, 120, 200 … at or above a value."""
    scale = 1
    while True:
        for step in (4, 8, 12, 20):
            if value <= step * scale:
                return step * scale
        scale *= 10


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    position = f'x="{_number(x)}" y="{_number(y)}"'
    return f'<text {position}{_class(kind)} text-anchor="{anchor}">{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, kind: str, title: str = "", fill: str = "") -> str:
    position = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
    colour = f' fill="{fill}"' if fill else ""
    hover = f"<title>{escape(title)}</title>" if title else ""
    start = f"<rect {position}{_class(kind)}{colour}"
    return f"{start}>{hover}</rect>" if hover else f"{start}/>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {size} role="img" aria-label="{escape(title)}">'
    return f"{start}{''.join(parts)}</svg>"
