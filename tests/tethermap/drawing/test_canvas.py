"""Drawings of molecules."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from PIL import ImageFont
from rdkit import Chem

from tethermap.drawing.canvas import draw
from tethermap.drawing.card import TARGET_RADIUS, free_spots, text_width
from tethermap.molecule.layout2d import molecule_layout


def test_copies_of_a_ligand_share_a_drawing_that_depends_on_layout_and_colour() -> None:
    layout = np.array([[0.0, 0.0], [1.5, 0.0], [2.25, 1.3]])
    first, second = (draw(Chem.MolFromSmiles("CCO"), layout.copy(), coloured=True) for _ in range(2))
    assert first is second
    assert draw(Chem.MolFromSmiles("CCO"), layout, coloured=False).body != first.body
    assert draw(Chem.MolFromSmiles("CCO"), layout * [1, -1], coloured=True).body != first.body


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40), st.sampled_from([11.0, 12.0]))
def test_limit_of_the_width_of_a_text_is_valid_for_a_real_font(text: str, size: float) -> None:
    font = ImageFont.load_default(100)
    assert text_width(text, size) >= font.getlength(text) * size / 100


@pytest.mark.parametrize(
    "smiles", ["c1ccc2ccccc2c1", "C1CC2CCC1C2", "CC(C)(C)c1ncc2[nH]ccc2n1", "c1cc2ccc3cccc4ccc(c1)c2c34"]
)
def test_numbers_of_atoms_are_free_of_all_discs(smiles: str) -> None:
    mol = Chem.MolFromSmiles(smiles)
    places = [(39 / 1.5 * x, 39 / 1.5 * y) for x, y in molecule_layout(mol).tolist()]
    radius = TARGET_RADIUS * 39
    spots = free_spots(places, radius + 9)
    assert min(math.dist(spot, place) for spot in spots for place in places) > radius + 5
    assert min(math.dist(one, other) for one, other in combinations(spots, 2)) > 14
