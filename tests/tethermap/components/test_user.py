"""A user's own components: tables of SMILES, CIF files, and their errors."""

import dataclasses
from pathlib import Path

import pytest

from tests.tethermap.components.test_index import CIF
from tests.tools.components import Known, ideal_instance
from tethermap.components.index import ComponentIndex
from tethermap.components.user import (
    UserComponentError,
    component_from_smiles,
    components_from_table,
    read_user_components,
)
from tethermap.matching.build import build_ligand
from tethermap.molecule.dictionary import dictionary_smiles

IMATINIB = "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"


TABLES = {
    f"LIG,{IMATINIB}\nDRG,CCO\n": {"LIG": IMATINIB, "DRG": "CCO"},
    f"code,smiles\nLIG,{IMATINIB}\n\nDRG,CCO": {"LIG": IMATINIB, "DRG": "CCO"},
    f"LIG\t{IMATINIB}\nDRG\tCCO\tsome name\n": {"LIG": IMATINIB, "DRG": "CCO"},
    f"# mine\nLIG {IMATINIB}\nDRG CCO\n": {"LIG": IMATINIB, "DRG": "CCO"},
    f"code;SMILES;name\nLIG;{IMATINIB};imatinib\ndrg;CCO;\n": {"LIG": IMATINIB, "DRG": "CCO"},
    "LIG_B CCO\n": {"LIG_B": "CCO"},
    "inhibitor_12 CCO\n": {"INLMK": "CCO"},
    "c1ccccc1O LIG\n": {"LIG": "Oc1ccccc1"},
    "smiles,name\nCCO,LIG\n": {"LIG": "CCO"},
    "CC(F)Cl |o1:1,r| LIG\nCCO DRG |$;;x$|\n": {"LIG": "CC(F)Cl", "DRG": "CCO"},
    "id,name,smiles,pIC50\nLIG,ethanol,CCO,7.1\n": {"LIG": "CCO"},
    "Code,Canonical SMILES\nLIG,CCO\n": {"LIG": "CCO"},
}


@pytest.mark.parametrize(("text", "molecules"), TABLES.items())
def test_table_is_read_in_any_usual_form(text: str, molecules: dict[str, str]) -> None:
    found = components_from_table(text)
    assert {code: dictionary_smiles(component, neutral=True) for code, component in found.items()} == molecules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("LIG,c1ccc\n", "line 1: 'c1ccc' is no SMILES"),
        ("LIG,CCO\nLIG,CCN\n", "line 2: LIG is defined twice"),
        ("LIG,CCO\n../x,CCN\n", "line 2: '../X' is no component code"),
        ("LIG,CC~C\n", r"line 1: 'CC~C' has an unknown atom or bond \(\* or ~\): give the whole molecule"),
        ("LIG,c1ccccc1O[*:1]\n", "line 1: 'c1ccccc1O\\[\\*:1\\]' has an unknown atom or bond"),
        ("code,smiles\n", "give a component code and a SMILES in each line"),
        ("LIG\n", "line 1: a component code and a SMILES are needed"),
    ],
)
def test_error_names_the_wrong_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(UserComponentError, match=f"mine.csv: {message}"):
        read_user_components(path)


@pytest.mark.parametrize(("name", "code"), [("x.smi", "CNC"), ("x.csv", "OCC")])
def test_first_word_is_the_smiles_in_smi_files_if_both_can_be(name: str, code: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("OCC CNC\n")
    assert [*read_user_components(tmp_path)] == [code]


def test_all_files_of_a_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "new.cif").write_text(CIF)
    (tmp_path / "table.smi").write_text("LIG CCO\n")
    found = read_user_components(tmp_path)
    assert {code: (one.comp_id, one.origin) for code, one in found.items()} == {
        "ZZZZ9": ("ZZZZ9", "user"), "LIG": ("LIG", "user"),
    }  # fmt: skip


def test_two_definitions_of_one_code_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text("LIG CCO\n")
    (tmp_path / "b.smi").write_text("LIG CCN\n")
    with pytest.raises(UserComponentError, match="LIG is also defined in another file"):
        read_user_components(tmp_path)


def test_code_in_lower_case_has_its_definition(tmp_path: Path, index: ComponentIndex, known: Known) -> None:
    """Programs for simulation write residue names in any case."""
    (tmp_path / "a.cif").write_text(CIF.replace("ZZZZ9", "zzzz9"))
    (tmp_path / "b.smi").write_text(f"{IMATINIB} lig\n")
    user = read_user_components(tmp_path)
    assert list(user) == ["ZZZZ9", "LIG"]
    for code, source in (("sti", "dictionary"), ("lig", "user")):
        record = build_ligand(ideal_instance(dataclasses.replace(known("STI"), comp_id=code)), index, user)
        assert (record.bond_source, record.observed_smiles) == (source, IMATINIB)


def test_two_equal_definitions_of_one_code_are_one(tmp_path: Path) -> None:
    """Programs for refinement copy the restraints of a ligand into the folder of each structure."""
    for name in ("a.cif", "b.cif"):
        (tmp_path / name).write_text(CIF)
    assert list(read_user_components(tmp_path)) == ["ZZZZ9"]


@pytest.mark.parametrize(("name", "content"), [("x.cif", b"no cif"), ("x.smi", b"\xff\xfe\x00"), ("none.cif", None)])
def test_file_of_another_kind_or_missing_one_is_named(name: str, content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserComponentError, match=name):
        read_user_components(tmp_path / name)


@pytest.mark.parametrize(
    ("smiles", "kept"), [("CCN.Cl", "CCN"), ("C[C@H](N)C(=O)O", "C[C@H](N)C(=O)O")], ids=["salt", "stereo"]
)
def test_largest_part_and_defined_stereo_are_kept(smiles: str, kept: str) -> None:
    assert dictionary_smiles(component_from_smiles("LIG", smiles), neutral=True) == kept


def test_formula_is_in_the_dictionarys_style() -> None:
    assert component_from_smiles("LIG", IMATINIB).formula == "C29 H31 N7 O"
    assert component_from_smiles("LIG", "C[N+](C)(C)C").formula == "C4 H12 N 1"


@pytest.mark.parametrize(("code", "smiles"), [("LIG", "c1ccc(-c2cc[nH]n2)cc1"), ("DRG", "c1ccc2ccccc2c1")])
def test_users_definition_precedes_a_real_component_of_that_code(code: str, smiles: str, index: ComponentIndex) -> None:
    """The skeleton of either molecule is part of the dictionary's molecule under the code."""
    own = component_from_smiles(code, smiles)
    instance = ideal_instance(own, renamed={"C1": "C1A"})
    record = build_ligand(instance, index, {code: own})
    assert (record.bond_source, record.observed_smiles, record.atoms_missing) == ("user", smiles, ())


def test_dictionary_is_used_if_the_users_definition_does_not_fit(index: ComponentIndex, known: Known) -> None:
    record = build_ligand(ideal_instance(known("STI")), index, {"STI": component_from_smiles("STI", "CCO")})
    assert record.bond_source == "dictionary"
