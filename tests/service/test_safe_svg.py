"""Depictions in a page: known shapes only, for any file."""

import re
from pathlib import Path

import pytest

from tests.tools.runs import ROOT
from tethermap.drawing.ramp import exposure_colour
from tethermap.drawing.reader import read_depiction

EXPOSED = next((ROOT / "data/examples/exam1hpv").rglob("*_exposed.svg"))

HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"
viewBox="0 0 10 10" onload="e()">
<script>evil()</script><style>* { fill: url(//evil) }</style><foreignObject><p>evil</p></foreignObject>
<a x:href="javascript:evil()"><circle r="1" onclick="evil()" style="fill:url(//evil)" fill="url(//evil)"/></a>
<image href="//evil"/><use href="#a"/><animate attributeName="href" values="javascript:evil()"/>
<g class='q" onclick="evil()' onmouseover="evil()"><path d="M 0,0 L 1,1" onclick="evil()" class="bond-0"/>
<path d="M 0 0&quot; onclick=&quot;evil()"/></g><text>&lt;img src=x onerror=evil()&gt;</text></svg>"""


def test_only_shapes_of_a_hostile_file_are_left() -> None:
    assert read_depiction(HOSTILE).body() == '<g><path d="M0 0L1 1"/></g>'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<svg",
        '<svg xmlns="http://www.w3.org/2000/svg"/>',
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg viewBox="0 0 1 1">&a;</svg>',
        '<svg viewBox="0 0 1 1">' + " " * 2_000_000 + "</svg>",
        '<svg viewBox="0 0 1 1">' + "<g>" * 100_000 + "</g>" * 100_000 + "</svg>",
    ],
    ids=["empty", "cut", "no size", "entities", "huge", "deep"],
)
def test_invalid_depiction_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="depiction"):
        read_depiction(text)


def test_all_atoms_and_bonds_of_a_depiction_are_kept_without_its_legend() -> None:
    text = EXPOSED.read_text(encoding="utf-8")
    drawing = read_depiction(text)
    assert [mark.index for mark in drawing.atoms] == list(range(35))
    outlines = [re.findall(r'<path[^>]* d=["\']([^"\']*)', body) for body in (drawing.body(), text)]
    assert [[line.count("M") for line in lines].count(0) for lines in outlines] == [0, 0]
    assert "".join(outlines[0]).count("M") == "".join(outlines[1]).count("M")
    assert "<text" not in drawing.body()
    assert drawing.height < float(text.split('height="')[1].split('"')[0])


def test_style_sheet_has_the_colours_of_the_ramp() -> None:
    style = Path(ROOT / "service/pages/static/results.css").read_text(encoding="utf-8")
    for step in range(0, 101, 5):
        assert f".x{step} {{ --share: {step}%; --ramp: {exposure_colour(step / 100)}; }}" in style


def test_small_picture_of_a_large_ligand_shows_the_highlighted_exit() -> None:
    atoms = "".join(
        f'<circle class="atom atom-{n}" data-index="{n}" data-atom-name="C{n}" cx="{40 * n}" cy="50" r="9"/>'
        for n in range(51)
    )
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2040 100"><g class="atoms">{atoms}</g></svg>'
    for name, place in (("C0", 0.0), ("C15", 600.0), ("C50", 2000.0)):
        left, _, width, _ = read_depiction(text, [name]).window
        assert width == 460
        assert left <= place <= left + width
    assert read_depiction(text).window == read_depiction(text).box
