import re

import pytest
from hypothesis import given, strategies as st

from tethermap.sources.naming import numbered, own_file, own_id, structure_file
from tethermap.sources.own.sniff import StructureFile

_1M17 = """
1m17.cif.gz 1M17.CIF m1/1m17.cif.gz 1m17_updated.cif pdb_00001m17.cif.gz pdb_00001m17_xyz.cif.gz
pdb_00001m17_xyz-enrich.cif.gz
"""
NAMES = {
    ("1m17", True): _1M17,
    ("1hpv", False): "pdb1hpv.ent.gz 1hpv.ent.gz 1HPV.pdb 1hpv.pdb.gz",
    ("pdb_1abcdefg", True): "pdb_1abcdefg.cif.gz",
}
"""Names of files by entry, and whether they are mmCIF."""


@pytest.mark.parametrize(("name", "found"), [(name, found) for found, names in NAMES.items() for name in names.split()])
def test_usual_names_give_entry_and_format(name: str, found: tuple[str, bool]) -> None:
    assert structure_file(name) == StructureFile(found[0], name, found[1])


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
    assert words in str(structure_file(name))


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
    assert len(entry_id) <= 48
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", entry_id)
