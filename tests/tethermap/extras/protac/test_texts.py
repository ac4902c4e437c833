from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.exits import embedded, sdf_molecule
from tethermap.exits.graph import ligand_graph
from tethermap.exits.limits import COLLINEAR
from tethermap.extras.programs import protac_ternary
from tethermap.extras.programs.prosettac import degrader_line, head_sdf, params_text, with_bonds_of_open_babel
from tethermap.extras.protac import texts
from tethermap.extras.protac.round_trip import OTHER, OUTCOMES, SAME, OpenBabel, anchor_after_round_trip, open_babel
from tethermap.extras.protac.side import E3, TARGET, job_side
from tethermap.extras.protac.warhead import cut_warhead


def test_sides_share_no_letter_and_leave_the_letters_of_the_ligands_free() -> None:
    letters = TARGET.letters + E3.letters
    assert len(set(letters)) == len(letters) == 24
    assert {"X", "Y"}.isdisjoint(letters)
    assert (TARGET.other, E3.other) == (E3, TARGET)


@pytest.mark.parametrize(
    ("name", "query", "expected"),
    [
        ("VHL", "", "e3"),
        ("human cereblon", "", "e3"),
        ("CRBN-DDB1", "", "e3"),
        ("some protein", "p40337", "e3"),
        ("BRD4", "O60885", "target"),
        ("VHLL", "", "target"),
    ],
)
def test_side_is_that_of_the_named_protein(name: str, query: str, expected: str) -> None:
    assert job_side("auto", name, query).name == expected
    assert job_side("target", name, query) is TARGET
    assert job_side("e3", name, query) is E3


def test_parameters_list_the_e3_ligase_first_and_missing_values_in_capitals() -> None:
    assert params_text(TARGET, "TU", "target_head_1.sdf", 12).splitlines() == [
        "Structures: e3.pdb target.pdb",
        "Chains: E3_CHAINS TU",
        "Heads: e3_head.sdf target_head_1.sdf",
        "Anchor atoms: E3_ANCHOR 12",
        "Protac: protac.smi",
        "Full: True",
    ]
    assert params_text(E3, "E", "e3_head_1.sdf", 3).splitlines()[1:4] == [
        "Chains: E TARGET_CHAINS",
        "Heads: e3_head_1.sdf target_head.sdf",
        "Anchor atoms: 3 TARGET_ANCHOR",
    ]


def test_duplicate_blank_or_long_names_are_replaced_by_unique_ones() -> None:
    instance, molecule = embedded("CCOCC")
    named = replace(instance, atoms=replace(instance.atoms, name=("C1", "C1", "O3", "C4LONG", "C2")))
    assert texts.atom_names(molecule, named) == ("C3", "C4", "O3", "C5", "C2")
    assert texts.atom_names(molecule, instance) == instance.atoms.name
    blank = replace(instance, atoms=replace(instance.atoms, name=("C 1", "C2", "O3", "C4", "C5")))
    assert texts.atom_names(molecule, blank) == ("C1", "C2", "O3", "C4", "C5")


@pytest.mark.parametrize("smiles", ["C#CCO", "Cc1ccccc1", "CC#CC(C)C", "OCCO"])
def test_atoms_of_alignment_are_not_on_one_line(smiles: str) -> None:
    graph = ligand_graph(embedded(smiles)[1])
    for anchor in range(len(graph)):
        found = protac_ternary.alignment_atoms(graph, anchor, range(len(graph)))
        assert found[-1] == anchor
        if len(found) == 3:
            a, b, c = (graph.xyz[k] for k in found)
            assert np.linalg.norm(np.cross(a - b, c - b)) > COLLINEAR * np.linalg.norm(a - b)


def test_ligand_file_gives_names_serials_and_each_bond_once() -> None:
    instance, molecule = embedded("Cc1ccc(Br)cc1")
    text = texts.residue_pdb(molecule.mol, instance.atoms.name, "LG1", "Y", kept=(1, 2, 3, 4, 5, 6, 7))
    mol = Chem.MolFromPDBBlock(text, sanitize=False, removeHs=False, proximityBonding=False)
    infos = [atom.GetPDBResidueInfo() for atom in mol.GetAtoms()]
    assert [info.GetSerialNumber() for info in infos] == [2, 3, 4, 5, 6, 7, 8]
    assert [info.GetName().strip() for info in infos] == list(instance.atoms.name[1:])
    assert {(info.GetResidueName(), info.GetChainId()) for info in infos} == {("LG1", "Y")}
    assert mol.GetNumBonds() == 7
    assert {bond.GetBondType() for bond in mol.GetBonds()} == {Chem.BondType.SINGLE}
    assert mol.GetAtomWithIdx(4).GetSymbol() == "Br"


def installed_babel() -> OpenBabel:
    """Return Open Babel; skip the rest of a test without it."""
    return open_babel() or pytest.skip("Open Babel is not installed")


@pytest.mark.parametrize(
    "smiles",
    [
        "CC(=O)Nc1ccc(O)cc1", "Cc1ccc2[nH]ccc2c1", "c1ccc2c(=O)[nH]cnc2c1", "C[n+]1ccccc1", "Cc1cc(-c2ccccc2)[nH]n1",
        "c1cc(=O)[nH]cc1-c1c[nH]cn1",
    ],
)  # fmt: skip
def test_head_is_the_same_with_and_without_perception_and_in_open_babel(smiles: str) -> None:
    """Without perception like in PRosettaC's search in its copy, with perception like in all other readers."""
    molecule = embedded(smiles)[1]
    text = head_sdf(cut_warhead(molecule, 0, ()), "head", {}, kekulize=True)
    bare, read = sdf_molecule(text, sanitize=False), sdf_molecule(text)
    assert Chem.MolToSmiles(read) == Chem.MolToSmiles(Chem.MolFromSmiles(smiles))
    assert read.GetSubstructMatch(bare)
    babel = installed_babel()
    matches = bare.GetSubstructMatches(bare, uniquify=False)
    unique = [k for k, images in enumerate(zip(*matches, strict=True)) if set(images) == {k}]
    assert {anchor_after_round_trip(babel, text, k) for k in unique} == {SAME}


@pytest.mark.parametrize(
    ("smiles", "written"),
    [
        ("CCCNC(=N)N", "CCCN=C(N)N"),
        ("CCCN=C(N)N", "CCCN=C(N)N"),
        ("Cc1ccc(NC(=N)N)cc1", "Cc1ccc(N=C(N)N)cc1"),
        ("CN=C(N)c1ccccc1", "CN=C(N)c1ccccc1"),
        ("Cc1ccccc1C(N)=NO", "Cc1ccccc1C(N)=NO"),
        ("CCNC(=N)N(C)C", "CCNC(=N)N(C)C"),
        ("CNC(N)=NC#N", "CNC(N)=NC#N"),
        ("CNC(N)=O", "CNC(N)=O"),
    ],
)
def test_guanidines_are_written_in_open_babels_form(smiles: str, written: str) -> None:
    """Guanidines with two free nitrogens change; its PDB file preserves the bonds of the rest."""
    warhead = with_bonds_of_open_babel(cut_warhead(embedded(smiles)[1], 0, ()))
    text = head_sdf(warhead, "head", {}, kekulize=True)
    canonical = Chem.MolToSmiles(Chem.MolFromSmiles(written))
    assert Chem.MolToSmiles(sdf_molecule(text)) == canonical
    assert degrader_line(smiles).strip() == (smiles if written == smiles else canonical)
    matches = warhead.mol.GetSubstructMatches(warhead.mol, uniquify=False)
    assert {match[0] for match in matches} - {0} == set(warhead.alike)
    babel = installed_babel()
    assert anchor_after_round_trip(babel, text, 0) == SAME


def test_symmetric_anchor_may_be_read_back_as_its_equivalent() -> None:
    babel = installed_babel()
    benzene = embedded("c1ccccc1")[1]
    text = head_sdf(cut_warhead(benzene, 0, ()), "benzene", {}, kekulize=True)
    assert {anchor_after_round_trip(babel, text, k) for k in range(6)} <= {SAME, OTHER}
    assert {SAME, OTHER} < set(OUTCOMES)
