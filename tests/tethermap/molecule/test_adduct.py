"""Covalent ligands: the bond that the link replaces, and the flag."""

from typing import Any

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.components import Known, linked
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand
from tethermap.molecule.adduct import ProteinAtom, adduct
from tethermap.molecule.stereo import set_coordinates


def _placed(smiles: str, xyz: list[tuple[float, float, float]]) -> Chem.Mol:
    mol = Chem.MolFromSmiles(smiles)
    set_coordinates(mol, xyz)
    return mol


FORMALDEHYDE_LIKE = [(1.51, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.6, 1.06, 0.0)]
"""Acetaldehyde: methyl, carbonyl carbon at the origin, oxygen."""


@pytest.mark.parametrize(
    ("height", "smiles", "blocked"),
    [
        (0.0, "*SC(C)=O", 0),  # trigonal: an acyl group stored as an aldehyde
        (1.6, "*SC(C)O", 1),  # tetrahedral: a hemithioacetal
    ],
)
def test_planarity_distinguishes_acyl_from_hemithioacetal(height: float, smiles: str, blocked: int) -> None:
    partner = ProteinAtom(1, "S", (-0.8, -1.0, height))
    found, without_valence = adduct(_placed("CC=O", FORMALDEHYDE_LIKE), [partner], {})
    assert Chem.CanonSmiles(found.replace("@", "").replace("[CH]", "C")) == Chem.CanonSmiles(smiles)  # type: ignore[no-untyped-call]
    assert len(without_valence) == blocked


@pytest.mark.parametrize(
    ("smiles", "xyz", "partner", "expected"),
    [
        # an alkene adds even where the model is flat
        ("C=CN", [(0, 0, 0), (1.33, 0, 0), (2.1, 1.2, 0)], (0, "S", (-0.9, 1.5, 0.0)), "*SCCN"),
        ("CC#N", [(-1.46, 0, 0), (0, 0, 0), (1.16, 0, 0)], (1, "S", (0, 1.8, 0)), "*SC(C)=N"),
        ("CC(C)=O", [(1.5, 0, 0), (0, 0, 0.3), (-0.75, 1.3, 0), (-0.6, -1.0, 0)], (1, "O", (0, 0, 1.7)), "*OC(C)(C)O"),
        ("CB(O)O", [(1.57, 0, 0), (0, 0, 0), (-0.7, 1.2, 0), (-0.7, -1.2, 0)], (1, "O", (0, 0, 1.5)), "*O[B-](C)(O)O"),
        ("CC", [(-1.5, 0, 0), (0, 0, 0)], (1, "S", (0.6, 1.7, 0)), "*SCC"),  # has a free valence
    ],
    ids=["alkene", "nitrile", "ketone", "boronic acid", "saturated carbon"],
)
def test_group_reacts_as_its_chemistry_demands(
    smiles: str, xyz: list[tuple[float, float, float]], partner: tuple[Any, ...], expected: str
) -> None:
    found, blocked = adduct(_placed(smiles, xyz), [ProteinAtom(*partner)], {})
    assert (found, len(blocked)) == (expected, smiles != "CC")


@pytest.mark.parametrize(("distance", "smiles"), [(1.30, "*N=CC"), (1.39, "*N=CC"), (1.41, "*NCC"), (1.47, "*NCC")])
def test_short_bond_at_a_former_carbonyl_carbon_is_an_imine(distance: float, smiles: str) -> None:
    mol = _placed("CC", [(-1.5, 0, 0), (0, 0, 0)])
    found, blocked = adduct(mol, [ProteinAtom(1, "N", (distance * 0.5, distance * np.sqrt(0.75), 0))], {1: 2})
    assert found == smiles
    assert blocked == []


def test_aromatic_carbon_with_hydrogen_is_still_aromatic() -> None:
    angles = np.arange(6) * np.pi / 3
    ring = [(1.39 * float(np.cos(a)), 1.39 * float(np.sin(a)), 0.0) for a in angles]
    assert adduct(_placed("c1ccccc1", ring), [ProteinAtom(0, "S", (3.1, 0, 0))], {}) == ("*Sc1ccccc1", [])


@pytest.mark.parametrize("also_missing", [(), ("CG",)])
def test_leaving_atoms_are_not_missing(also_missing: tuple[str, ...], known: Known, index: ComponentIndex) -> None:
    record = build_ligand(linked(known("PLM"), "C1", omit=["O2", *also_missing]), index)
    assert record.atoms_missing == also_missing
    if not also_missing:
        assert (record.smiles_adduct, record.flags) == ("*SC(=O)CCCCCCCCCCCCCCC", ())
        assert record.observed_smiles == "CCCCCCCCCCCCCCCC=O"  # the SDF's molecule is capped with hydrogen


def test_configuration_at_the_linked_atom_is_read_from_the_coordinates() -> None:
    mol = _placed("CC(F)Cl", [(1.4, 0, 0), (0, 0, 0), (-0.7, 1.2, 0), (-0.7, -1.2, 0)])
    hands = {adduct(mol, [ProteinAtom(1, "S", (0, 0, z))], {})[0] for z in (1.8, -1.8)}
    assert len(hands) == 2
    assert all("@" in smiles for smiles in hands)


def test_carbon_chain_on_the_linked_atom_did_not_leave(known: Known, index: ComponentIndex) -> None:
    """Only groups that the dictionary flags or that a heteroatom binds leave; a chain was not observed."""
    chain = [f"C{k}" for k in "3456789ABCDEFG"]
    record = build_ligand(linked(known("PLM"), "C2", omit=chain), index)
    assert set(record.atoms_missing) == set(chain)
