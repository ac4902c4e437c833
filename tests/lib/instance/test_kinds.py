"""What is a ligand, and what an additive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.lib.instance.kinds import KindRules, Surroundings
from scripts.lib.molecule.components import Component, ComponentIndex
from scripts.lib.reference import ADDITIVES, COFACTORS

SURFACE = Surroundings(heavy_atoms=13, copies_per_chain=1.0, contact_share=0.3, covalent=False)
BURIED = Surroundings(heavy_atoms=13, copies_per_chain=1.0, contact_share=0.9, covalent=False)


@pytest.fixture(scope="module")
def find(component_index: Path) -> Callable[[str], Component | None]:
    return ComponentIndex(component_index).get


@pytest.fixture(scope="module")
def rules(find: Callable[[str], Component | None]) -> KindRules:
    return KindRules(ADDITIVES, COFACTORS, find)


@pytest.mark.parametrize("comp_id", ["STI", "AZT", "IRE", "JQ1", "478", "ANP", "BEN", "A1AZ9", "LIG"])
def test_drugs_and_unlisted_codes_are_ligands_wherever_they_lie(comp_id: str, rules: KindRules) -> None:
    """The public service's list of 259 codes deletes imatinib STI and AZT."""
    for surroundings in (SURFACE, BURIED):
        assert rules.of_component(comp_id, surroundings, wanted=False)[0] == "ligand"


@pytest.mark.parametrize("comp_id", ["NAD", "HEM", "FAD", "ATP", "ADP", "SAM", "PLP"])
def test_natural_cofactors_are_cofactors(comp_id: str, rules: KindRules) -> None:
    assert rules.of_component(comp_id, BURIED, wanted=False)[0] == "cofactor"


@pytest.mark.parametrize("comp_id", ["SO4", "GOL", "EDO", "PEG", "DMS", "MOH", "ACT"])
def test_solvents_and_salts_are_additives_even_when_buried(comp_id: str, rules: KindRules) -> None:
    assert rules.of_component(comp_id, BURIED, wanted=False)[0] == "additive"


def test_additive_asked_for_by_name_is_a_ligand(rules: KindRules) -> None:
    assert rules.of_component("GOL", SURFACE, wanted=True)[0] == "ligand"


@pytest.mark.parametrize(
    ("surroundings", "kind"),
    [
        (BURIED, "ligand"),
        (SURFACE, "additive"),
        (Surroundings(13, 1.0, 0.79, covalent=False), "additive"),
        (Surroundings(13, 1.0, 0.80, covalent=False), "ligand"),
        (Surroundings(13, 1.01, 0.9, covalent=False), "additive"),
        (Surroundings(4, 1.0, 1.0, covalent=False), "additive"),
        (Surroundings(5, 1.0, 1.0, covalent=False), "ligand"),
        (Surroundings(13, 9.0, 0.1, covalent=True), "ligand"),
    ],
)
def test_citrate_is_a_ligand_when_bound_like_one(surroundings: Surroundings, kind: str, rules: KindRules) -> None:
    assert rules.of_component("CIT", surroundings, wanted=False)[0] == kind


@pytest.mark.parametrize("comp_id", ["UNL", "UNX"])
def test_codes_of_the_unidentified_are_unknown(comp_id: str, rules: KindRules) -> None:
    assert rules.of_component(comp_id, BURIED, wanted=False)[0] == "unknown"


def test_every_listed_code_is_in_the_dictionary_and_has_a_reason(
    rules: KindRules, find: Callable[[str], Component | None]
) -> None:
    for comp_id, listed in {**rules.additives, **rules.cofactors}.items():
        assert find(comp_id) is not None, comp_id
        assert listed.role, comp_id
        assert listed.reason, comp_id


def test_no_drug_like_molecule_is_on_the_list_of_additives(
    rules: KindRules, find: Callable[[str], Component | None]
) -> None:
    """Aromatic nitrogen heterocycles of drug size don't stand among buffers, salts and detergents."""
    for comp_id in rules.additives:
        component = find(comp_id)
        assert component is not None
        aromatic = {i for bond in component.bonds if bond.aromatic for i in (bond.first, bond.second)}
        nitrogens = [i for i in aromatic if component.atoms[i].element == "N"]
        heavy = [atom for atom in component.atoms if atom.element != "H"]
        assert not (nitrogens and len(heavy) > 15), comp_id


def test_additives_and_cofactors_do_not_overlap(rules: KindRules) -> None:
    assert not rules.additives.keys() & rules.cofactors.keys()
