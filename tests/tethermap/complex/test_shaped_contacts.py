"""Contacts of rings, of halogens and through water, and the UniProt numbers of their residues."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tethermap.base.tables import Row

Contacts = Callable[[str], list[Row]]


@pytest.fixture
def contacts_in(mirror: Path, contacts_of: Callable[[Path], list[Row]]) -> Contacts:
    return lambda entry_id: contacts_of(next(mirror.glob(f"{entry_id}.*")))


def told(rows: list[Row], kind: str) -> set[tuple[object, ...]]:
    assert {row["distance_between"] for row in rows if row["type"] == kind} <= {"centres" if "pi" in kind else "atoms"}
    return {(row["partner_component"], row["partner_residue"], row["detail"]) for row in rows if row["type"] == kind}


def test_chlorine_of_gefitinib_has_a_halogen_bond_and_cysteine_797_a_water_bridge(contacts_in: Contacts) -> None:
    rows = contacts_in("2itz")
    assert told(rows, "halogen") == {("LEU", "788", "")}
    assert ("CYS", "797", "HOH A 3024") in told(rows, "water")


def test_axitinib_is_stacked_on_tyrosine_253_of_the_t315i_mutant(contacts_in: Contacts) -> None:
    assert ("TYR", "253") in {one[:2] for one in told(contacts_in("4twp"), "pi_stacking")}


@pytest.mark.parametrize("entry_id", ["2itz", "4zau", "3poz", "5ug8"])
def test_hinge_of_egfr_has_one_number_in_all_entries(entry_id: str, contacts_in: Contacts) -> None:
    """5UG8 is a PDB file of a triple mutant, 4ZAU an mmCIF file."""
    hinge = {(row["partner_uniprot"], row["partner_uniprot_residue"]) for row in contacts_in(entry_id)}
    assert ("P00533", "793") in hinge


def test_both_pairs_of_a_bidentate_bridge_are_listed(contacts_in: Contacts) -> None:
    """The phosphate of cAMP in 1J59 and arginine 82, UniProt 83."""
    rows = [row for row in contacts_in("1j59") if row["type"] == "ionic"]
    bridge = {(row["ligand_atom"], row["partner_atom"], row["partner_uniprot_residue"]) for row in rows}
    assert bridge == {("O2P", "NE", "83"), ("O2P", "NH2", "83")}
