"""Classes and priors by examples; atom 1 of the map is the anchor, atom 2 leaves."""

from dataclasses import replace

import pytest
from rdkit import Chem

from tests.tools.components import Known, ideal_instance
from tests.tools.exits import classes, graph_of
from tethermap.components.index import ComponentIndex
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.prior import PRIOR, chemistry_class
from tethermap.matching.build import build_ligand

EXAMPLES = {
    "amine N-H": (1.0, "C[NH:1]C CC[NH2:1] O1CC[NH:1]CC1 CCC[NH2+:1]C"),
    "amine N, alkyl leaves": (1.0, "O1CC[N:1]([CH3:2])CC1"),
    "carbonyl C, O or N leaves": (0.9, "CC[C:1](=O)[O:2]C CC[C:1](=O)[OH:2] CC[C:1](=O)[NH:2]C"),
    "methyl on amine N": (0.9, "O1CCN([CH3:1])CC1"),
    "ether or ester O, alkyl leaves": (0.8, "CC[O:1][CH3:2] CCC(=O)[O:1][CH3:2]"),
    "sp3 C, amine leaves": (0.8, "CC[CH2:1][N:2]1CCOCC1"),
    "amide N, acyl leaves": (0.8, "CCC[NH:1][C:2](C)=O c1ccccc1[NH:1][C:2](C)=O"),
    "primary amide N": (0.7, "CCC(=O)[NH2:1]"),
    "methyl of an acetyl": (0.7, "CCNC(=O)[CH3:1]"),
    "alcohol or phenol O": (0.6, "CC[OH:1] c1ccccc1[OH:1]"),
    "aniline NH2": (0.6, "c1ccccc1[NH2:1]"),
    "amide N, alkyl leaves": (0.6, "CCC(=O)[NH:1][CH3:2]"),
    "O-methyl": (0.6, "c1ccccc1O[CH3:1] CCC(=O)O[CH3:1]"),
    "methyl on azole or amide N": (0.5, "c1cnn([CH3:1])c1 CCC(=O)N[CH3:1]"),
    "azole N, alkyl leaves": (0.5, "c1cn[n:1]([CH2:2]C)c1"),
    "alkyne C-H": (0.5, "CCC#[CH:1]"),
    "sp3 C, O leaves": (0.5, "CC[CH2:1][O:2]C"),
    "N, sulfonyl leaves": (0.4, "c1ccccc1[NH:1][S:2](C)(=O)=O"),
    "methyl on sulfonyl": (0.4, "c1ccccc1S(=O)(=O)[CH3:1]"),
    "sp3 C, C leaves": (0.35, "OCC[CH2:1][CH3:2]"),
    "aryl C, halogen, N or O leaves": (0.35, "c1cccc[c:1]1[Cl:2] c1cccc[c:1]1[O:2]C"),
    "methyl on aryl": (0.35, "c1ccccc1[CH3:1]"),
    "aryl C, C leaves": (0.3, "c1cccc[c:1]1[CH3:2]"),
    "sulfonyl S, anything leaves": (0.3, "c1ccccc1[S:1](=O)(=O)[CH3:2]"),
    "other methyl": (0.3, "OCC[CH3:1] OCCC[N+](C)(C)[CH3:1] OCCC[N+](C)([O-])[CH3:1]"),
    "aromatic C-H": (0.25, "c1cccc[cH:1]1"),
    "acyclic C-H": (0.25, "OC[CH2:1]CO CCC[CH:1]=O CCN[CH:1]=O CCN[CH:1]=N"),
    "vinyl C-H": (0.25, "CC[CH:1]=C"),
    "NH2 next to a ring nitrogen": (0.25, "c1cccnc1[NH2:1]"),
    "ring C-H": (0.15, "C1CC[CH2:1]CC1"),
    "other": (
        0.15,
        (
            "CC[SH:1] CCC(N)=N[OH:1] CCN(C)[OH:1] c1ccccc1B(O)[OH:1] OCCC[N+:1](C)(C)[CH3:2] OCC[CH2:1][N+:2](C)(C)C"
            " CC(=O)C=C(CC)[OH:1] CCC(=NC)[OH:1] CCC(=C)[OH:1]"
        ),
    ),
    "other N-H": (0.1, "CCC(=O)[NH:1]C c1cc[nH:1]c1 c1ccccc1[NH:1]c1ccccc1 CS(=O)(=O)[NH2:1]"),
    "acid O-H": (0.1, "CCC(=O)[OH:1] CCC(=O)N[OH:1] O=c1ccccn1[OH:1]"),
}


def mapped(smiles: str) -> tuple[LigandGraph, int, int | None]:
    places = {atom.GetAtomMapNum(): atom.GetIdx() for atom in Chem.MolFromSmiles(smiles).GetAtoms()}
    return graph_of(smiles), places[1], places.get(2)


@pytest.mark.parametrize(
    ("name", "smiles"), [(name, smiles) for name, (_, examples) in EXAMPLES.items() for smiles in examples.split()]
)
def test_class_of_a_candidate_matches(name: str, smiles: str) -> None:
    assert chemistry_class(*mapped(smiles)) == name


def test_every_class_has_its_prior_and_an_example() -> None:
    assert {name: prior for name, (prior, _) in EXAMPLES.items()} == PRIOR


@pytest.mark.parametrize(("smiles", "name"), [("CN", "other N-H"), ("CNCC", "other N-H"), ("CO", "other")])
def test_hydrogen_next_to_a_metal_is_not_that_of_an_amine_or_alcohol(smiles: str, name: str) -> None:
    graph = graph_of(smiles)
    complexed = replace(graph, element=("Pt", *graph.element[1:]))
    assert chemistry_class(complexed, 1, None) == name
    assert chemistry_class(graph, 1, None) in ("amine N-H", "alcohol or phenol O")


@pytest.mark.parametrize("comp_id", ["JQ1", "FX5"])
def test_charged_form_of_the_dictionary_has_the_classes_of_the_neutral_ligand(
    comp_id: str, index: ComponentIndex, known: Known
) -> None:
    stored = build_ligand(ideal_instance(known(comp_id)), index)
    assert "+" in stored.smiles
    assert classes(ligand_graph(stored)) == classes(graph_of(stored.parent_smiles))
