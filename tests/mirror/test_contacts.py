"""Contacts against what PLIP and ProLIF find in the same complexes (`tests.tools.interactions`), for 148 ligands."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.tools.runs import JobRun, Row, rows_of
from tethermap.base import layout

DATA = Path(__file__).resolve().parents[1] / "data"

LONGEST = {
    "hydrophobic": 4.0, "hbond": 3.5, "ionic": 4.0, "halogen": 4.0, "water": 3.5, "metal": 3.0, "pi_stacking": 5.5,
    "cation_pi": 6.0,
}  # fmt: skip
"""Our cut-offs in angstroms; PLIP goes to 4.1 for hydrogen bonds and 5.5 for charges, ProLIF to 4.5 for both
hydrophobic contacts and charges. Beyond ours a contact is theirs alone."""

ALIKE = {
    "hbond": {"hbond", "ionic", "metal", "covalent"},
    "ionic": {"ionic", "hbond"},
    "hydrophobic": {"hydrophobic", "pi_stacking", "covalent"},
}
"""Types of ours that say as much: a charged pair is told once, and so are stacked rings."""


def read(name: str) -> list[Row]:
    with (DATA / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def found(whole: JobRun) -> dict[tuple[str, str, str], set[str]]:
    """Types of our contacts by ligand, chain in the cleaned file, and residue number without insertion code."""
    renamed = {(r["stem"], r["name"], r["copy"]): r["name_in_pdb"] for r in rows_of(whole.job, layout.NAME_MAP)}
    types: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows_of(whole.job, layout.CONTACTS):
        copy = row["partner_copy"]
        chain = f"{row['partner_chain']}-{copy}" if copy else row["partner_chain"]
        chain = renamed.get((row["stem"], chain, copy), chain)
        types[row["stem"], chain, row["partner_residue"].rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")].add(row["type"])
    return types


def is_ours_too(row: Row, found: dict[tuple[str, str, str], set[str]]) -> bool:
    return bool(found.get((row["stem"], row["chain"], row["residue"]), set()) & ALIKE.get(row["type"], {row["type"]}))


def is_beyond_our_limits(row: Row) -> bool:
    """Too far; a fluorine, which has no hole for a lone pair; a contact of sulfur or halogens called hydrophobic."""
    far = float(row["distance_A"]) > LONGEST[row["type"]] + 0.005
    fluorine = row["type"] == "halogen" and "F" in row["atoms"].split("-")
    no_carbon = row["type"] == "hydrophobic" and row["atoms"] not in ("", "C-C")
    return far or fluorine or no_carbon


def test_contacts_of_plip_and_prolif_are_ours_or_have_a_reason(found: dict[tuple[str, str, str], set[str]]) -> None:
    reasons = {
        (r["stem"], r["program"], r["type"], r["chain"], r["residue"]) for r in read("interactions_explained.csv")
    }
    rows = read("interactions.csv")
    assert len({row["stem"] for row in rows}) >= 100
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    missed = set()
    for row in rows:
        itself = row["stem"].split("_")[1::2] == [row["chain"], row["residue"]]
        same = is_ours_too(row, found)
        if itself or (not same and is_beyond_our_limits(row)):
            continue
        theirs[row["program"]] += 1
        ours[row["program"]] += same
        if not same:
            missed.add((row["stem"], row["program"], row["type"], row["chain"], row["residue"]))
    assert all(ours[program] >= 0.95 * theirs[program] for program in ("PLIP", "ProLIF"))
    assert missed == reasons
