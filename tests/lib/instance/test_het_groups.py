"""Every het group of every entry has one status row: counted with another parser than the pipeline's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scripts.lib.entry.reader import EntryError
from scripts.lib.molecule.components import ComponentIndex
from tests.tools.cleaning import clean_file
from tests.tools.enumerate_hets import STANDARD, het_groups


def test_every_het_group_has_one_status_row(mirror: Path, component_index: Path) -> None:
    """A peptide-like ligand that is named after a standard residue has a row for that one too."""
    find = ComponentIndex(component_index).get
    paths = sorted(mirror.glob("*.gz"))
    assert len(paths) == 443
    for path in paths:
        _, cleaned = clean_file(path, find)
        rows = Counter((str(r["chain"]), str(r["ligand"]), str(r["residue"])) for r in cleaned.ligand_rows)
        expected = het_groups(path)
        named_after = {
            (str(r["chain"]), str(r["ligand"]), str(r["residue"]))
            for r in cleaned.ligand_rows
            if r["ligand"] in STANDARD and "+" in str(r["components"])
        }
        # Files of the 1990s have ligands without chain: they are given the nearest polymer's.
        without_chain = [key for key in expected if not key[0]]
        for _, comp_id, residue in without_chain:
            expected[next(key for key in rows if key[1:] == (comp_id, residue))] += expected.pop(("", comp_id, residue))
        for key in named_after:
            expected[key] = max(expected[key], 1)
        assert rows == expected, path.name


@pytest.mark.parametrize(
    ("entry_id", "comp_id", "kind"),
    [
        ("1gbt", "GBS", "ligand"),
        ("1gbt", "CA", "ion"),
        ("1gbt", "SO4", "additive"),
        ("4cup", "MOH", "additive"),
        ("1a8o", "MSE", "modified_residue"),
        ("1hpv", "478", "ligand"),
    ],
)
def test_het_groups_of_the_archive_have_their_kinds(
    entry_id: str, comp_id: str, kind: str, archive: Path, component_index: Path
) -> None:
    path = next(archive.glob(f"{entry_id}.*"))
    _, cleaned = clean_file(path, ComponentIndex(component_index).get)
    assert {row["kind"] for row in cleaned.ligand_rows if row["ligand"] == comp_id} == {kind}


def test_entry_without_polymer_keeps_a_row_for_each_het_group(mirror: Path, component_index: Path) -> None:
    find = ComponentIndex(component_index).get
    rejected = 0
    for path in sorted(mirror.glob("*.gz")):
        try:
            _, cleaned = clean_file(path, find)
        except EntryError:
            continue
        if cleaned.entry_row["reason"] == "no_polymer":
            rejected += 1
            assert {row["reason"] for row in cleaned.ligand_rows} <= {"entry_rejected", "kind_not_kept"}
    assert rejected > 0
