"""Conditions under which the observed configuration differs from the dictionary's."""

import numpy as np
import pytest
from rdkit import Chem

from tethermap.molecule.stereo import TETRAHEDRAL, assign_stereo, differing_stereo, set_coordinates

HALOMETHANE = np.array([[0, 0, 0], [1.0, 0, -0.4], [-0.5, 0.87, -0.4], [-0.5, -0.87, -0.4]]) * 1.5
"""C with F, Cl and Br below it; the hydrogen above is not seen."""


def _reference(smiles: str, xyz: np.ndarray) -> Chem.Mol:
    mol = Chem.MolFromSmiles(smiles)
    set_coordinates(mol, xyz)
    assign_stereo(mol)
    return mol


@pytest.mark.parametrize(
    ("height", "differs"), [(1.0, False), (0.0, False), (-0.05, False), (-0.13, False), (-0.16, True), (-1.0, True)]
)
def test_inverted_centre_counts_unless_it_is_flat(height: float, differs: bool) -> None:
    """The triple product is 3.5 Å³ at full height; half an Å³ is the limit, below which no hand is assigned."""
    reference = _reference("C(F)(Cl)Br", HALOMETHANE)
    seen = HALOMETHANE * [1, 1, height]
    assigned = _reference("C(F)(Cl)Br", seen).GetAtomWithIdx(0).GetChiralTag() in TETRAHEDRAL
    assert assigned == (abs(height) > 0.14)
    centres, bonds = differing_stereo(seen, reference, [0, 1, 2, 3])
    assert (centres, bonds) == ([0] if differs else [], [])


def test_centre_with_an_unobserved_neighbour_is_not_reported() -> None:
    reference = _reference("C(F)(Cl)Br", HALOMETHANE)
    assert differing_stereo(HALOMETHANE[:3] * [1, 1, -1], reference, [0, 1, 2]) == ([], [])


BUTENE = np.array([[-1.9, 1.2, 0], [-0.67, 0, 0], [0.67, 0, 0], [1.9, -1.2, 0]])


@pytest.mark.parametrize(
    ("turn", "differs"), [(0, False), (50, False), (80, False), (100, False), (130, True), (180, True)]
)
def test_double_bond_counts_beyond_a_right_angle(turn: float, differs: bool) -> None:
    """Turned by 60 to 120 degrees it is neither cis nor trans."""
    reference = _reference("CC=CC", BUTENE)
    angle = np.radians(turn)
    seen = BUTENE.copy()
    seen[3] = [1.9, -1.2 * np.cos(angle), -1.2 * np.sin(angle)]
    assert differing_stereo(seen, reference, [0, 1, 2, 3]) == ([], [(1, 2)] if differs else [])


@pytest.mark.parametrize(("seen_turn", "differs"), [(0, True), (100, False), (180, False)])
def test_turned_reference_counts_with_its_declared_configuration(seen_turn: float, differs: bool) -> None:
    """Ideal coordinates of heme C in the dictionary turn its double bonds by 105 degrees, and declare them trans."""

    def turned(degrees: float) -> np.ndarray:
        angle = np.radians(degrees)
        xyz = BUTENE * [1, -1, 1]
        xyz[0] = [-1.9, 1.2, 0]
        xyz[3] = [1.9, 1.2 * np.cos(angle), 1.2 * np.sin(angle)]
        return xyz

    reference = _reference("CC=CC", turned(105))
    assert differing_stereo(turned(seen_turn), reference, [0, 1, 2, 3]) == ([], [(1, 2)] if differs else [])
