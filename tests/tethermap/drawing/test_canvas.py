"""Drawings of molecules."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont
from rdkit import Chem

from tethermap.drawing.canvas import draw
from tethermap.drawing.marks import text_width


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
