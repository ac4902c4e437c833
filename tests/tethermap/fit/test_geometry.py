"""Geometry of ligands whose answer is known: built from SMILES, then bent, stretched or pushed into something."""

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Geometry import Point3D

from tests.tools.ligands import in_space
from tethermap.base.arrays import FloatArray
from tethermap.base.reasons import GEOMETRY_FLAGS
from tethermap.fit.geometry import Geometry, geometry_fields, ligand_geometry
from tethermap.fit.limits import limit
from tethermap.molecule.flat import flat_molecule, without_hydrogens

NOTHING = np.zeros((0, 3))


def embedded(smiles: str) -> Chem.Mol:
    return Chem.RemoveAllHs(in_space(smiles))


def moved(mol: Chem.Mol, atom: int, by: FloatArray) -> Chem.Mol:
    mol = Chem.Mol(mol)
    place = mol.GetConformer().GetPositions()[atom] + by
    mol.GetConformer().SetAtomPosition(atom, Point3D(*place))
    return mol


def along(mol: Chem.Mol, begin: int, end: int, length: float) -> FloatArray:
    xyz = mol.GetConformer().GetPositions()
    step: FloatArray = length * (xyz[end] - xyz[begin]) / np.linalg.norm(xyz[end] - xyz[begin])
    return step


@pytest.mark.parametrize("smiles", ["Cc1ccccc1C(=O)O", "CC(C)=C(C)C", "C1CCCCC1N", "[Na+]"])
def test_sound_ligand_has_no_flag(smiles: str) -> None:
    geometry = ligand_geometry(embedded(smiles), NOTHING, [])
    assert geometry.flags == ()
    assert (geometry.contact, geometry.overlap) == (None, None)
    assert (geometry.ring is None) == ("c" not in smiles)


def test_angles_at_a_metal_are_not_checked() -> None:
    """Cisplatin is square planar, which the bounds for four bonds are not."""
    mol = Chem.MolFromSmiles("[NH3]->[Pt](<-[NH3])([Cl])[Cl]")
    conformer = Chem.Conformer(mol.GetNumAtoms())
    for atom, (x, y) in enumerate([(2.0, 0.0), (0.0, 0.0), (0.0, 2.0), (-2.3, 0.0), (0.0, -2.3)]):
        conformer.SetAtomPosition(atom, Point3D(x, y, 0.0))
    mol.AddConformer(conformer)
    geometry = ligand_geometry(mol, NOTHING, [])
    assert geometry.angle is None
    assert "bond_angle" not in geometry.flags


def test_each_exceeded_limit_has_its_flag() -> None:
    toluene = embedded("Cc1ccccc1")
    xyz = toluene.GetConformer().GetPositions()
    normal = np.cross(xyz[2] - xyz[1], xyz[3] - xyz[1])
    normal /= np.linalg.norm(normal)
    alkene = embedded("CC(C)=C(C)C")
    places = alkene.GetConformer().GetPositions()
    across = np.cross(places[0] - places[1], places[3] - places[1])
    hexane = embedded("CCCCCC")
    ends = hexane.GetConformer().GetPositions()[[0, 5]]
    cases = {
        "bond_length": moved(toluene, 0, along(toluene, 1, 0, 0.6)),
        "bond_angle": moved(toluene, 0, xyz[2] - xyz[0] + 1.7 * (xyz[1] - xyz[2]) / 1.4 + 0.3 * normal),
        "ring_not_flat": moved(toluene, 4, 0.8 * normal),
        "double_bond_not_flat": moved(alkene, 0, across / np.linalg.norm(across)),
        "internal_clash": moved(hexane, 5, ends[0] - ends[1] + 1.0),
    }
    for flag, mol in cases.items():
        assert flag in ligand_geometry(mol, NOTHING, []).flags


def test_bonds_of_a_carboxylate_may_have_either_order() -> None:
    acid = embedded("CC(=O)O")
    drawn = Chem.MolFromSmiles("CC(O)=O")
    drawn.AddConformer(acid.GetConformer())
    first, second = (ligand_geometry(mol, NOTHING, []) for mol in (acid, drawn))
    assert first.bond == pytest.approx(second.bond)


@pytest.mark.parametrize(
    ("element", "distance", "contact"), [("C", 3.4, 1.0), ("C", 2.5, 2.5 / 3.4), ("O", 3.25, 1.0), ("Zn", 1.98, 1.0)]
)
def test_contact_distance_is_relative_to_the_radii(element: str, distance: float, contact: float) -> None:
    """Van der Waals radii of RDKit: C 1.7, O 1.55 angstroms; with a metal the covalent ones, 0.76 and 1.22."""
    methane = Chem.MolFromSmiles("C")
    methane.AddConformer(Chem.Conformer(1))
    geometry = ligand_geometry(methane, np.array([[distance, 0.0, 0.0]]), [element])
    assert geometry.contact == pytest.approx(contact, abs=0.01)
    assert ("protein_clash" in geometry.flags) == (contact < limit("protein_clash"))


def test_bond_to_the_protein_is_not_a_clash() -> None:
    ethane = embedded("CC")
    xyz = ethane.GetConformer().GetPositions()
    partner = xyz[1] + along(ethane, 0, 1, 1.5)
    around, elements = np.array([partner, partner + along(ethane, 0, 1, 1.0)]), ["S", "C"]
    assert "protein_clash" in ligand_geometry(ethane, around, elements).flags
    assert ligand_geometry(ethane, around, elements, [(xyz[1], partner)]).flags == ()


def test_ligand_inside_another_overlaps_it_fully() -> None:
    mol = embedded("c1ccccc1")
    xyz = mol.GetConformer().GetPositions()
    inside = ligand_geometry(mol, xyz, ["C"] * 6)
    assert inside.overlap == pytest.approx(1.0)
    assert {"protein_clash", "volume_overlap"} <= set(inside.flags)
    assert ligand_geometry(mol, xyz + 20.0, ["C"] * 6).overlap == 0.0


def test_every_flag_has_a_limit_with_its_source_and_a_sentence() -> None:
    assert all(limit(flag) > 0 for flag in GEOMETRY_FLAGS)
    worst = Geometry(9.0, 9.0, 0.0, 9.0, 9.0, 0.0, 9.0)
    assert set(worst.flags) == set(GEOMETRY_FLAGS)
    assert geometry_fields(worst)["geometry_flags"].split(";") == sorted(GEOMETRY_FLAGS)


@pytest.mark.parametrize(
    "smiles", ["Cc1ccccc1C(=O)O", "CC(C)=C(C)C", "NC(=[NH2+])c1cnc[nH]1", "C[C@H](N)C(=O)[O-]", "[Na+]"]
)
def test_copies_of_a_ligand_have_the_same_geometry_as_single_ones(smiles: str) -> None:
    mol = in_space(smiles)
    heavy = without_hydrogens(mol)
    shared = flat_molecule(heavy, np.zeros((heavy.GetNumAtoms(), 2)))
    for atom in range(heavy.GetNumAtoms()):
        copy = moved(mol, atom, np.array([0.2, -0.3, 0.4]))
        assert ligand_geometry(copy, NOTHING, [], heavy=shared) == ligand_geometry(copy, NOTHING, [])
