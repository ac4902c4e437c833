from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


NUMBERS = st.decimals(-999, 999, places=3) | st.decimals(-999, 999, places=1) | st.integers(-999, 999)


@given(st.lists(st.tuples(st.sampled_from("MLQ"), NUMBERS, NUMBERS), min_size=1))
def test_outlines_keep_their_numbers_with_one_decimal(parts: list[tuple[str, object, object]]) -> None:
    """Whether they have more or not, which takes another way."""
    outline = " ".join(f"{letter} {x},{y}" for letter, x, y in parts)
    svg = inline_svg(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="{outline}"/></svg>', "", "")
    found = re.search(r'<path d="([^"]*)"/></svg>$', svg)
    assert found
    assert re.findall("[A-Z]", found[1]) == [letter for letter, _, _ in parts]
    numbers = re.findall(r"[^ A-Z]+", found[1])
    expected = [f"{float(str(number)):.1f}".removesuffix(".0") for _, *pair in parts for number in pair]
    assert numbers == ["0" if number == "-0" else number for number in expected]


def test_outlines_are_escaped() -> None:
    svg = inline_svg('<svg viewBox="0 0 9 9"><path d="M 1.0,2 &quot;/>&lt;script>"/></svg>', "", "")
    assert svg.count("<") == svg.count(">") == 3


@given(st.lists(st.tuples(st.text("aéC1'\"&<>·", max_size=5), st.floats(-50, 50), st.floats(0, 50)), min_size=1))
def test_circles_that_name_atoms_are_the_same_read_or_not(atoms: list[tuple[str, float, float]]) -> None:
    circles = "".join(
        f'<circle class="atom atom-{k}" data-atom-name="{escape(name)}" cx="{x:.1f}" cy="{y:.1f}" r="{y:.1f}"'
        f' fill-opacity="0"><title>{escape(name)}</title></circle>'
        for k, (name, x, y) in enumerate(atoms)
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g class="{{}}">{circles}</g></svg>'
    assert inline_svg(svg.format("atoms"), "p1-", "x") == inline_svg(svg.format("others"), "p1-", "x")


def test_neighbouring_paths_that_only_begin_alike_stay_apart() -> None:
    look = 'fill="none" stroke="#23282D"/>'
    paths = f"<path opacity=\"0.4\" class='bond-0' d='M 1,1 L 2,2' {look}\n<path class='bond-1' d='M 3,3 L 4,4' {look}"
    markup = inline_svg(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{paths}</svg>', "p1-", "x")
    assert markup.count("<path") == 2


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0, 50)), min_size=1))
def test_circles_of_exposure_are_the_same_read_or_not(atoms: list[tuple[float, float]]) -> None:
    circles = "".join(
        f'<circle class="exposure atom-{k}" cx="{x:.1f}" cy="{y:.1f}" r="{y:.1f}" fill="#5770ac"/>'
        for k, (x, y) in enumerate(atoms)
    )
    group = f'<g class="{{}}" fill-opacity="0.7">{circles}</g>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{group}</svg>'
    assert inline_svg(svg.format("discs"), "p1-", "x") == inline_svg(svg.format("others"), "p1-", "x")


@given(st.lists(st.booleans(), min_size=1))
def test_pale_paths_are_the_same_read_or_not(leave: list[bool]) -> None:
    pale = 'stroke-dasharray="3 2.5" opacity="0.38"'
    paths = "".join(
        f"<path class='bond-{k} atom-1' {pale if leaves else ''} d='M {k}.5,2.0 L 3.0,-0.0' fill=\"none\" />\n"
        for k, leaves in enumerate(leave)
    ).replace("  d", " d")
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g>{paths}</g></svg>'
    assert inline_svg(svg, "p1-", "x") == inline_svg(svg.replace("'", '"'), "p1-", "x")


@pytest.mark.parametrize("last", ["", '<g class="line"><g><path d="M1 1"/></g></g>', '</g><g><path d="M1 1"/>'])
def test_the_lines_of_exits_are_the_same_cut_off_before_or_after(last: str) -> None:
    line = '<g class="line"><text x="1" y="2">&lt;g&gt;<title>words</title></text></g>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g class="legend">{line}{{}}{last}</g>\n</svg>\n'
    assert inline_svg(svg.format(""), "p1-", "x", legend=4) == inline_svg(svg.format("<g/>"), "p1-", "x", legend=4)
