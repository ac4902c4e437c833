"""Reading entries of all ages, and refusing what is none."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scripts.lib.entry.reader import EntryError, read_entry


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "file_empty"),
        (b"  \n \n", "file_empty"),
        (gzip.compress(b"", mtime=0), "file_empty"),
        (gzip.compress(b"data_1ABC\n" * 500, mtime=0)[:40], "file_truncated"),
        (b"<!DOCTYPE html><html><body>Not Found</body></html>", "file_not_structure"),
        (b'{"status": 404}', "file_not_structure"),
        (b"hello world\n", "file_not_structure"),
        (b"\x00\xff\xfe binary", "file_not_structure"),
        (b"data_1ABC\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2.0 3\n", "file_unreadable"),
        (b"data_1ABC\n_entry.id 1ABC\n", "no_atoms"),
        (b"HEADER    HYDROLASE                               18-NOV-94   1ABC\nEND\n", "no_atoms"),
    ],
)
def test_file_that_is_no_entry_has_its_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "1abc.cif.gz"
    path.write_bytes(content)
    with pytest.raises(EntryError) as error:
        read_entry(path, "1abc")
    assert error.value.reason == reason


def test_file_of_1995_is_read_without_its_line_numbers(archive: Path) -> None:
    """1HPV has the entry id in columns 73-76, where later files have segment and element."""
    entry = read_entry(archive / "1hpv.ent.gz", "1hpv")
    ligand = entry.atoms.comp_id == b"478"
    assert ligand.sum() == 35
    assert set(entry.atoms.element[ligand].tolist()) == {b"C", b"N", b"O", b"S"}
    assert set(entry.atoms.auth_asym_id[ligand].tolist()) == {b""}


def test_mmcif_and_pdb_of_one_entry_have_the_same_atoms(mirror: Path) -> None:
    for entry_id in ("1a8o", "1aki", "2beg", "1l2y"):
        files = [mirror / f"{entry_id}.cif.gz", mirror / f"{entry_id}.pdb.gz"]
        if all(path.is_file() for path in files):
            one, other = (read_entry(path, entry_id).atoms for path in files)
            assert sorted(map(tuple, one.xyz.round(3).tolist())) == sorted(map(tuple, other.xyz.round(3).tolist()))


def test_only_the_first_model_is_read(mirror: Path) -> None:
    entry = read_entry(mirror / "193d.cif.gz", "193d")
    assert (entry.n_models, len(entry.atoms)) == (4, 656)


def test_capsid_in_a_frame_of_its_own_is_not_in_the_crystal(mirror: Path) -> None:
    assert read_entry(mirror / "2hwe.cif.gz", "2hwe").in_crystal_frame is False


def test_two_copies_under_one_number_are_two_residues(tmp_path: Path) -> None:
    line = "HETATM{:5d}  {:<3s} LIG A   1    {:8.3f}{:8.3f}{:8.3f}  1.00 10.00           C\n"
    atoms = [(1, "C1", 0.0), (2, "C2", 1.5), (3, "C1", 20.0), (4, "C2", 21.5)]
    path = tmp_path / "1abc.pdb"
    path.write_text("".join(line.format(serial, name, x, 0.0, 0.0) for serial, name, x in atoms) + "END\n")
    assert read_entry(path, "1abc").atoms.starts.tolist() == [0, 2]
