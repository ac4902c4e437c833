"""Drawings of molecules."""

import numpy as np
from rdkit import Chem

from tethermap.drawing.canvas import draw


def test_copies_of_a_ligand_share_a_drawing_that_depends_on_layout_and_colour() -> None:
    layout = np.array([[0.0, 0.0], [1.5, 0.0], [2.25, 1.3]])
    first, second = (draw(Chem.MolFromSmiles("CCO"), layout.copy(), coloured=True) for _ in range(2))
    assert first is second
    assert draw(Chem.MolFromSmiles("CCO"), layout, coloured=False).body != first.body
    assert draw(Chem.MolFromSmiles("CCO"), layout * [1, -1], coloured=True).body != first.body
