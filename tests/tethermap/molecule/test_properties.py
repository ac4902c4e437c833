"""Descriptors against published values, and the edges of the rules."""

from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st
from rdkit import Chem
from rdkit.Chem import QED, FilterCatalog

from tethermap.base.tables import LIGAND_METADATA
from tethermap.molecule.alerts import NO_HITS, alerts
from tethermap.molecule.properties import descriptors, rules

IMATINIB = "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"

TAXOL = (
    "CC1=C2C(C(=O)C3(C(CC4C(C3C(C(C2(C)C)(CC1OC(=O)C(C(C5=CC=CC=C5)NC(=O)C6=CC=CC=C6)O)O)OC(=O)C7=CC=CC=C7)"
    "(CO4)OC(=O)C)O)C)OC(=O)C"
)

PIECES = (
    "C", "N", "O", "S", "C=C", "C(=O)", "C(=S)", "C#N", "N=N", "C=N", "[N+](=O)[O-]", "c1ccccc1", "c1ccc(O)c(O)c1",
    "c1ccc(N(C)C)cc1", "C1=CC(=O)C=CC1=O", "C=C1SC(=S)NC1=O", "c1c[nH]c2ccccc12", "c1ccc[n]1", "N1CCNCC1", "c1nnsc1",
    "c1cscc1", "Cl", "S(=O)(=O)",
)  # fmt: skip
"""Pieces of molecules, many of groups that PAINS name."""

PAINS = FilterCatalog.FilterCatalog(FilterCatalog.FilterCatalogParams.FilterCatalogs.PAINS)

DRUG = {
    "MW": 350.0, "LogP": 2.0, "TPSA": 80.0, "HBA": 5, "HBD": 2, "Rotatable_Bonds": 5, "MolMR": 90.0, "Ring_Count": 3,
    "NumHeteroAtoms": 6,
}  # fmt: skip


def test_imatinib_has_its_published_properties() -> None:
    """PubChem CID 5291: molecular weight, TPSA, rotatable bonds, donors, InChIKey."""
    values = descriptors(Chem.MolFromSmiles(IMATINIB))
    expected = {"Rotatable_Bonds": 7, "HBD": 2, "Heavy_Atom_Count": 37, "Ring_Count": 5, "Formal_Charge": 0}
    assert {name: values[name] for name in expected} == expected
    assert (values["MW"], values["TPSA"]) == pytest.approx((493.6, 86.3), abs=0.05)
    assert values["InChIKey"] == "KTUFNOKKBVMGRW-UHFFFAOYSA-N"


def test_easy_molecules_score_lower_than_hard_ones() -> None:
    """Ertl & Schuffenhauer 2009: 1 is easy, 10 hard."""
    mols = map(Chem.MolFromSmiles, ("CC(=O)Oc1ccccc1C(=O)O", TAXOL))
    aspirin, taxol = (float(descriptors(mol)["SA_Score"] or 0) for mol in mols)
    assert aspirin == pytest.approx(1.58, abs=0.05)
    assert taxol > 5


def test_every_column_that_depends_on_the_molecule_exists() -> None:
    given = {"Ligand", "Name", "Formula", "Type", "SMILES", "Parent_SMILES", "Instances", "source"}
    given |= {"Common_Name", "Synonyms", "SMILES_pH74", "SMILES_pH74_other", "groups_near_pH74"}
    assert set(descriptors(Chem.MolFromSmiles("CCO"))) == set(LIGAND_METADATA.names) - given


def test_single_ion_has_values_too() -> None:
    values = descriptors(Chem.MolFromSmiles("[Zn+2]"))
    assert values["Formal_Charge"] == 2
    assert values["MW"] == pytest.approx(65.39, abs=0.05)


def test_stereo_centres_count_specified_or_not() -> None:
    assert [descriptors(Chem.MolFromSmiles(s))["Chiral_Atoms"] for s in ("CC(F)Cl", "C[C@H](F)Cl", "CCO")] == [1, 1, 0]


def test_descriptors_do_not_change_the_molecule() -> None:
    mol = Chem.MolFromSmiles("CC(F)C=CC")
    before = Chem.MolToSmiles(mol)
    assert descriptors(mol)["Canonical_SMILES"] == before


def test_alerts_are_named_or_none() -> None:
    assert alerts(Chem.MolFromSmiles("CCO")) == (NO_HITS, NO_HITS, 0)
    assert alerts(Chem.MolFromSmiles("CC(=O)C=C"))[1] != NO_HITS


def test_inchi_and_its_key_are_of_one_molecule() -> None:
    """Component 8KG: the InChI of its cage from its canonical SMILES differs from that of the dictionary's graph."""
    adamantane = "O=C(C[C@]1(c2ccccc2)[C@@H]2C[C@@H]3C[C@H]1C[C@H](C2)[C@H]3O)N1CC(O)C1"
    values = descriptors(Chem.MolFromSmiles(adamantane))
    key = Chem.InchiToInchiKey(values["InChI"])  # type: ignore[no-untyped-call]
    assert key == values["InChIKey"]


@settings(max_examples=40)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join))
def test_screening_leaves_all_alerts_and_the_qed_of_rdkit(smiles: str) -> None:
    mol = Chem.MolFromSmiles(smiles)
    assume(mol is not None)
    found = {entry.GetDescription() for entry in PAINS.GetMatches(mol)}
    assert alerts(mol)[0] == ("; ".join(sorted(found)) or NO_HITS)
    assert descriptors(mol)["QED"] == QED.qed(mol)  # type: ignore[no-untyped-call]


PASSED: dict[str, list[dict[str, Any]]] = {
    "Lipinski_Pass": [{"MW": 500.1}, {"LogP": 5.1}, {"HBD": 5, "HBA": 11}, {"HBD": 6, "HBA": 10}],  # one may be
    "Veber_Pass": [{"Rotatable_Bonds": 10, "TPSA": 140.0}],
    "Egan_Pass": [{"TPSA": 131.6, "LogP": 5.88}],
    "Ghose_Pass": [{"MW": 480.0, "LogP": 5.6, "MolMR": 130.0}],
    "Muegge_Pass": [{"MW": 600.0, "TPSA": 150.0, "Rotatable_Bonds": 15, "Ring_Count": 7}],
}
FAILED: dict[str, list[dict[str, Any]]] = {
    "Lipinski_Pass": [{"MW": 500.1, "LogP": 5.1}, {"HBD": 6, "HBA": 11}],
    "Veber_Pass": [{"Rotatable_Bonds": 11}, {"TPSA": 140.1}],
    "Egan_Pass": [{"TPSA": 131.7}, {"LogP": 5.89}, {"LogP": -1.1}],
    "Ghose_Pass": [{"MW": 480.1}, {"MW": 159.9}, {"LogP": -0.5}, {"MolMR": 39.9}, {"MolMR": 130.1}],
    "Muegge_Pass": [
        *({"MW": 600.1}, {"MW": 199.9}, {"LogP": 5.1}, {"LogP": -2.1}, {"TPSA": 150.1}, {"Ring_Count": 8}),
        *({"NumHeteroAtoms": 1}, {"Rotatable_Bonds": 16}, {"HBA": 11}, {"HBD": 6}),
    ],
}


@pytest.mark.parametrize("rule", PASSED)
def test_rule_changes_at_its_published_limit(rule: str) -> None:
    for cases, passed in ((PASSED, True), (FAILED, False)):
        for changes in cases[rule]:
            assert rules({**DRUG, **changes}, n_atoms=45, n_carbons=20)[rule] is passed, changes


@pytest.mark.parametrize(
    ("rule", "n_atoms", "n_carbons", "passed"),
    [
        *(("Ghose_Pass", 19, 20, False), ("Ghose_Pass", 20, 20, True), ("Ghose_Pass", 70, 20, True)),
        *(("Ghose_Pass", 71, 20, False), ("Muegge_Pass", 45, 4, False), ("Muegge_Pass", 45, 5, True)),
    ],
)
def test_ghose_limits_all_atoms_and_muegge_the_carbons(rule: str, n_atoms: int, n_carbons: int, passed: bool) -> None:
    assert rules(DRUG, n_atoms=n_atoms, n_carbons=n_carbons)[rule] is passed


def test_rules_are_empty_if_a_descriptor_is_missing() -> None:
    assert set(rules({**DRUG, "LogP": None}, 45, 20).values()) == {None}
