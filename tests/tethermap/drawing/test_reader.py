import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rdkit import Chem

from tethermap.drawing.reader import inline_svg, read_depiction
from tethermap.drawing.series import core_svg

SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 200 100" width="200px"
     height="100px" onload="alert(1)">
<style>path { fill: red }</style><script>alert(1)</script>
<title>whole</title>
<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
<path class="bond-0" d="M 1.0,2.5 L 3.0,-0.0" fill="none" stroke="#000" style="stroke-width:2.0px"/>
<path class="bond-1" d="M 5,6 L 7,8" fill="none" stroke="#000"/>
<circle id="c" data-index="0" cx="1.0" cy="-0.0" r="3" onclick="x()"><title>C1: 5 &lt; 6</title></circle>
<use xlink:href="#g"/><use xlink:href="http://elsewhere/x.svg#a"/>
<a href="http://elsewhere/"><path d="M0 0"/></a>
<foreignObject><b>no</b></foreignObject>
<text x="1" y="74">words</text>
<g class="legend"><text x="1" y="2">legend</text></g>
</svg>"""


def drawing(content: str) -> str:
    """Return the markup that a page shows of a drawing."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{content}</svg>'
    return inline_svg(read_depiction(svg), "", numbered=True).partition(">")[2].removesuffix("</svg>")


def test_scripts_styles_ids_data_and_texts_on_the_whole_are_removed() -> None:
    svg = inline_svg(read_depiction(SVG), "label")
    assert not re.search(r"style|script|onload|onclick|elsewhere|foreign|<a |id=|data-", svg)
    assert not re.search("words|whole|legend|linearGradient", svg)
    assert "width=" not in svg.partition(">")[0]  # the picture scales


@pytest.mark.parametrize(
    "shown",
    [
        '<path fill="none" stroke="#000" d="M1 2.5L3 0M5 6L7 8"/>',  # neighbouring paths of one style become one
        '<circle cx="1" cy="0" r="3"><title>C1: 5 &lt; 6</title></circle>',  # labels of atoms remain and are escaped
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 60" font-family="system-ui,',
        'aria-label="a &quot;label&quot;"',
    ],
)
def test_drawing_has_a_text_alternative_and_shorter_elements(shown: str) -> None:
    assert shown in inline_svg(read_depiction(SVG), 'a "label"')


def test_paths_that_look_different_stay_apart() -> None:
    paths = drawing('<path d="M 1,1" opacity="0.4" fill="none"/><path d="M 3,3" fill="none"/>')
    assert paths == '<path opacity="0.4" fill="none" d="M1 1"/><path fill="none" d="M3 3"/>'


def test_text_keeps_its_parts_in_order() -> None:
    text = '<g><text x="1">a <tspan font-weight="600">b</tspan> &lt;c<title>d</title></text></g>'
    assert drawing(text) == text


def test_atoms_of_a_core_are_numbered_away_from_the_middle() -> None:
    circles = "".join(f'<circle data-core-index="{k}" cx="{x}" cy="5" r="1"/>' for k, x in ((2, 10), (1, 30)))
    assert '<text x="-6" y="8.5">3</text><text x="46" y="8.5">2</text>' in drawing(f'<g class="atoms">{circles}</g>')


def test_atoms_of_a_core_have_their_places_in_the_core() -> None:
    layout = np.array([[0.0, 0.0], [1.5, 0.0], [3.0, 0.0]])
    atoms = read_depiction(core_svg(Chem.MolFromSmiles("CCO"), layout, [2, 0, 1], ["S001"])).atoms
    assert [atom.index for atom in sorted(atoms, key=lambda atom: atom.x)] == [1, 2, 0]


NUMBERS = st.decimals(-999, 999, places=2) | st.decimals(-999, 999, places=1) | st.integers(-999, 999)


@given(st.lists(st.tuples(st.sampled_from("MLQ"), NUMBERS, NUMBERS), min_size=1))
def test_shortened_outlines_have_the_same_numbers(parts: list[tuple[str, object, object]]) -> None:
    outline = " ".join(f"{a} {x},{y}" for a, x, y in parts)
    found = re.fullmatch(r'<path d="([^"]*)"/>', drawing(f'<path d="{outline}"/>'))
    assert found
    assert re.findall("[A-Z]", found[1]) == [letter for letter, _, _ in parts]
    numbers = [float(number) for number in re.findall(r"[^ A-Z]+", found[1])]
    assert numbers == [float(str(number)) for _, *pair in parts for number in pair]


def test_values_of_another_form_are_left_out() -> None:
    hostile = '<path d="M 1.0,2 &quot;/>&lt;script>"/><g fill="url(//elsewhere)" transform="matrix(1)"/>'
    assert drawing(hostile) == "<g/>"


@pytest.mark.parametrize("text", ["<svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'])
def test_damaged_file_is_refused(text: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        read_depiction(text)
