import numpy as np
import pytest
from rdkit import Chem

from tethermap.base.tables import Row, Value
from tethermap.selfcheck import ligand


@pytest.mark.parametrize(("length", "passed"), [(0.87, False), (0.89, True), (1.96, True), (1.98, False)])
def test_bonds_between_carbons_are_0_88_to_1_97_long(length: float, passed: bool) -> None:
    bad = ligand.odd_bonds(Chem.MolFromSmiles("CC"), "CC", np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]]))
    assert (list(bad) == []) is passed


def atom(area: float, **others: Value) -> Row:
    areas = {"Exposure_A2": area, "SASA_free_A2": 20.0, "SASA_chain_A2": area, "SASA_target_A2": area}
    return {**areas, "SASA_assembly_A2": area, "SASA_crystal_A2": None, **others}


BOUND = ("SASA_in_complex_A2", "SASA_chain_A2", "SASA_target_A2", "SASA_assembly_A2")
SUMMARY = {
    "SASA_free_A2": 40.0,
    **dict.fromkeys(BOUND, 12.0),
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
