"""Copies of chains in assemblies and crystals, against gemmi's own search."""

import gemmi
import numpy as np
import pytest

from tethermap.complex.placement import DEPOSITED, Crystal, placement

HALF_TURN = gemmi.Transform(gemmi.Mat33([[-1, 0, 0], [0, -1, 0], [0, 0, 1]]), gemmi.Vec3(10, 20, 30))


def test_inverse_motion_restores_the_coordinates_and_the_deposited_place() -> None:
    xyz = np.array([[1.0, 2, 3], [-4, 5, 6]])
    moved = placement(HALF_TURN, "2")
    assert moved.undo(moved.apply(xyz)) == pytest.approx(xyz)
    assert moved.after_undoing(moved) is DEPOSITED
    assert DEPOSITED.after_undoing(moved).apply(moved.apply(np.ones((1, 3)))) == pytest.approx(np.ones((1, 3)))


def packed(cell: gemmi.UnitCell, group: str) -> gemmi.Structure:
    structure = gemmi.Structure()
    structure.cell, structure.spacegroup_hm = cell, group
    return structure


def test_images_of_a_point_are_those_of_the_space_group() -> None:
    structure = packed(gemmi.UnitCell(30, 40, 50, 90, 100, 90), "P 1 21 1")
    crystal = Crystal.of(structure, ("X-RAY DIFFRACTION",))
    assert crystal is not None
    centre = np.array([3.0, 5.0, 7.0])
    images = [image.apply(centre[None])[0] for image in crystal.images(centre, 0.0, centre, 45.0)]
    expected = []
    for operation in structure.find_spacegroup().operations():
        for shift in np.ndindex(5, 5, 5):
            place = operation.apply_to_xyz(structure.cell.fractionalize(gemmi.Position(*centre)).tolist())
            moved = structure.cell.orthogonalize(gemmi.Fractional(*(np.array(place) + shift - 2)))
            if np.linalg.norm(np.array(moved.tolist()) - centre) < 45.0:
                expected.append(moved.tolist())
    assert sorted(np.round(images, 3).tolist()) == sorted(np.round(expected, 3).tolist())


def test_only_diffraction_and_no_dummy_cell_has_a_crystal() -> None:
    for method in ("SOLUTION NMR", "ELECTRON MICROSCOPY"):
        assert Crystal.of(packed(gemmi.UnitCell(30, 40, 50, 90, 100, 90), "P 1 21 1"), (method,)) is None
    assert Crystal.of(packed(gemmi.UnitCell(1, 1, 1, 90, 90, 90), "P 1"), ()) is None
