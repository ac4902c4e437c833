from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tethermap.sources.naming import StructureFile, numbered, own_file, own_id, structure_file


@pytest.mark.parametrize(
    ("name", "entry_id", "is_mmcif"),
    [
        ("1m17.cif.gz", "1m17", True),
        ("1M17.CIF", "1m17", True),
        ("m1/1m17.cif.gz", "1m17", True),
        ("pdb1hpv.ent.gz", "1hpv", False),
        ("1hpv.ent.gz", "1hpv", False),
        ("1HPV.pdb", "1hpv", False),
        ("1hpv.pdb.gz", "1hpv", False),
        ("pdb_00001m17.cif.gz", "1m17", True),
        ("pdb_00001m17_xyz.cif.gz", "1m17", True),
        ("pdb_00001m17_xyz-enrich.cif.gz", "1m17", True),
        ("pdb_1abcdefg.cif.gz", "pdb_1abcdefg", True),
        ("1m17_updated.cif", "1m17", True),
    ],
)
def test_usual_names_give_entry_and_format(name: str, entry_id: str, is_mmcif: bool) -> None:
    assert structure_file(name) == StructureFile(entry_id, name, is_mmcif)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pdb1hpv.ent.Z", "compress"),
        ("1hpv.cif.bz2", "gzip"),
        ("1hpv.bcif.gz", "binary"),
        ("1hpv-sf.cif.gz", "coordinates"),
        ("r1hpvsf.ent.gz", "coordinates"),
        ("1hpv-assembly1.cif.gz", "assembly"),
        ("1hpv.pdb1.gz", "assembly"),
        ("my model.pdb", "no PDB id"),
        ("README.md", "not a structure"),
    ],
)
def test_other_files_are_skipped_with_a_reason(name: str, words: str) -> None:
    reason = structure_file(name)
    assert isinstance(reason, str)
    assert words in reason


def test_own_files_may_have_any_name() -> None:
    assert own_file("of me/My Model_3 (final).PDB.gz", "pdb") == StructureFile(
        "my-model-3-final", "of me/My Model_3 (final).PDB.gz", False
    )


def test_own_files_of_one_name_are_numbered_or_named_by_their_folders() -> None:
    files = [StructureFile("pose", f"seed-{n}/pose.pdb", False) for n in (1, 1, 2)]
    assert [file.entry_id for file in numbered(files)] == ["seed-1-pose", "seed-1-pose-2", "seed-2-pose"]
    files = [StructureFile("pose", "seed-1/pose.pdb", False) for _ in range(2)]
    assert [file.entry_id for file in numbered(files)] == ["pose", "pose-2"]


@given(st.text())
def test_ids_of_own_files_are_safe_in_file_names(stem: str) -> None:
    entry_id = own_id(stem)
    assert 0 < len(entry_id) <= 48
    assert entry_id.replace("-", "").isalnum()
    assert entry_id.isascii()
    assert entry_id == entry_id.lower().strip("-")
