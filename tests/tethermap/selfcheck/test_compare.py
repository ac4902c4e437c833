from __future__ import annotations

import numpy as np
import pytest

from tests.tools.ligands import Xyz
from tethermap.base.arrays import FloatArray
from tethermap.base.tables import Row, Value
from tethermap.selfcheck import compare
from tethermap.selfcheck.compare import NamedAtoms
from tethermap.selfcheck.complex_file import FileLigand
from tethermap.selfcheck.deposited import DepositedAtom
from tethermap.selfcheck.sdf_file import SdfLigand

XYZ = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [2.2, 1.2, 0.0]])


def sdf(
    elements: tuple[str, ...] = ("C", "C", "O"),
    xyz: FloatArray = XYZ,
    bonds: tuple[tuple[int, int], ...] = ((0, 1), (1, 2)),
    lists: dict[str, tuple[str, ...]] | None = None,
) -> SdfLigand:
    return SdfLigand("x", elements, xyz, np.array(bonds, dtype=np.int64).reshape(-1, 2), {}, lists or {})


def in_complex(
    elements: tuple[str, ...] = ("C", "C", "O"), serials: tuple[int, ...] = (7, 8, 9), others: int = 0
) -> FileLigand:
    count = len(elements)
    return FileLigand(
        serial=np.array(serials),
        name=tuple(f"A{k}" for k in range(count)),
        element=elements,
        comp_id=("LIG",) * count,
        chain=("A",) * count,
        residue=("1",) * count,
        xyz=XYZ[:count],
        others=others,
    )


def deposited(*rows: tuple[str, str, str, Xyz]) -> list[DepositedAtom]:
    return [DepositedAtom(name, element, altloc, xyz) for name, element, altloc, xyz in rows]


def test_same_atoms_in_another_order_are_the_same() -> None:
    assert compare.same_atoms(in_complex(("O", "C", "C"), (9, 8, 7)), sdf(), [7, 8, 9]).passed


@pytest.mark.parametrize(
    ("complex_ligand", "serial"),
    [
        (in_complex(("C", "C", "N")), [7, 8, 9]),  # another element
        (in_complex(("C", "C"), (7, 8)), [7, 8, 9]),  # one missing in the complex
        (in_complex(), [7, 8, 10]),  # the table points elsewhere
    ],
)
def test_other_atoms_are_told(complex_ligand: FileLigand, serial: list[int]) -> None:
    assert not compare.same_atoms(complex_ligand, sdf(), serial).passed


def test_atoms_too_many_in_the_residue_are_told() -> None:
    assert compare.nothing_else(in_complex(others=2)).value == "2"
    assert compare.nothing_else(in_complex()).passed


@pytest.mark.parametrize(("shift", "passed"), [(0.0, True), (0.001, True), (0.0012, False), (np.nan, False)])
def test_coordinates_may_differ_by_a_thousandth_of_an_angstrom(shift: float, passed: bool) -> None:
    assert compare.coordinates_agree("coordinates_sdf", XYZ + shift, XYZ).passed is passed


A, B = (0.0, 0.0, 0.0), (0.3, 0.0, 0.0)
TWO_CONFORMERS = deposited(("C1", "C", "A", A), ("C1", "C", "B", B), ("C2", "C", "", (1.5, 0.0, 0.0)))


@pytest.mark.parametrize("place", [A, B])
def test_either_conformer_is_found_whole(place: Xyz) -> None:
    ligand = NamedAtoms(("C1", "C2"), ("C", "C"), np.array([place, (1.5, 0.0, 0.0)]))
    match = compare.match_deposited(ligand, TWO_CONFORMERS)
    assert match.problems == ""
    assert match.elements == ("C", "C")
    assert match.xyz[0] == pytest.approx(place)


def test_two_conformers_merged_are_told() -> None:
    ligand = NamedAtoms(("C1", "C1", "C2"), ("C", "C", "C"), np.array([A, B, (1.5, 0.0, 0.0)]))
    assert compare.match_deposited(ligand, TWO_CONFORMERS).problems == "not deposited: C1"


def test_an_atom_left_out_is_told() -> None:
    match = compare.match_deposited(NamedAtoms(("C1",), ("C",), np.array([A])), TWO_CONFORMERS)
    assert match.problems == "left out: C2"
    assert sorted(match.elements) == ["C", "C"]


def test_a_second_copy_under_the_same_number_is_no_atom_left_out() -> None:
    both = deposited(("C1", "C", "", A), ("O1", "O", "", B), ("C1", "C", "", (9.0, 9.0, 9.0)), ("O1", "O", "", B))
    match = compare.match_deposited(NamedAtoms(("C1", "O1"), ("C", "O"), np.array([A, B])), both)
    assert (match.problems, match.elements) == ("", ("C", "O"))


def test_another_formula_is_told() -> None:
    assert compare.same_formula(sdf(), ["C", "O", "C"]).passed
    assert compare.same_formula(sdf(), ["C", "N", "C"]).detail == "C2 O1 in the SDF, C2 N1 deposited"


@pytest.mark.parametrize(("length", "passed"), [(0.87, False), (0.89, True), (1.96, True), (1.98, False)])
def test_bonds_between_carbons_are_0_88_to_1_97_long(length: float, passed: bool) -> None:
    xyz = np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]])
    assert compare.bonds_sane(sdf(("C", "C"), xyz, ((0, 1),))).passed is passed


def test_a_molecule_in_two_pieces_is_told() -> None:
    assert compare.connected(sdf()).passed
    assert compare.connected(sdf(bonds=((0, 1),))).value == "2"


def atom(area: float, **others: Value) -> Row:
    areas = {"Exposure_A2": area, "SASA_free_A2": 20.0, "SASA_chain_A2": area, "SASA_target_A2": area}
    return {**areas, "SASA_assembly_A2": area, "SASA_crystal_A2": None, "exact_atom": "C1", **others}


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


def test_areas_that_add_up_pass() -> None:
    assert compare.sasa_sums(SUMMARY, [atom(12.0), atom(0.0)], 0.1).passed
    assert compare.sasa_sums(SUMMARY, [atom(12.0), atom(0.001)], 0.1).passed  # rounding


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ([atom(12.0), atom(0.01)], "differs by 0.010"),
        ([atom(12.0), atom(0.0, SASA_crystal_A2=1.0)], "given for some only"),
        ([atom(6.0), atom(6.0)], "2 atoms are exposed, not 1"),
        ([atom(12.0)], "1 atoms, not 2"),
    ],
)
def test_areas_that_do_not_add_up_are_told(rows: list[Row], detail: str) -> None:
    assert detail in compare.sasa_sums(SUMMARY, rows, 0.1).detail


def test_areas_may_only_shrink_with_the_surroundings() -> None:
    assert compare.sasa_order([atom(5.0)]).passed
    assert compare.sasa_order([atom(5.0, SASA_crystal_A2=5.1)]).detail == "C1"
    assert not compare.sasa_order([atom(21.0)]).passed


def test_lists_of_the_sdf_equal_the_table() -> None:
    rows: list[Row] = [{"a": 1.0}, {"a": None}]
    columns = {"list": "a"}
    assert compare.sasa_lists(sdf(lists={"list": ("1.0004", "n/a")}), rows, columns).passed
    assert not compare.sasa_lists(sdf(lists={"list": ("1.01", "n/a")}), rows, columns).passed
    assert not compare.sasa_lists(sdf(lists={"list": ("1.0",)}), rows, columns).passed
    assert not compare.sasa_lists(sdf(), rows, columns).passed
