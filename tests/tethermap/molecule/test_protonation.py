"""Charges at pH 7.4 of drugs and metabolites whose pKa are known."""

import re
from pathlib import Path

import pytest
from rdkit import Chem

from tests.tools import runs
from tests.tools.components import Known
from tethermap.base.reference import rows_of
from tethermap.molecule.dictionary import dictionary_smiles
from tethermap.molecule.protonation import NEAR_PH, PH, forms_at_ph, groups

CHARGES = Path(__file__).resolve().parents[2] / "data" / "charges_at_ph.csv"


@pytest.mark.parametrize(
    ("neutral", "at_ph"),
    [
        ("CC(C)Cc1ccc(cc1)C(C)C(=O)O", "CC(C)Cc1ccc(cc1)C(C)C(=O)[O-]"),  # ibuprofen, 4.9
        ("CC1CCCCN1", "CC1CCCC[NH2+]1"),  # a piperidine, 10.9
        ("c1ccc(N2CCN(C)CC2)cc1", "c1ccc(N2CC[NH+](C)CC2)cc1"),  # the aniline nitrogen is no base
        ("C1CNCCN1", "C1CNCC[NH2+]1"),  # piperazine, 9.7 and 5.3
        ("NC(=N)c1ccccc1", "NC(=[NH2+])c1ccccc1"),  # benzamidine, 11.6
        ("CN(C)C(=N)NC(N)=N", "CN(C)C(=N)NC(N)=[NH2+]"),  # metformin, 12.4 and 2.8
        ("Nc1ccncc1", "Nc1cc[nH+]cc1"),  # fampridine, 9.1
        ("Nc1ccccn1", "Nc1ccccn1"),  # 2-aminopyridine, 6.9
        ("Clc1cccc(Cl)c1N=C1NCCN1", "Clc1cccc(Cl)c1[NH+]=C1NCCN1"),  # clonidine, 8.1
        ("COCCN1CCOCC1", "COCCN1CCOCC1"),  # a morpholine, 7.4: left
        ("c1c[nH]cn1", "c1c[nH]cn1"),  # imidazole, 7.0: left
        ("CC(=O)Nc1ccc(O)cc1", "CC(=O)Nc1ccc(O)cc1"),  # paracetamol, 9.5
        ("c1nnn[nH]1", "c1nnn[n-]1"),  # tetrazole, 4.9
        ("Cc1onc(O)c1C", "Cc1onc([O-])c1C"),  # an isoxazol-3-ol, 6.1
        ("CCOP(=O)(O)O", "CCOP(=O)([O-])[O-]"),  # a phosphate, 1.6 and 6.6
        ("CP(=O)(O)O", "CP(=O)([O-])[O-]"),  # phosphonates, 1.9 and 7.2 on average
        ("OP(=O)(O)CP(=O)(O)O", "OP(=O)([O-])CP(=O)([O-])[O-]"),  # bisphosphonates, alendronate 2.6, 6.7 and 11.5
        ("OC1=C(c2ccccc2)C(=O)c2ccccc21", "[O-]C1=C(c2ccccc2)C(=O)c2ccccc21"),  # phenindione as an enol, 4.1
        ("CC(C)=CCC1=C(O)C(=O)c2ccccc2C1=O", "CC(C)=CCC1=C([O-])C(=O)c2ccccc2C1=O"),  # lapachol, about 6
        ("CC(=O)NS(=O)(=O)c1ccccc1", "CC(=O)[N-]S(=O)(=O)c1ccccc1"),
        ("C[N+](C)(C)CCO", "C[N+](C)(C)CCO"),
        ("CC[N+](=O)[O-]", "CC[N+](=O)[O-]"),
        ("N[C@@H](C)C(=O)O", "[NH3+][C@@H](C)C(=O)[O-]"),
        ("NC(=O)NCC#N", "NC(=O)NCC#N"),
        ("[NH3]->[Pt](<-[NH3])([Cl])[Cl]", "[NH3]->[Pt](<-[NH3])([Cl])[Cl]"),
    ],
)
def test_charges_at_ph_match(neutral: str, at_ph: str) -> None:
    assert forms_at_ph(neutral).main == Chem.CanonSmiles(at_ph)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    "smiles",
    [
        "CN1CCN(CC1)Cc1ccc(cc1)C(=O)O",
        "OC(=O)CC1CC(=O)CC(=O)C1",
        "CC1(C)C(=O)NC(=O)NC1=O",
        "c1ccc2nc(NS(=O)(=O)C)cnc2c1",
    ],
)
def test_order_of_atoms_changes_nothing(smiles: str) -> None:
    shuffled = Chem.MolToRandomSmilesVect(Chem.MolFromSmiles(smiles), 20, randomSeed=1)
    assert len(set(map(forms_at_ph, shuffled))) == 1


@pytest.mark.parametrize(
    ("neutral", "main", "other", "near"),
    [
        ("CCN1CCOCC1", "CCN1CCOCC1", "CC[NH+]1CCOCC1", "morpholine with an alkyl group on nitrogen 7.4"),
        ("Sc1ccccc1", "[S-]c1ccccc1", "Sc1ccccc1", "thiophenol 6.4"),
        ("CC(=O)O", "CC(=O)[O-]", "", ""),
        ("NC(N)=Nc1nccs1", "NC(N)=Nc1nccs1", "NC(N)=[NH+]c1nccs1", "guanidine on a thiazole 6.8"),
        ("O=C1CCCC(=O)C1", "O=C1C=C([O-])CCC1", "", ""),
    ],
)
def test_both_forms_are_given_if_the_pka_is_near(neutral: str, main: str, other: str, near: str) -> None:
    assert forms_at_ph(neutral) == (main, other, near)


@pytest.mark.parametrize("comp_id", ["HEM", "HEC", "B12"])
def test_acids_of_ligands_with_a_metal_are_charged(comp_id: str, known: Known) -> None:
    smiles = dictionary_smiles(known(comp_id), neutral=True)
    acids, charged = (Chem.MolFromSmarts(f"[{oxygen}][CX3,PX4]=[OX1]") for oxygen in ("OX2H1", "OX1-"))
    before, after = (Chem.MolFromSmiles(text) for text in (smiles, forms_at_ph(smiles).main))
    assert not after.HasSubstructMatch(acids)
    assert len(after.GetSubstructMatches(charged)) == len(before.GetSubstructMatches(acids)) > 0


def is_source(text: str) -> bool:
    """Return whether a text names a work by its DOI, a paper with volume and pages, or the FDA's label of a drug."""
    return re.search(r"doi:10\.|^FDA label of |\d{4}, \w+ \d+, .*\d+ to \d+", text) is not None


def test_drugs_are_charged_as_published() -> None:
    """The main form has the charges that follow from the pKa; if one is within 1 of 7.4, either form may."""
    drugs = runs.rows_of(CHARGES.parent, CHARGES.name)
    assert len(drugs) >= 100
    assert all(is_source(drug["source"]) for drug in drugs)
    wrong = []
    for drug in drugs:
        forms = forms_at_ph(drug["smiles"])
        either = (forms.main, forms.other) if drug["near"] == "yes" else (forms.main,)
        if (drug["cations"], drug["anions"]) not in {_charges(form) for form in either if form}:
            wrong.append(drug["name"])
    assert len(wrong) <= 0.02 * len(drugs), wrong


def _charges(smiles: str) -> tuple[str, str]:
    """Return how many atoms are cations and anions that no neighbour balances."""
    atoms = list(Chem.MolFromSmiles(smiles).GetAtoms())
    signs = [
        atom.GetFormalCharge()
        for atom in atoms
        if not any(other.GetFormalCharge() * atom.GetFormalCharge() < 0 for other in atom.GetNeighbors())
    ]
    return str(sum(sign > 0 for sign in signs)), str(sum(sign < 0 for sign in signs))


def test_every_rule_has_a_source_and_a_pka_on_its_side() -> None:
    rows = rows_of("protonation")
    assert all(is_source(row["source"]) for row in rows)
    sure = [row for row in rows if abs(float(row["pKa"]) - PH) > NEAR_PH]
    assert all((float(row["pKa"]) < PH) == (row["change"] == "-1") for row in sure)


def test_charged_atoms_are_never_charged_again() -> None:
    """So a change of one site frees no other, and groups absent from an unchanged molecule can't appear."""
    marked = [group.pattern.GetAtomWithIdx(group.atom).GetSmarts() for group in groups()]
    assert all("+0" in smarts for smarts in marked)


def test_unreadable_smiles_has_no_charges() -> None:
    assert forms_at_ph("C(") == ("", "", "")
