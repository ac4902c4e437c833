"""Contacts of rings, of halogens and through water, and the UniProt numbers of their residues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.cleaning import clean_file
from tethermap.base.tables import Row
from tethermap.complex.contacts import ligand_contacts
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand

Contacts = Callable[[str], list[Row]]


@pytest.fixture(scope="module")
def contacts_of(mirror: Path, index: ComponentIndex) -> Contacts:

    def contacts(entry_id: str) -> list[Row]:
        _, cleaned = clean_file(next(mirror.glob(f"{entry_id}.*")), index.get)
        kept = cleaned.kept[0]
        return ligand_contacts(kept.instance, build_ligand(kept.instance, index), kept.neighbourhood)

    return contacts


def told(rows: list[Row], kind: str) -> set[tuple[object, ...]]:
    assert {row["distance_between"] for row in rows if row["type"] == kind} <= {"centres" if "pi" in kind else "atoms"}
    return {(row["partner_component"], row["partner_residue"], row["detail"]) for row in rows if row["type"] == kind}


def test_chlorine_of_gefitinib_has_a_halogen_bond_and_cysteine_797_a_water_bridge(contacts_of: Contacts) -> None:
    rows = contacts_of("2itz")
    assert told(rows, "halogen") == {("LEU", "788", "")}
    assert ("CYS", "797", "HOH A 3024") in told(rows, "water")


def test_axitinib_is_stacked_on_tyrosine_253_of_the_t315i_mutant(contacts_of: Contacts) -> None:
    assert ("TYR", "253") in {one[:2] for one in told(contacts_of("4twp"), "pi_stacking")}


@pytest.mark.parametrize("entry_id", ["2itz", "4zau", "3poz", "5ug8"])
def test_hinge_of_egfr_has_one_number_in_all_entries(entry_id: str, contacts_of: Contacts) -> None:
    """5UG8 is a PDB file of a triple mutant, 4ZAU an mmCIF file."""
    hinge = {(row["partner_uniprot"], row["partner_uniprot_residue"]) for row in contacts_of(entry_id)}
    assert ("P00533", "793") in hinge


def test_both_pairs_of_a_bidentate_bridge_are_listed(contacts_of: Contacts) -> None:
    """The phosphate of cAMP in 1J59 and arginine 82, UniProt 83."""
    bridge = {
        (row["ligand_atom"], row["partner_atom"], row["partner_uniprot_residue"])
        for row in contacts_of("1j59")
        if row["type"] == "ionic"
    }
    assert bridge == {("O2P", "NE", "83"), ("O2P", "NH2", "83")}
