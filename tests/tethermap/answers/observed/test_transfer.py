"""Observed exits on other ligands, and parents within degraders."""

import numpy as np
import pytest

from tests.tools.exits import embedded
from tethermap.answers.observed.transfer import HeavyPart, leaving_bonds, nearest, parent_bond, transferred
from tethermap.exits.graph import ligand_graph

DEGRADER = "c1ccc2ccccc2c1CC(=O)NCCOCCOCCNC(=O)c1ccc2ccccc2c1"
HALF = frozenset(range(14))
BOND = (13, 14)


@pytest.mark.parametrize(
    ("smiles", "atoms", "steps"),
    [
        ("c1ccc2ccccc2c1CC(=O)NC", {13}, 0),  # the amide itself
        ("c1ccc2ccccc2c1CC(=O)OC", {11}, 1),  # its ester: no nitrogen, one bond back
        ("c1ccc2ccccc2c1CC", {11}, 1),  # orders of bonds are free
        ("CCCCCCCCCCCC", None, 0),  # little in common
    ],
)
def test_exit_is_transferred_by_the_common_substructure(smiles: str, atoms: set[int] | None, steps: int) -> None:
    degrader, ligand = embedded(DEGRADER)[1], embedded(smiles)[1]
    found = transferred(degrader, ligand_graph(degrader), HALF, BOND, ligand)
    assert (found and (set(found.atoms), found.steps)) == (atoms and (atoms, steps))


def test_nearest_of_symmetric_atoms_is_used() -> None:
    degrader, ligand = embedded(DEGRADER)[1], embedded("c1ccc2ccccc2c1")[1]
    found = transferred(degrader, ligand_graph(degrader), HALF, BOND, ligand)
    assert found is not None
    assert len(found.atoms) > 1
    places = ligand_graph(ligand).xyz
    for atom in found.atoms:
        assert nearest(found, places[atom], places).atoms == (atom,)


@pytest.mark.parametrize(
    ("parent", "bond"),
    [
        ("c1ccc2ccccc2c1CC(=O)N", (13, 14)),  # a primary amide
        ("c1ccc2ccccc2c1CC(=O)OC", (11, 13)),  # without its methoxy group
        ("c1ccc2[nH]ccc2c1", None),
    ],
)
def test_parent_defines_the_bond_at_its_end(parent: str, bond: tuple[int, int] | None) -> None:
    degrader = embedded(DEGRADER)[1]
    graph = ligand_graph(degrader)
    index = np.arange(len(graph))
    own, other = np.where(index < 13, 15.0, 0.0), np.where(index >= 25, 15.0, 0.0)
    whole, part = HeavyPart.of(degrader), HeavyPart.of(embedded(parent)[1])
    endings = leaving_bonds(whole.mol, part.mol) if whole.may_hold(part) else ()
    assert parent_bond(endings, own, other) == bond


@pytest.mark.parametrize(
    "parent", ["c1ccc2ccccc2c1CC(=O)N", "c1ccc2ccccc2c1CC(=O)OC", "OCCO", "CCOCCOCC", "OC(C)=O", "C"]
)
def test_no_parent_is_ruled_out_by_its_rings_and_framework(parent: str) -> None:
    """Some have no rings: nothing of them is left without their small groups."""
    whole, part = HeavyPart.of(embedded(DEGRADER)[1]), HeavyPart.of(embedded(parent)[1])
    assert whole.may_hold(part) or not list(leaving_bonds(whole.mol, part.mol))
