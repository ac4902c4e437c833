"""Layouts for drawings: nothing overlaps, crosses or is stretched."""

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.components import Known
from tethermap.molecule.dictionary import dictionary_molecule
from tethermap.molecule.layout2d import component_layout, faults, molecule_layout

MACROBICYCLE = "CC(C)C1C(=O)OCC(C(=O)NC(C)C(=O)N(C)C2CSSCC(C(=O)N1C)N(C)C(=O)C(C)NC(=O)C(COC(=O)C(C(C)C)N(C)C2=O)N)N"
"""Ring system of triostin, whose disulfide bridges the peptide's ring."""


def bonds_of(mol: Chem.Mol) -> np.ndarray:
    return np.array([(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()])


@pytest.mark.parametrize("comp_id", ["HEM", "RIT", "FK5", "RAP", "STI"])
def test_large_ligands_and_metal_complexes_are_laid_out_without_faults(comp_id: str, known: Known) -> None:
    mol = dictionary_molecule(known(comp_id), neutral=True)
    assert mol is not None
    assert faults(component_layout(known(comp_id)), bonds_of(mol)) == 0


def test_bridged_macrocycle_is_laid_out_without_faults() -> None:
    mol = Chem.MolFromSmiles(MACROBICYCLE)
    assert faults(molecule_layout(mol), bonds_of(mol)) == 0


def test_tetrapyrrole_without_a_template_is_drawn_open_with_its_metal_in_the_middle() -> None:
    porphin = "C1=CC2=CC3=NC(=CC4=CC=C(N4[Zn]N25)C=C6C=CC(=N6)C=C1C5=O)C=C3"
    mol = Chem.MolFromSmiles(porphin, sanitize=False)
    mol.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(mol)
    layout = molecule_layout(mol)
    zinc = next(atom for atom in mol.GetAtoms() if atom.GetSymbol() == "Zn").GetIdx()
    apart = np.delete(np.linalg.norm(layout - layout[zinc], axis=1), zinc)
    assert apart.min() > 0.75


@pytest.mark.parametrize(
    ("layout", "count"),
    [
        ([[0, 0], [1.5, 0], [1.5, 1.5], [0, 1.5]], 0),
        ([[0, 0], [1.5, 0], [0.2, 0.1], [0, 1.5]], 1),
        ([[0, 0], [1.5, 0], [1.5, 1.5], [0, 4]], 2),
        ([[0, 0], [1.5, 1.5], [1.5, 0], [0, 1.5]], 1),
    ],
    ids=["a square", "two atoms in one place", "two long bonds", "bonds that cross"],
)
def test_faults_are_counted(layout: list[list[float]], count: int) -> None:
    ring = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    assert faults(np.array(layout, dtype=float), ring) == count
