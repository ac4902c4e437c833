"""Dictionary molecules, their neutral forms and InChIKeys against those from elsewhere."""

import csv
from pathlib import Path

import pytest
from rdkit import Chem, rdBase

from tests.tools.components import Known, without_stereo
from tethermap.components.component import Component
from tethermap.molecule.dictionary import dictionary_molecule, dictionary_smiles
from tethermap.molecule.inchi import component_inchi, inchi, inchikey, key_of_inchi
from tethermap.molecule.neutral import neutralised

METAL_OR_ISOTOPE = {"0KA", "6MO", "D3O", "DOD"}
"""Components whose SMILES elsewhere has other charges, clusters or isotopes."""


def molecule(component: Component, *, neutral: bool = True) -> Chem.Mol:
    mol = dictionary_molecule(component, neutral=neutral)
    assert mol is not None
    return mol


def test_inchi_prints_no_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    assert inchi(Chem.MolFromSmiles("CC(F)Br")) == "InChI=1S/C2H4BrF/c1-2(3)4/h2H,1H3"
    assert capfd.readouterr().err == ""  # not the warning about the undefined centre


def test_molecules_equal_the_smiles_in_the_dictionarys_files(mirror: Path, known: Known) -> None:
    """Those SMILES were written by OpenEye's and CACTVS' programs, not by RDKit."""
    equal, same_stereo, differing = 0, 0, set()
    with (mirror.parent / "components.csv").open(encoding="utf-8") as stream, rdBase.BlockLogs():
        for row in csv.DictReader(stream):
            reference: Chem.Mol | None = Chem.MolFromSmiles(row["smiles_canonical_first"])
            if reference is None:
                continue  # metal complexes with valences that RDKit refuses
            smiles = dictionary_smiles(known(row["code"]), neutral=False)
            if without_stereo(smiles) != without_stereo(Chem.MolToSmiles(reference)):
                differing.add(row["code"])
                continue
            equal += 1
            same_stereo += smiles == Chem.MolToSmiles(reference)
    assert differing == METAL_OR_ISOTOPE
    assert equal > 120
    assert same_stereo >= equal - 16  # phosphates, metals, adamantanes and one imine: see PIPELINE on stereo


@pytest.mark.parametrize(
    ("comp_id", "neutral"),
    [
        ("JQ1", "Cc1sc2c(c1C)C(c1ccc(Cl)cc1)=N[C@@H](CC(=O)OC(C)(C)C)c1nnc(C)n1-2"),  # stored as a cation
        ("GLY", "NCC(=O)O"),
        ("ARG", "N=C(N)NCCC[C@H](N)C(=O)O"),  # stored with a guanidinium
        ("PO4", "O=P(O)(O)O"),  # stored as phosphate
        ("SO4", "O=S(=O)(O)O"),
        ("NBZ", "O=[N+]([O-])c1ccccc1"),  # a nitro group is unchanged
        ("4NM", "O=[N+]([O-])c1ccc(CS)cc1"),  # stored with a protonated nitro group
        ("CHT", "C[N+](C)(C)CCO"),  # quaternary nitrogen is unchanged
        ("CL", "[Cl-]"),
        ("ZN", "[Zn+2]"),
        ("FX5", "Nc1nnc(-c2ccccc2O)cc1N1CCNCC1"),  # stored as a piperazinium
        ("04U", "[N-]=[N+]=N[C@@H]1CN[C@H](C(=O)O)C1"),  # an azide, stored with a proton
        ("711", "CC(=N)N1CCC(Oc2ccc3nc(C)n(Cc4ccc5ccc(C(=N)N)cc5c4)c3c2)CC1"),  # a benzimidazolium
        ("6A1", "COc1ccc2c(c1)c(O)c1c3c(ncn32)CC[C@@H]1NCC[N+](C)(C)[O-]"),  # an N-oxide
        ("ET", "CC[n+]1c(-c2ccccc2)c2cc(N)ccc2c2ccc(N)cc21"),  # ethidium is unchanged: no proton can leave
    ],
)
def test_neutral_form_matches(comp_id: str, neutral: str, known: Known) -> None:
    assert dictionary_smiles(known(comp_id), neutral=True) == Chem.CanonSmiles(neutral)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("comp_id", "neutral", "charges"), [("PO4", False, [-1, -1, -1]), ("NAD", True, [-1, 1])])
def test_stored_forms_and_balanced_zwitterions_keep_charges(
    comp_id: str, charges: list[int], known: Known, *, neutral: bool
) -> None:
    mol = molecule(known(comp_id), neutral=neutral)
    assert sorted(atom.GetFormalCharge() for atom in mol.GetAtoms() if atom.GetFormalCharge()) == charges


def test_metal_complexes_keep_their_charges(known: Known) -> None:
    for comp_id in ("HEM", "REO", "CPT"):
        forms = (molecule(known(comp_id), neutral=neutral) for neutral in (False, True))
        stored, neutral = ([atom.GetFormalCharge() for atom in mol.GetAtoms()] for mol in forms)
        assert stored == neutral


@pytest.mark.parametrize(
    ("comp_id", "text"),
    [
        ("CPT", "InChI=1S/2ClH.2H3N.Pt/h2*1H;2*1H3;/q;;;;+2/p-2"),
        ("IRI", "InChI=1S/Ir.6H3N/h;6*1H3/q+3;;;;;;"),
        ("MO6", "InChI=1S/Mg.6H2O/h;6*1H2/q+2;;;;;;"),
    ],
)
def test_metal_complexes_have_the_key_of_their_parts(comp_id: str, text: str, known: Known) -> None:
    assert inchikey(dictionary_smiles(known(comp_id), neutral=True)) == Chem.InchiToInchiKey(text)  # type: ignore[no-untyped-call]


def test_neutralising_does_not_change_coordinates(known: Known) -> None:
    mol = molecule(known("ARG"), neutral=False)
    assert (neutralised(mol).GetConformer().GetPositions() == mol.GetConformer().GetPositions()).all()


def test_hydrogens_follow_the_dictionary_instead_of_a_valence_model(known: Known) -> None:
    """RDKit's model would put hydrogens on the sulfurs of an iron–sulfur cluster."""
    assert not any(atom.GetTotalNumHs() for atom in molecule(known("SF4")).GetAtoms())


def test_component_without_atoms_has_no_molecule(known: Known) -> None:
    assert dictionary_molecule(known("UNL"), neutral=True) is None
    assert dictionary_smiles(known("UNL"), neutral=True) == ""


def test_molecule_that_does_not_sanitise_is_still_a_molecule(known: Known) -> None:
    component = known("08T")  # a beryllium trifluoride with four bonds
    mol = molecule(component)
    assert not mol.GetBoolProp("sanitised")
    assert mol.GetNumAtoms() == sum(atom.element != "H" for atom in component.atoms)


@pytest.mark.parametrize(("comp_id", "is_centre"), [("ATP", False), ("SP1", True)])
def test_phosphorus_is_a_stereo_centre_only_if_sulfur_replaces_an_oxygen(
    comp_id: str, known: Known, *, is_centre: bool
) -> None:
    tags = [atom.GetChiralTag() for atom in molecule(known(comp_id)).GetAtoms() if atom.GetSymbol() == "P"]
    assert any(tag != Chem.ChiralType.CHI_UNSPECIFIED for tag in tags) == is_centre


@pytest.mark.parametrize(
    ("comp_id", "key"),
    [
        ("HEM", "KABFMIBPWCXCRK-RGGAHWMASA-L"),
        ("HEC", "HXQIYSLZKNYNMH-LJNAALQVSA-N"),
        ("HEA", "ZGGYGTCPXNDTRV-PRYGPKJJSA-L"),
        ("HDD", "UMGOPAWIGKFTRK-QQDQPIDJSA-N"),
        ("FES", "NIXDOXVAJZFRNF-UHFFFAOYSA-N"),
        ("08T", "WOGYHYSOODLXII-KWIZKVQNSA-J"),
    ],
)
def test_inchikey_of_a_metal_complex_matches(comp_id: str, key: str, known: Known) -> None:
    assert key_of_inchi(component_inchi(known(comp_id))) == key
