from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tethermap.entry.reader import EntryError
from tethermap.selfcheck.deposited import read_as_pipeline, read_deposited

MMCIF = """data_1ABC
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_asym_id
_atom_site.auth_seq_id
_atom_site.pdbx_PDB_ins_code
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.pdbx_PDB_model_num
ATOM 1 C CA . ALA A A 1 ? 1.0 2.0 3.0 1
HETATM 2 C "C1'" A 017 B A 200 B 1.25 2.0 -3.5 1
HETATM 3 C "C1'" B 017 B A 200 B 1.5 2.0 -3.5 1
HETATM 4 H H1 . 017 B A 200 B 1.5 2.0 -3.5 1
HETATM 5 CL CL1 . 017 B A 200 B 0.5 2.0 -3.5 1
HETATM 6 C "C1'" A 017 B A 200 B 9.9 9.9 9.9 2
"""

PDB = (
    "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00 10.00           C\n"
    "HETATM    2  C1 A017 A 200B      1.250   2.000  -3.500  0.50 10.00           C\n"
    "HETATM    3 CL1  017 A 200B      0.500   2.000  -3.500  1.00 10.00          CL\n"
    "ENDMDL\n"
    "HETATM    2  C1 A017 A 200B      9.900   9.900   9.900  0.50 10.00           C\n"
)


@pytest.mark.parametrize("content", [MMCIF.encode(), gzip.compress(MMCIF.encode())], ids=["open", "packed"])
def test_mmcif_gives_heavy_atoms_of_the_first_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "entry"
    path.write_bytes(content)
    found = read_deposited(path, {"017"})
    assert list(found) == [("A", "017", "200B")]
    atoms = found["A", "017", "200B"]
    assert [(atom.name, atom.element, atom.altloc) for atom in atoms] == [
        ("C1'", "C", "A"),
        ("C1'", "C", "B"),
        ("CL1", "Cl", ""),
    ]
    assert atoms[0].xyz == (1.25, 2.0, -3.5)


def test_pdb_columns_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "entry.pdb"
    path.write_text(PDB)
    atoms = read_deposited(path, {"017"})["A", "017", "200B"]
    assert [(atom.name, atom.element, atom.altloc, atom.xyz) for atom in atoms] == [
        ("C1", "C", "A", (1.25, 2.0, -3.5)),
        ("CL1", "Cl", "", (0.5, 2.0, -3.5)),
    ]


@pytest.mark.parametrize("name", ["1gbt.cif.gz", "4cup.cif.gz"])
def test_both_readers_give_the_same_atoms_of_plain_entries(archive: Path, name: str) -> None:
    codes = {"GBS", "ZYB", "EDO"}
    found = read_deposited(archive / name, codes)
    assert sum(map(len, found.values())) > 10
    assert read_as_pipeline(archive / name, name[:4], codes) == found


def test_file_that_the_pipeline_cannot_read_is_an_entry_error(tmp_path: Path) -> None:
    (tmp_path / "entry").write_text("none")
    with pytest.raises(EntryError, match="file_not_structure"):
        read_as_pipeline(tmp_path / "entry", "1abc", {"017"})


def test_repeated_atoms_are_one(tmp_path: Path) -> None:
    path = tmp_path / "entry.pdb"
    path.write_text(PDB.replace("ENDMDL", f"{PDB.splitlines()[1]}\nENDMDL"))
    atoms = read_deposited(path, {"017"})["A", "017", "200B"]
    assert [(atom.name, atom.element) for atom in atoms] == [("C1", "C"), ("CL1", "Cl")]
