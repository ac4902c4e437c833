from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem

from tethermap.base.tables import Row, Value
from tethermap.selfcheck import ligand
from tethermap.selfcheck.deposited import Atom

Xyz = tuple[float, float, float]


def atoms(*rows: tuple[str, str, str, Xyz]) -> list[Atom]:
    return [Atom(name, element, altloc, xyz) for name, element, altloc, xyz in rows]


A, B, FAR = (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (9.0, 9.0, 9.0)
CONFORMER = atoms(("C1", "C", "A", A), ("C2", "C", "", (1.5, 0.0, 0.0)))


def fit(written: list[Atom], conformer: list[Atom] = CONFORMER) -> tuple[int, str]:
    """Return the number of differences and the words for them."""
    differences, _, words = ligand.fit_conformer(dict(enumerate(written)), conformer)
    return differences, words


def test_atoms_of_a_conformer_match_it() -> None:
    assert fit(CONFORMER) == (0, "")


def test_merged_conformers_are_reported() -> None:
    assert fit([*CONFORMER, *atoms(("C1", "C", "B", B))]) == (2, "not deposited: C1")


def test_a_missing_atom_is_reported() -> None:
    assert fit(CONFORMER[:1]) == (1, "left out: C2")


def test_a_changed_element_is_reported() -> None:
    nitrogen = atoms(("C1", "N", "", A))
    assert fit([*nitrogen, CONFORMER[1]]) == (3, "not deposited: C1, left out: C1")


def test_a_second_copy_under_the_same_number_is_not_a_missing_atom() -> None:
    copies = [*CONFORMER, *atoms(("C1", "C", "", FAR), ("C2", "C", "", FAR))]
    assert fit(CONFORMER, copies) == (0, "")


@given(st.integers(0, 1), st.integers(0, 2), st.floats(-0.02, 0.02))
def test_an_atom_that_moved_more_than_a_thousandth_of_an_angstrom_is_reported(
    atom: int, axis: int, shift: float
) -> None:
    xyz = np.array([place.xyz for place in CONFORMER])
    xyz[atom, axis] += shift
    moved = [Atom(old.name, old.element, "", (x, y, z)) for old, (x, y, z) in zip(CONFORMER, xyz.tolist(), strict=True)]
    places = ligand.fit_conformer(dict(enumerate(moved)), CONFORMER)[1]
    outcome = ligand.coordinates_agree("coordinates_sdf", xyz, [places[0], places[1]])
    assert outcome.passed is (abs(shift) <= ligand.MAX_SHIFT)
    assert fit(moved) == (0 if outcome.passed else 1, "")


@pytest.mark.parametrize(("length", "passed"), [(0.87, False), (0.89, True), (1.96, True), (1.98, False)])
def test_bonds_between_carbons_are_0_88_to_1_97_long(length: float, passed: bool) -> None:
    bad = ligand.odd_bonds(Chem.MolFromSmiles("CC"), "CC", np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]]))
    assert (list(bad) == []) is passed


def atom(area: float, **others: Value) -> Row:
    areas = {"Exposure_A2": area, "SASA_free_A2": 20.0, "SASA_chain_A2": area, "SASA_target_A2": area}
    return {**areas, "SASA_assembly_A2": area, "SASA_crystal_A2": None, **others}


SUMMARY = {
    "SASA_free_A2": 40.0,
    "SASA_in_complex_A2": 12.0,
    "SASA_chain_A2": 12.0,
    "SASA_target_A2": 12.0,
    "SASA_assembly_A2": 12.0,
    "SASA_crystal_A2": None,
    "Exposed_atoms": 1,
    "Total_atoms": 2,
}


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ([atom(12.0), atom(0.0)], ""),
        ([atom(12.0), atom(0.001)], ""),  # rounding
        ([atom(12.0), atom(0.01)], "differs by 0.010"),
        ([atom(12.0), atom(0.0, SASA_crystal_A2=1.0)], "given for some atoms only"),
        ([atom(6.0), atom(6.0)], "2 atoms are exposed, not 1"),
        ([atom(12.0)], "1 atoms, not 2"),
    ],
)
def test_areas_add_up(rows: list[Row], detail: str) -> None:
    words = "; ".join(ligand.wrong_sums(SUMMARY, rows))
    assert detail in words
    assert bool(words) is bool(detail)
