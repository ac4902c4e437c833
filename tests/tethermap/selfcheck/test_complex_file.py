"""Tests of `tethermap.selfcheck.complex_file`."""

from __future__ import annotations

from pathlib import Path

import gemmi
import numpy as np
import pytest

from tethermap.selfcheck.complex_file import read_ligand

LINES = """\
REMARK   6 conformer only one modelled
HET    LIG A 601      3
ATOM      1  N   ALA A  10      -1.204   2.000   3.000  1.00 20.00           N
ATOM      2  H   ALA A  10      -1.704   2.000   3.000  1.00 20.00           H
TER       3      ALA A  10
HETATM    4  C1  LIG A 601A     11.104  13.207-102.100  1.00 20.00           C
HETATM    5 CL1  LIG A 601A     11.104  14.907-102.100  1.00 20.00          CL
HETATM    6  D1  LIG A 601A     11.104  12.207-102.100  1.00 20.00           D
HETATM    7  O1  LIG A 601A     12.104  13.207-102.100  1.00 20.00           O
HETATM    8  C1  LIG A 601      21.104  13.207-102.100  1.00 20.00           C
CONECT    4    5    7
END
"""


@pytest.fixture
def complex_file(tmp_path: Path) -> Path:
    path = tmp_path / "1abc_A_LIG_601A.pdb"
    path.write_text("".join(f"{line:<80}\n" for line in LINES.splitlines()), encoding="ascii")
    return path


def test_ligand_has_the_heavy_atoms_of_its_serial_numbers(complex_file: Path) -> None:
    ligand = read_ligand(complex_file, {4, 5, 6})
    assert (ligand.serial.tolist(), ligand.name, ligand.element) == ([4, 5], ("C1", "CL1"), ("C", "Cl"))
    assert (set(ligand.comp_id), set(ligand.chain), set(ligand.residue)) == ({"LIG"}, {"A"}, {"601A"})


def test_atoms_of_its_residue_that_are_not_the_ligands_are_counted(complex_file: Path) -> None:
    assert read_ligand(complex_file, {4, 5}).others == 1
    assert read_ligand(complex_file, {4, 5, 7}).others == 0


def test_coordinates_are_those_that_gemmi_reads(complex_file: Path) -> None:
    residue = gemmi.read_pdb(str(complex_file))[0]["A"]["601A"][0]
    expected = [atom.pos.tolist() for atom in residue if not atom.is_hydrogen()]
    assert np.array_equal(read_ligand(complex_file, {4, 5, 7}).xyz, expected)


def test_no_atom_of_these_numbers_is_an_empty_ligand(complex_file: Path) -> None:
    ligand = read_ligand(complex_file, {3, 99})
    assert (len(ligand.serial), ligand.xyz.shape, ligand.others) == (0, (0, 3), 0)
