from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from scripts.lib.complex.viewer import chimerax_script, pymol_script
from scripts.lib.instance.model import Instance
from scripts.lib.molecule.record import LigandMolecule

MakeLigand = Callable[..., tuple[Instance, LigandMolecule]]

METHANOL = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]


@pytest.fixture
def scripts(ligand: MakeLigand) -> list[str]:
    instance, _ = ligand("CO", METHANOL)
    exposure = np.array([0.0, np.nan])
    return [make(instance, "pdb", ["C1", "O2"], exposure) for make in (pymol_script, chimerax_script)]


def test_files_are_named_relative_to_the_script(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert "load 1abc_A_LIG_1.pdb, complex\n" in pymol
    assert "load ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf, ligand\n" in pymol
    assert "open 1abc_A_LIG_1.pdb\n" in chimerax
    assert "open ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf\n" in chimerax


def test_each_atom_has_the_colour_of_its_exposure(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert "color 0x3b5ba5, (ligand and rank 0) or (complex and id 101)\n" in pymol
    assert "color 0x8c8c8c, (ligand and rank 1) or (complex and id 102)\n" in pymol
    assert "color #1@@serial_number=101 #3b5ba5 atoms\n" in chimerax


def test_the_legend_tells_values_and_unknown_ones(scripts: list[str]) -> None:
    for script in scripts:
        assert "#   C1 0.00, O2 -\n" in script


def test_large_complexes_are_opened_as_mmcif(ligand: MakeLigand) -> None:
    instance, _ = ligand("CO", METHANOL)
    assert "load 1abc_A_LIG_1.cif" in pymol_script(instance, "cif", ["C1", "O2"], np.zeros(2))
    assert "open 1abc_A_LIG_1.cif" in chimerax_script(instance, "cif", ["C1", "O2"], np.zeros(2))
