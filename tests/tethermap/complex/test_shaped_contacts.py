"""Contacts of rings, of halogens and through water."""

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


def test_known_contacts_of_two_inhibitors_are_found(contacts_in: Contacts) -> None:
    """The chlorine of gefitinib in 2ITZ, water on cysteine 797, axitinib on tyrosine 253 of the T315I mutant."""
    rows = contacts_in("2itz")
    assert told(rows, "halogen") == {("LEU", "788", "")}
    assert ("CYS", "797", "HOH A 3024") in told(rows, "water")
    assert ("TYR", "253") in {one[:2] for one in told(contacts_in("4twp"), "pi_stacking")}


def test_both_pairs_of_a_bidentate_bridge_are_listed(contacts_in: Contacts) -> None:
    """The phosphate of cAMP in 1J59 and arginine 82, UniProt 83."""
    rows = [row for row in contacts_in("1j59") if row["type"] == "ionic"]
    bridge = {(row["ligand_atom"], row["partner_atom"], row["partner_uniprot_residue"]) for row in rows}
    assert bridge == {("O2P", "NE", "83"), ("O2P", "NH2", "83")}
