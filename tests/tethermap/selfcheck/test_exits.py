from __future__ import annotations

import numpy as np
import pytest

from tethermap.base.arrays import FloatArray
from tethermap.selfcheck.exits import exits_agree
from tethermap.selfcheck.sdf_file import SdfLigand

BONDED = SdfLigand(
    title="",
    element=("C", "O", "C"),
    xyz=np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 4.4], [2.3, 2.0, 2.5]]),
    bonds=np.array([[0, 1], [2, 0]]),
    properties={"exit_1": "sdf_index=0 leaving=O1 score=1.0"},
    lists={"name": ("C1", "O1", "C2"), "exit_rank": ("1", "n/a", "n/a")},
)
ARROW = '<g class="exit exit-1" data-site-rank="1" data-rank="1" data-index="0"/>'
ABOUT = (BONDED.xyz[0] - BONDED.xyz[2]) / np.linalg.norm(BONDED.xyz[0] - BONDED.xyz[2])


def told(vector: FloatArray, torsion: float | None = None) -> str:
    """Return what the check says of an exit that replaces the bond from C1 to O1, along z."""
    x, y, z = vector.tolist()
    row = {
        "rank": 1,
        "reason": "",
        "site_rank": 1,
        "score": 1.0,
        "sdf_index": 0,
        "anchor_atom": "C1",
        "anchor_equivalents": "",
        "leaving_atoms": "O1",
        "kind": "cut",
        "torsion_deg": torsion,
        "vector_x": x,
        "vector_y": y,
        "vector_z": z,
    }
    return exits_agree([row], BONDED, ARROW).detail


def turned(degrees: float, axis: FloatArray) -> FloatArray:
    """Return the direction of the bond turned about an axis (Rodrigues)."""
    angle, along = np.radians(degrees), np.array([0.0, 0.0, 1.0])
    across = np.cross(axis, along) * np.sin(angle)
    rotated: FloatArray = along * np.cos(angle) + across + axis * (axis @ along) * (1 - np.cos(angle))
    return rotated


@pytest.mark.parametrize(("degrees", "agrees"), [(0.0, True), (1.9, True), (-1.9, True), (2.1, False), (90, False)])
def test_a_vector_points_where_the_group_was_within_two_degrees(degrees: float, agrees: bool) -> None:
    words = told(turned(degrees, np.array([0.6, 0.8, 0.0])))
    assert words == ("" if agrees else "vector of C1 does not point to O1")


@pytest.mark.parametrize("torsion", [-140.0, -60.0, 10.0, 120.0])
def test_a_vector_that_was_turned_keeps_its_angle_with_the_bond_it_turned_about(torsion: float) -> None:
    assert not told(turned(torsion, ABOUT), torsion)
    tilted = turned(3.0, np.cross(ABOUT, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(ABOUT, [0.0, 0.0, 1.0])))
    assert told(tilted, torsion) == "vector of C1 does not point to O1"


def test_a_vector_of_another_length_is_none() -> None:
    assert "no unit vector" in told(np.array([0.0, 0.0, 1.01]))
