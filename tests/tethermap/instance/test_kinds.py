"""Classification of ligands and additives."""

import pytest

from tests.tools.cleaning import Find
from tethermap.components.user import component_from_smiles
from tethermap.instance.kinds import MONOMERS, KindRules
from tethermap.molecule.dictionary import dictionary_smiles

KINDS = {
    "ligand": "STI AZT IRE JQ1 478 ANP BEN A1AZ9 LIG",  # the public service's list of 259 codes deletes STI and AZT
    "cofactor": "NAD HEM FAD ATP ADP AMP SAM PLP B1Z BPB BCR ATR THB NAH SAO",
    "additive": "SO4 GOL EDO PEG DMS MOH ACT HTO DCX IRI MO6 SX NCO OHX RHX",
    "unknown": "UNL UNX",
}


@pytest.mark.parametrize(("comp_id", "kind"), [(code, kind) for kind, codes in KINDS.items() for code in codes.split()])
def test_codes_have_their_kind_at_any_position(comp_id: str, kind: str, rules: KindRules) -> None:
    assert rules.of_component(comp_id, 13, wanted=False).kind == kind


def test_additive_requested_by_name_is_a_ligand(rules: KindRules) -> None:
    assert rules.of_component("GOL", 13, wanted=True).kind == "ligand"


EQUIVALENT = "144 TMN O4B Z22 PHU MLI CRY CAD".split()  # noqa: SIM905 - to codes of the list of additives


@pytest.mark.parametrize(
    ("comp_id", "heavy_atoms", "may"),
    [("CIT", 13, True), ("CIT", 4, False), ("EDO", 13, False), *((code, 8, False) for code in EQUIVALENT)],
)
def test_additive_of_five_atoms_may_be_a_ligand(comp_id: str, heavy_atoms: int, may: bool, rules: KindRules) -> None:
    found = rules.of_component(comp_id, heavy_atoms, wanted=False)
    assert (found.kind, found.unless_buried) == ("additive", may)


@pytest.mark.parametrize(("comp_id", "kind"), [("MES", "additive"), ("ATP", "cofactor")])
def test_listed_code_of_another_molecule_of_the_user_is_a_ligand(comp_id: str, kind: str, find: Find) -> None:
    """Restraints that a program for refinement writes of the listed component itself change nothing."""
    known = find(comp_id)
    assert known is not None
    same = dictionary_smiles(known, neutral=True)
    for smiles, expected in ((same, kind), ("COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1", "ligand")):
        user = {comp_id: component_from_smiles(comp_id, smiles)}
        rules = KindRules(user.get, find)
        assert rules.of_component(comp_id, 13, wanted=False).kind == expected
        assert bool(rules.role(comp_id)) == (expected == "additive")


def test_every_listed_code_is_in_the_dictionary_and_has_a_reason(rules: KindRules, find: Find) -> None:
    assert not rules.additives.keys() & rules.cofactors.keys()
    for comp_id, listed in {**rules.additives, **rules.cofactors}.items():
        assert find(comp_id) is not None, comp_id
        assert listed.get("role") or listed["class"], comp_id
        assert listed["reason"], comp_id


def test_no_drug_like_molecule_is_on_the_list_of_additives(rules: KindRules, find: Find) -> None:
    """Aromatic nitrogen heterocycles of drug size are not listed among buffers, salts and detergents."""
    for comp_id, listed in rules.additives.items():
        component = find(comp_id)
        assert component is not None
        if listed["role"] in MONOMERS:
            continue
        aromatic = {i for bond in component.bonds if bond.aromatic for i in (bond.first, bond.second)}
        nitrogens = [i for i in aromatic if component.atoms[i].element == "N"]
        heavy = [atom for atom in component.atoms if atom.element != "H"]
        assert not (nitrogens and len(heavy) > 15), comp_id


NAMED = [
    ("EPE", "Phosphatase in complex with HEPES", True),
    ("EPE", "Structure of a phosphatase in complex with HEPES-like inhibitors", False),
    ("MLI", "Crystal structure of malonate decarboxylase", True),
    ("MLI", "Crystal structure of methylmalonate decarboxylase", False),
    ("GOL", "Monooxygenase in complex with FADH2 and glycerol", False),
    ("EPE", "Crystal structure of a phosphatase", False),
    ("GOL", "Structure of glycerol-3-phosphate dehydrogenase", False),
    ("PO4", "Structure of phosphate ion channel", False),
    *((code, "Structure of a transporter", True) for code in ("NHE", "TAU", "DPV")),
]
LIPIDS = [
    ("DPV", "Lipid-induced conformational switch controls fusion activity of longin domain SNARE Ykt6", True),
    ("PLM", "Phospholipid-bound structure of a transfer protein", True),
    ("CLR", "Cholesterol bound form of human beta2 adrenergic receptor", True),
    ("PGV", "Cytochrome b6f complex with natively bound thylakoid lipids", False),
    ("OLC", "Structure of a receptor in a lipidic cubic phase", False),
    ("DPV", "Crystal structure of a lipid kinase", False),
    *((code, "Lipid-induced conformational switch", False) for code in ("SO4", "BOG")),
]


@pytest.mark.parametrize(
    ("value", "comp_id", "title", "holds"),
    [*(("unless_buried", *row) for row in NAMED), *(("subject", *row) for row in LIPIDS)],
)
def test_additive_of_the_title_may_be_a_ligand(
    value: str, comp_id: str, title: str, holds: bool, rules: KindRules
) -> None:
    assert getattr(rules.of_component(comp_id, 9, wanted=False, title=title), value) == holds
