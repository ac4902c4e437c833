from __future__ import annotations

import re

from scripts.lib.report.depictions import inline_svg

SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200px" height="100px"
     onload="alert(1)">
<style>path { fill: red }</style><script>alert(1)</script>
<title>whole</title>
<defs><linearGradient id="g"><stop offset="0" style="stop-color:#fff"/></linearGradient></defs>
<path class="bond-0" d="M 1.234,2.0 L 3.05,-0.04" style="fill:none;stroke:#000;stroke-width:2.0px;stroke-linecap:butt"/>
<path class="bond-1" d="M 5,6 L 7,8" style="fill:none;stroke:#000;stroke-width:2.0px;stroke-linecap:butt"/>
<circle cx="1" cy="2" r="3" fill="url(#g)" onclick="x()"><title>C1: 5 &lt; 6</title></circle>
<use xlink:href="#g"/><use xlink:href="http://elsewhere/x.svg#a"/>
<a href="http://elsewhere/"><path d="M0 0"/></a>
<foreignObject><b>no</b></foreignObject>
<text x="1" y="2">words</text>
</svg>"""


def test_nothing_active_and_no_style_stays() -> None:
    svg = inline_svg(SVG, "p1-", "label")
    assert not re.search(r"style|script|onload|onclick|elsewhere|foreign|<a ", svg)


def test_ids_and_references_get_the_prefix() -> None:
    svg = inline_svg(SVG, "p1-", "label")
    assert 'id="p1-g"' in svg
    assert 'fill="url(#p1-g)"' in svg
    assert '<use href="#p1-g"/>' in svg


def test_styles_become_attributes_and_neighbouring_paths_one() -> None:
    svg = inline_svg(SVG, "", "label")
    assert '<path fill="none" stroke="#000" stroke-width="2" d="M1.2 2L3 0M5 6L7 8"/>' in svg


def test_words_on_atoms_stay_and_are_escaped() -> None:
    assert "<title>C1: 5 &lt; 6</title>" in inline_svg(SVG, "", "label")


def test_the_picture_scales_and_has_a_text_alternative() -> None:
    svg = inline_svg(SVG, "", 'a "label"')
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" role="img"')
    assert 'aria-label="a &quot;label&quot;"' in svg
    assert "width=" not in svg.partition(">")[0]


def test_the_legend_can_be_cut_off() -> None:
    svg = inline_svg(SVG, "", "label", legend=40)
    assert 'viewBox="0 0 200 60"' in svg
    assert "words" not in svg
    assert "whole" not in svg
    assert "C1" in svg
