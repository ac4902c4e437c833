"""Bonds from coordinates only, on molecules whose bonds are known."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem.rdDistGeom import EmbedMolecule
from rdkit.Chem.rdForceFieldHelpers import UFFOptimizeMolecule

from tests.tools.components import Known, ideal_instance, without_stereo
from tests.tools.ligands import RESIDUE, instance_of
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.instance.model import Residue
from tethermap.matching.perceive import heaviest_matching, perceived, small_rings
from tethermap.matching.residue import observed_residues
from tethermap.matching.sources import resolved
from tethermap.molecule.dictionary import dictionary_smiles
from tethermap.molecule.hydrogens import hydrogen_parents
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.template import assemble, sanitise

DRUGS = (
    "STI", "478", "IRE", "AQ4", "FMM", "RIT", "1UN", "MK1", "EST", "TES", "DES", "TMX", "CFF", "IBP", "SAL", "TYL",
    "FLP", "CEL", "MTX", "TOP", "NVP", "EFZ", "AZM", "BNZ", "NBZ", "ATP", "GLC", "FK5", "E20", "X77",
)  # fmt: skip


def _perceived_smiles(component: Component) -> str:
    (residue,) = observed_residues(ideal_instance(component), {})
    graph = perceived(residue)
    mol, passed = sanitise(assemble(graph.elements, graph.charges, graph.bonds, None))
    return str(Chem.MolToSmiles(neutralised(mol))) if passed else ""


def test_most_drugs_are_perceived_correctly(known: Known) -> None:
    expected = {code: without_stereo(dictionary_smiles(known(code), neutral=True)) for code in DRUGS}
    right = [code for code in DRUGS if _perceived_smiles(known(code)) == expected[code]]
    assert len(right) >= 0.85 * len(DRUGS), sorted(set(DRUGS) - set(right))


@pytest.mark.parametrize("comp_id", ["BNZ", "NBZ", "ACT", "ACN", "DMS", "SO4", "PO4", "GLC", "IMD", "URE", "BU3"])
def test_functional_groups_are_perceived(comp_id: str, known: Known) -> None:
    assert _perceived_smiles(known(comp_id)) == without_stereo(dictionary_smiles(known(comp_id), neutral=True))


STATED = """data_x
_chem_comp.id ZZZ
loop_
_chem_comp_atom.comp_id
_chem_comp_atom.atom_id
_chem_comp_atom.type_symbol
ZZZ C1 C ZZZ C2 C ZZZ C3 C ZZZ O1 O
loop_
_chem_comp_bond.comp_id
_chem_comp_bond.atom_id_1
_chem_comp_bond.atom_id_2
_chem_comp_bond.value_order
ZZZ C1 C2 unknown ZZZ C2 C3 unknown ZZZ C3 O1 unknown
"""


@pytest.mark.parametrize("bonds", [[(0, 1, 1), (1, 2, 1), (2, 3, 1)], [(0, 1, 1), (0, 3, 1), (2, 3, 1)]])
def test_bonds_of_a_file_without_orders_are_used(bonds: list[tuple[int, int, int]], index: ComponentIndex) -> None:
    """The bond C2-C3 is long, the contact C1-O1 short: bonds by distance would be wrong."""
    definition = STATED if (1, 2, 1) in bonds else ""
    xyz = np.array([[0, 0, 0], [1.33, 0, 0], [1.9, 1.85, 0], [0.5, 1.5, 0]], dtype=np.float64)
    residue = Residue("A", "B", "ZZZ", 1)
    (observed,) = observed_residues(instance_of(residue, ["C1", "C2", "C3", "O1"], list("CCCO"), xyz), {})
    graph = resolved(observed, (), index, None, definition)
    assert (graph.source, list(graph.bonds)) == ("perceived", bonds)


@pytest.mark.parametrize(
    ("conect", "bonds"),
    [
        ([(0, 1, 1), (1, 2, 1), (2, 3, 1)], [(0, 1, 1), (1, 2, 1), (2, 3, 1)]),
        ([(0, 1, 2), (1, 2, 1), (2, 3, 1)], [(0, 1, 2), (1, 2, 1), (2, 3, 1)]),
        ([(0, 1, 2), (1, 2, 2), (2, 3, 2)], [(0, 1, 1), (1, 2, 1), (2, 3, 1)]),  # all records are in the file twice
        ([(0, 1, 2), (1, 2, 3), (2, 3, 1)], [(0, 1, 1), (1, 2, 1), (2, 3, 1)]),  # too many bonds of a carbon
        ([(0, 1, 1), (2, 3, 1)], [(0, 1, 1), (0, 3, 1), (2, 3, 1)]),  # not all bonds are listed
        ([(0, 1, 1), (0, 2, 1), (1, 3, 1)], [(0, 1, 1), (0, 3, 1), (2, 3, 1)]),  # of other atoms by their length
    ],
)
def test_conect_records_precede_distances(
    conect: list[tuple[int, int, int]], bonds: list[tuple[int, int, int]]
) -> None:
    """The bond C2-C3 is long, the contact C1-O1 short: bonds by distance are wrong."""
    xyz = np.array([[0, 0, 0], [1.33, 0, 0], [1.9, 1.85, 0], [0.5, 1.5, 0]], dtype=np.float64)
    instance = instance_of(RESIDUE, ["C1", "C2", "C3", "O1"], list("CCCO"), xyz)
    (observed,) = observed_residues(replace(instance, conect=tuple(conect)), {})
    assert list(perceived(observed).bonds) == bonds


def test_matching_has_the_largest_weight() -> None:
    """Against trying all subsets of the pairs of a small graph with odd rings."""
    pairs = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)]
    weights = {pair: 1.0 + 0.37 * ((7 * number) % 5) for number, pair in enumerate(pairs)}

    def value(chosen: tuple[tuple[int, int], ...]) -> float:
        ends = [end for pair in chosen for end in pair]
        return sum(weights[pair] for pair in chosen) if len(set(ends)) == len(ends) else 0.0

    best = max(value(chosen) for size in range(5) for chosen in itertools.combinations(pairs, size))
    assert value(tuple(heaviest_matching(weights))) == pytest.approx(best)


def test_of_equal_matchings_the_one_with_the_first_pairs_is_used() -> None:
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]
    assert heaviest_matching(dict.fromkeys(ring, 0.1 + 0.2)) == [(0, 1), (2, 3), (4, 5)]


def test_rings_of_five_and_six_are_found() -> None:
    near = [[1, 5], [0, 2], [1, 3], [2, 4, 8], [3, 5], [4, 0], [7, 8], [6, 8], [3, 6, 7]]  # a six-ring and a three-ring
    assert small_rings(near) == {(0, 1, 2, 3, 4, 5)}


CATIONS = ("CC(=[NH2+])N", "NC(=[NH2+])NCCO", "C[n+]1ccccc1", "CC1=CC=[NH+]C=C1")
OTHERS = ("CC(O)C1CCC(N)CC1", "C=C(C)C(=O)NC", "CN=NC", "CN=[N+]=[N-]", "[C-]#[N+]CC")


@pytest.mark.parametrize(
    ("smiles", "which"), [*itertools.product(OTHERS, ("all", "polar")), *itertools.product(CATIONS, ("all",))]
)
def test_hydrogens_decide_where_double_bonds_are(smiles: str, which: str) -> None:
    """HADDOCK and force fields of united atoms write hydrogens of N, O and S only."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    EmbedMolecule(mol, randomSeed=7)
    UFFOptimizeMolecule(mol)
    near = ["".join(other.GetSymbol() for other in atom.GetNeighbors()) for atom in mol.GetAtoms()]
    kept = [k for k, atom in enumerate(mol.GetAtoms()) if atom.GetSymbol() != "H" or which == "all" or near[k] != "C"]
    elements = [mol.GetAtomWithIdx(k).GetSymbol() for k in kept]
    names = [f"{element}{k}" for k, element in enumerate(elements)]
    instance = instance_of(RESIDUE, names, elements, mol.GetConformer().GetPositions()[kept])
    (residue,) = observed_residues(instance, hydrogen_parents(instance.atoms))
    graph = perceived(residue)
    found, _ = sanitise(assemble(graph.elements, graph.charges, graph.bonds, None))
    assert Chem.MolToSmiles(neutralised(found)) == Chem.MolToSmiles(neutralised(Chem.MolFromSmiles(smiles)))


@pytest.mark.parametrize("smiles", ["CCC(=O)[O-]", "COP(=O)([O-])[O-]", "CCS(=O)(=O)[O-]", "C[n+]1cccc(C)c1"])
def test_charges_of_a_file_decide_about_orders(smiles: str) -> None:
    """RDKit and gemmi write the charges of a molecule at pH 7.4; here charged oxygens are the nearest."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    EmbedMolecule(mol, randomSeed=7)
    UFFOptimizeMolecule(mol)
    mol = Chem.RemoveHs(mol)
    xyz = mol.GetConformer().GetPositions()
    charges = [atom.GetFormalCharge() for atom in mol.GetAtoms()]
    for oxygen in np.flatnonzero(np.array(charges) < 0).tolist():
        (centre,) = mol.GetAtomWithIdx(oxygen).GetNeighbors()
        xyz[oxygen] += 0.2 * (xyz[centre.GetIdx()] - xyz[oxygen])
    elements = [atom.GetSymbol() for atom in mol.GetAtoms()]
    instance = instance_of(RESIDUE, [f"{element}{k}" for k, element in enumerate(elements)], elements, xyz)
    atoms = replace(instance.atoms, charge=np.array(charges))
    (residue,) = observed_residues(replace(instance, atoms=atoms), {})
    graph = perceived(residue)
    found, passed = sanitise(assemble(graph.elements, graph.charges, graph.bonds, None))
    assert (passed, Chem.MolToSmiles(found)) == (True, Chem.MolToSmiles(mol))
