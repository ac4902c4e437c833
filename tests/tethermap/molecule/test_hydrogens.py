"""Hydrogens that are added to a ligand keep clear of its other atoms."""

from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.cleaning import clean_file
from tests.tools.ligands import in_space
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand
from tethermap.molecule.hydrogens import CLASH, with_hydrogens


def least_distance(mol: Chem.Mol) -> float:
    """Return the least distance of a hydrogen to an atom more than two bonds away, in angstroms."""
    xyz = mol.GetConformer().GetPositions()
    distance = np.linalg.norm(xyz[:, None] - xyz[None], axis=2)
    far = Chem.GetDistanceMatrix(mol) > 2
    hydrogens = [atom.GetIdx() for atom in mol.GetAtoms() if atom.GetAtomicNum() == 1]
    return float(distance[hydrogens][far[hydrogens]].min())


@pytest.mark.parametrize(("file", "comp_id"), [("2ndo.pdb.gz", "SFQ"), ("4e2o.cif.gz", "GLC"), ("6xbi.cif.gz", "UZ4")])
def test_hydroxyls_turn_away_from_other_hydrogens(file: str, comp_id: str, mirror: Path, index: ComponentIndex) -> None:
    """RDKit puts the acid's hydrogen of 2NDO 0.8 Å from a deposited one, and two of acarbose in 4E2O 0.9 Å apart."""
    _, cleaned = clean_file(next(mirror.glob(file.partition(".")[0] + ".*")), index.get)
    for kept in cleaned.kept:
        if kept.instance.name.comp_id == comp_id:
            molecule = build_ligand(kept.instance, index)
            assert least_distance(molecule.mol) >= CLASH
            heavy = molecule.mol.GetConformer().GetPositions()[: molecule.n_heavy]
            assert np.allclose(heavy, kept.instance.atoms.xyz[molecule.atom_index], atol=1e-9, rtol=0)


@pytest.mark.parametrize("smiles", ["OCCO", "OC(=O)c1ccccc1O", "CC(C)(C)c1ccccc1S", "NC(=O)CO", "O", "C"])
def test_hydrogens_without_a_clash_stay_where_rdkit_puts_them(smiles: str) -> None:
    heavy = Chem.RemoveAllHs(in_space(smiles))
    expected = Chem.AddHs(heavy, addCoords=True)
    if Chem.GetDistanceMatrix(expected).max() > 2 and least_distance(expected) < CLASH:
        pytest.skip("RDKit's own hydrogens clash here")
    made, state = with_hydrogens(heavy, {})
    assert state == "added"
    assert np.array_equal(made.GetConformer().GetPositions(), expected.GetConformer().GetPositions())
