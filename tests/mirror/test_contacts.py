"""Contacts against those of PLIP and ProLIF in the same complexes, for 148 ligands.

``tests/data/interactions.csv`` has a row for each residue that a program finds in a contact of one type, with its
shortest distance. Both programs got the cleaned complex within 12 Å and the waters near the ligand. PLIP perceived the
bonds of the ligand by Open Babel; ProLIF got our molecule in its charge state at pH 7.4, with hydrogens of RDKit.
"""

from collections import Counter, defaultdict
from pathlib import Path

import gemmi
import numpy as np
import pytest

from tests.tools.cleaning import Sample
from tests.tools.runs import JobRun, Row, rows_of
from tethermap.base import layout
from tethermap.instance.backbone import TOUCHES_WITHIN

DATA = Path(__file__).resolve().parents[1] / "data"

LONGEST = {
    "hydrophobic": 4.0, "hbond": 3.5, "ionic": 4.0, "halogen": 4.0, "water": 3.5, "metal": 3.0, "pi_stacking": 5.5,
    "cation_pi": 6.0,
}  # fmt: skip
"""Our cut-offs in angstroms; PLIP goes to 4.1 for hydrogen bonds and 5.5 for charges, ProLIF to 4.5 for both
hydrophobic contacts and charges. Contacts beyond our cut-offs exist only in the other program."""

ALIKE = {
    "hbond": {"hbond", "ionic", "metal", "covalent"},
    "ionic": {"ionic", "hbond"},
    "hydrophobic": {"hydrophobic", "pi_stacking", "covalent"},
}
"""Equivalent types: a charged pair is listed once, and so are stacked rings."""


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
        (r["stem"], r["program"], r["type"], r["chain"], r["residue"])
        for r in rows_of(DATA, "interactions_explained.csv")
    }
    rows = rows_of(DATA, "interactions.csv")
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


def test_pocket_is_the_residues_within_its_radius(kept: list[Row], samples: list[Sample]) -> None:
    """All chains of the complex count; read again from the files whose chains have their names of the entry."""
    pockets = {row["stem"]: set(filter(None, row["pocket_uniprot"].split(";"))) for row in kept}
    compared = [(sample, sample.pdb) for sample in samples if sample.pdb is not None]
    assert len(compared) > 500
    for sample, text in compared:
        near = set()
        for chain in gemmi.read_pdb_string(text)[0]:
            for residue in chain:
                heavy = np.array([atom.pos.tolist() for atom in residue if not atom.is_hydrogen()])
                name = sample.instance.uniprot.get(f"{chain.name} {residue.seqid}")
                if name and np.linalg.norm(heavy[:, None] - sample.xyz, axis=2).min() <= TOUCHES_WITHIN:
                    near.add(name)
        assert near == pockets[sample.instance.stem], sample.instance.stem


def test_every_direct_contact_with_the_target_is_in_the_pocket(whole: JobRun, kept: list[Row]) -> None:
    """Waters reach farther, and a charge above a ring may."""
    pockets = {row["stem"]: row["pocket_uniprot"].split(";") for row in kept}
    direct = [
        row
        for row in rows_of(whole.job, layout.CONTACTS)
        if row["context"] in ("chain", "target") and row["partner_uniprot"] and row["type"] != "water"
        if float(row["distance_A"]) <= TOUCHES_WITHIN
    ]
    assert len({row["stem"] for row in direct}) > 500
    assert [
        row
        for row in direct
        if f"{row['partner_uniprot']}:{row['partner_uniprot_residue']}" not in pockets[row["stem"]]
    ] == []


def test_pocket_of_a_degrader_contains_residues_of_both_proteins(kept: list[Row]) -> None:
    pockets = {row["stem"]: row["pocket_uniprot"] for row in kept}
    for stem in ("5t35_D_759_301", "5t35_H_759_301", "7khh_C_WEP_301"):
        assert {one.split(":")[0] for one in pockets[stem].split(";")} == {"P40337", "O60885"}  # VHL and BRD4
