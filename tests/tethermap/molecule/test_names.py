"""Common names, links and classes of warheads."""

import pytest
from rdkit import Chem

from tethermap.base.links import ligand_links
from tethermap.base.reference import REFERENCE
from tethermap.molecule.names import common_name, is_systematic, name_in_title
from tethermap.molecule.warheads import warhead_classes


@pytest.mark.parametrize(
    ("title", "synonyms", "expected"),
    [
        ("N-(2-{[2-(dimethylamino)ethyl](methyl)amino}-4-methoxyphenyl)", ("AZD 9291", "Osimertinib"), "Osimertinib"),
        ("4-(4-METHYL-PIPERAZIN-1-YLMETHYL)-BENZAMIDE", ("STI-571", "IMATINIB"), "imatinib"),
        ("Gefitinib", (), "Gefitinib"),
        ("Nilotinib", ("4-methyl-N-[3-(4-methyl-1H-imidazol-1-yl)]",), "Nilotinib"),
        ("6-(4-azanyl-4-methyl-piperidin-1-yl)pyrazin-2-amine", ("SHP099",), "SHP099"),
        ("1-[3,5-bis(3-bromanylpropanoyl)]", ("Chemical crosslinker",), "1-[3,5-bis(3-bromanylpropanoyl)]"),
        ("(1R,2S,5S)-3-[N-bound]", ("Narlaprevir, bound form",), "Narlaprevir (bound form)"),
        ("ADENOSINE-3',5'-CYCLIC-MONOPHOSPHATE", ("CYCLIC AMP", "CAMP"), "cyclic AMP"),
        ("ADENOSINE-5'-TRIPHOSPHATE", (), "adenosine-5'-triphosphate"),
        ("", (), ""),
    ],
)
def test_common_name_comes_first(title: str, synonyms: tuple[str, ...], expected: str) -> None:
    assert common_name(title, synonyms) == expected


@pytest.mark.parametrize(
    ("title", "expected", "beside_another"),
    [
        ("THE PROTAC MZ1 IN COMPLEX WITH THE SECOND BROMODOMAIN OF BRD4", "MZ1", "MZ1"),
        ("SECOND BROMODOMAIN OF HUMAN BRD4 IN COMPLEX WITH MS417 INHIBITOR", "MS417", ""),
        ("PLASMEPSIN FROM P. FALCIPARUM IN COMPLEX WITH INHIBITOR RS367", "RS367", "RS367"),
        ("MAIN PROTEASE BOUND TO PD 168568.", "PD 168568", ""),
        ("CDK2 in complex with CKS1 and inhibitor AT7519", "AT7519", "AT7519"),
        ("SHP2 in Complex with Allosteric Inhibitors SHP099 and SHP844", "", ""),
        ("EGFR kinase domain T790M in complex with compound 2", "", ""),
        ("Crystal structure of BRD4 bromodomain 1", "", ""),
    ],
)
def test_title_names_a_ligand_by_its_code_only(title: str, expected: str, beside_another: str) -> None:
    assert name_in_title(title, one_protein=True) == expected
    assert name_in_title(title, one_protein=False) == beside_another


def test_name_is_systematic_only_if_no_other_is_known() -> None:
    assert is_systematic("(2~{S},4~{R})-1-[(2~{S})-2-[2-[2-[2-methyl", ())
    assert not is_systematic("(2~{S},4~{R})-1-[(2~{S})-2-[2-[2-[2-methyl", ("MZ1",))


def test_short_names_of_sugars_are_not_used() -> None:
    assert common_name("beta-D-glucopyranose", ("glucose",), "D-saccharide, beta linking") == "beta-D-glucopyranose"


def test_links_need_a_code_of_the_dictionary_and_a_key() -> None:
    key = "KTUFNOKKBVMGRW-UHFFFAOYSA-N"
    links = ligand_links("STI", key)
    assert links.keys() == {"RCSB PDB", "PDBe", "ChEMBL", "PubChem"}
    assert all(address.startswith("https://") and ("STI" in address or key in address) for address in links.values())
    assert ligand_links("LIG", key, in_dictionary=False).keys() == {"ChEMBL", "PubChem"}
    assert ligand_links("A+B", "") == {}
    assert ligand_links('"><script>', "javascript:") == {}


@pytest.mark.parametrize(
    ("adduct", "expected"),
    [
        ("*SCCC(=O)Nc1ccccc1", "Michael acceptor"),  # osimertinib and others with Cys 797 of EGFR
        ("*S[C@@H]1CC(=O)N(CC)C1=O", "Michael acceptor"),  # N-ethylmaleimide
        ("*S[C@H](O)[C@H](CC(C)C)NC(C)=O", "aldehyde"),  # leupeptin, GC376
        ("*S[C@](O)(C(N)=O)[C@H](CC1CCC1)NC(C)=O", "alpha-ketoamide"),  # boceprevir
        ("*S[C@@](O)(CO)[C@H](C)NC(C)=O", "ketone"),
        ("*SC(=N)CNC(C)=O", "nitrile"),  # nirmatrelvir, odanacatib
        ("*O[B-](O)(O)CC", "boronic acid"),  # bortezomib
        ("*OC(=O)c1ccc(NC(=N)N)cc1", "acyl donor"),  # nafamostat
        ("*SCC(=O)N1CCNCC1", "alpha-halo or acyloxy carbonyl"),
        ("*NC[C@](O)(O*)[C@H](C)NC(C)=O", "alpha-halo or acyloxy carbonyl;ketone"),  # chloromethyl ketones
        ("*SC(O)(O)[C@@H](N)CCC", "aldehyde"),  # leupeptin in 6YZ6, whose component is the hydrate
        ("*N=C/C=C(C)/C=C", "aldehyde or ketone (imine)"),  # retinal
        ("*OS(=O)(=O)Cc1ccccc1", "sulfonyl donor"),
        ("*SC(C)=CC(=O)NC", "alkyne"),
        ("*SC[C@@H](O)Cn1cccc1", "epoxide or aziridine"),
        ("*SS[C@@H]1OCCCC1", "disulfide"),
        ("*SC(N)CNC(=O)[C@@H](N)CC(C)C", "nitrile"),  # NFT in 1VSN, drawn as an amine
        ("*SC[C@@H](N)C", "epoxide or aziridine"),
        ("*PO", "other"),
        ("", ""),
    ],
)
def test_class_of_a_warhead_matches(adduct: str, expected: str) -> None:
    assert warhead_classes(adduct) == expected


def test_every_class_has_a_pattern_and_a_source() -> None:
    lines = (REFERENCE / "warheads.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert all("doi:" in line for line in lines)
    assert all(Chem.MolFromSmarts(line.split('"')[1]) is not None for line in lines)
