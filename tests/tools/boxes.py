"""Boxes of the texts of a drawing, measured with a real font."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import combinations
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from PIL import ImageFont

SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LABEL = re.compile(r"atom-\d+")
_MOVE = re.compile(r"translate\(([-\d.]+)[ ,]([-\d.]+)\)")


class Box(NamedTuple):
    """A text or the letters of an atom, with its left, top, right and bottom in pixels."""

    words: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether both share more than a pixel in each direction."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide > 1 and high > 1


def faults_of(svg: str) -> list[str]:
    """Return the texts of a drawing that overlap each other or an atom's letters, and those beyond its frame."""
    root = fromstring(svg)
    left, top, width, height = (float(value) for value in root.attrib["viewBox"].split())
    boxes = list(_boxes(root, 0.0, 0.0))
    out = [
        f"{box.words} is outside"
        for box in boxes
        if box.left < left or box.top < top or box.right > left + width or box.bottom > top + height
    ]
    return out + [f"{one.words} overlaps {other.words}" for one, other in combinations(boxes, 2) if one.meets(other)]


def assert_passive(root: Element) -> None:
    """Check that a page with a strict content security policy can include a drawing."""
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in ("style", "script", "image", "foreignObject")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]


def _boxes(group: Element, dx: float, dy: float) -> list[Box]:
    found: list[Box] = []
    letters: dict[str, list[float]] = defaultdict(list)
    for item in group:
        name = item.get("class", "").strip()
        if item.tag == f"{SVG}g":
            move = _MOVE.fullmatch(item.get("transform", ""))
            found += _boxes(item, dx + float(move[1] if move else 0), dy + float(move[2] if move else 0))
        elif item.tag == f"{SVG}text":
            found.append(_text(item, dx, dy))
        elif item.tag == f"{SVG}path" and _LABEL.fullmatch(name):
            letters[name] += map(float, _NUMBER.findall(item.get("d", "")))
    places = ((name, values[::2], values[1::2]) for name, values in letters.items())
    return found + [Box(name, min(x) + dx, min(y) + dy, max(x) + dx, max(y) + dy) for name, x, y in places]


def _text(item: Element, dx: float, dy: float) -> Box:
    words = (item.text or "") + "".join(
        (part.text or "" if part.tag == f"{SVG}tspan" else "") + (part.tail or "") for part in item
    )
    size = float(item.get("font-size", "16"))
    width = _font().getlength(words) * size / _SIZE
    x, y = float(item.get("x", "0")) + dx, float(item.get("y", "0")) + dy
    left = x - width / 2 if item.get("text-anchor") == "middle" else x
    return Box(words, left, y - 0.72 * size, left + width, y)


_SIZE = 100


@cache
def _font() -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(_SIZE)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font
