from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tethermap.exits.viewer import ExitArrow, chimerax_script, pymol_script
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

MakeLigand = Callable[..., tuple[Instance, LigandMolecule]]

METHANOL = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]
ARROW = ExitArrow("1 O2", 1, ((1.83, 0.0, 0.0), (4.03, 0.0, 0.0), (4.83, 0.0, 0.0)), "#0072b2", (0,))


@pytest.fixture
def scripts(ligand: MakeLigand) -> list[str]:
    instance, _ = ligand("CO", METHANOL)
    exposure = np.array([0.0, np.nan])
    return [make(instance, np.arange(2), exposure, [ARROW]) for make in (pymol_script, chimerax_script)]


def test_files_are_named_relative_to_the_script(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert "load 1abc_A_LIG_1.pdb, complex\n" in pymol
    assert "load ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf, ligand\n" in pymol
    assert "open 1abc_A_LIG_1.pdb\n" in chimerax
    assert "open ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf\n" in chimerax


def test_each_atom_has_the_colour_of_its_exposure(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert "color 0x2c4896, (ligand and rank 0) or (complex and id 101)\n" in pymol
    assert "color 0xd0d5da, (ligand and rank 1) or (complex and id 102)\n" in pymol
    assert "color #1@@serial_number=101 #2c4896 atoms\n" in chimerax
    assert all("#   C1 0.00, O2 -\n" in script for script in scripts)


def test_large_complexes_are_opened_as_mmcif(ligand: MakeLigand) -> None:
    instance = replace(ligand("CO", METHANOL)[0], flags=("mmcif_only",))
    assert "load 1abc_A_LIG_1.cif" in pymol_script(instance, np.arange(2), np.zeros(2), [])
    assert "open 1abc_A_LIG_1.cif" in chimerax_script(instance, np.arange(2), np.zeros(2), [])


def test_exits_are_arrows_with_names_and_leaving_groups_are_pale(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert "CYLINDER, 1.83, 0, 0, 4.03, 0, 0, 0.08, 0.000, 0.447, 0.698" in pymol
    assert 'cmd.pseudoatom("exit_names", pos=[4.83, 0, 0], label="1 O2")\n' in pymol
    assert "set_bond stick_transparency, 0.7, (ligand and rank 0)\n" in pymol
    assert "shape cone radius 0.26 topRadius 0 fromPoint 4.03,0,0 toPoint 4.83,0,0 color #0072b2\n" in chimerax
    assert 'label #1@@serial_number=102 atoms text "1 O2" color #0072b2\n' in chimerax
    assert "transparency #1@@serial_number=101 70 target ab\n" in chimerax


def test_view_includes_the_whole_ligand_and_its_arrows(scripts: list[str]) -> None:
    pymol, chimerax = scripts
    assert pymol.index("zoom (ligand or exit_names)") < pymol.index("clip atoms, 6, (ligand or exit_names)")
    assert "clip false" in chimerax


def test_python_blocks_in_the_script_compile(scripts: list[str]) -> None:
    code = scripts[0].partition("\npython\n")[2].partition("\npython end\n")[0]
    assert "load_cgo" in compile(code, "script", "exec").co_names
