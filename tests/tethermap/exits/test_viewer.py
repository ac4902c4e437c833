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


@pytest.mark.parametrize(
    ("pymol", "chimerax"),
    [  # files are named relative to the script
        ("load 1abc_A_LIG_1.pdb, complex\n", "open 1abc_A_LIG_1.pdb\n"),
        ("load ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf, ligand\n", "open ../MCS_Output/MCS_SDF/1abc_A_LIG_1.sdf\n"),
        # each atom has the colour of its exposure
        ("color 0x2c4896, (ligand and rank 0) or (complex and id 101)\n",
         "color #1@@serial_number=101 #2c4896 atoms\n"),
        ("color 0xd0d5da, (ligand and rank 1) or (complex and id 102)\n",
         "color #1@@serial_number=102 #d0d5da atoms\n"),
        ("#   C1 0.00, O2 -\n", "#   C1 0.00, O2 -\n"),
        # exits are arrows with names, and leaving groups are pale
        ("CYLINDER, 1.83, 0, 0, 4.03, 0, 0, 0.08, 0.000, 0.447, 0.698",
         "shape cone radius 0.26 topRadius 0 fromPoint 4.03,0,0 toPoint 4.83,0,0 color #0072b2\n"),
        ('cmd.pseudoatom("exit_names", pos=[4.83, 0, 0], label="1 O2")\n',
         'label #1@@serial_number=102 atoms text "1 O2" color #0072b2\n'),
        ("set_bond stick_transparency, 0.7, (ligand and rank 0)\n",
         "transparency #1@@serial_number=101 70 target ab\n"),
        # the view includes the whole ligand and its arrows
        ("zoom (ligand or exit_names), 3, complete=1\nclip atoms, 6, (ligand or exit_names)", "clip false"),
    ],
)  # fmt: skip
def test_both_scripts_have_the_command(scripts: list[str], pymol: str, chimerax: str) -> None:
    assert pymol in scripts[0]
    assert chimerax in scripts[1]


def test_large_complexes_are_opened_as_mmcif(ligand: MakeLigand) -> None:
    instance = replace(ligand("CO", METHANOL)[0], flags=("mmcif_only",))
    assert "load 1abc_A_LIG_1.cif" in pymol_script(instance, np.arange(2), np.zeros(2), [])
    assert "open 1abc_A_LIG_1.cif" in chimerax_script(instance, np.arange(2), np.zeros(2), [])


def test_python_blocks_in_the_script_compile(scripts: list[str]) -> None:
    code = scripts[0].partition("\npython\n")[2].partition("\npython end\n")[0]
    assert "load_cgo" in compile(code, "script", "exec").co_names
