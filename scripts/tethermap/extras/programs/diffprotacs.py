"""Fragments for DiffPROTACs, as ``sample.py`` and ``parse_xyz`` of Fenglei104/DiffPROTACs read them (2026).

Every line of four words is an atom, so that the comment of the XYZ file must not have four.
"""

from __future__ import annotations

from rdkit import Chem

from tethermap.extras.programs.difflinker import NEEDS, known_halves
from tethermap.extras.protac.half import BothPlaced, Halves
from tethermap.extras.protac.program import Program

_README = """\
DiffPROTACs (github.com/Fenglei104/DiffPROTACs): sh run.sh in its folder, next to fragments.xyz.
fragments.xyz contains the heavy atoms of both ligands that the degrader keeps, in one frame. Its second line has the \
two anchors, numbered from 1; the program does not need them. --linker_len is the number of heavy atoms in the \
degrader's linker. If no degrader was given, it is the smallest number that reaches from anchor to anchor; try more.
"""


def fragments_xyz(placed: BothPlaced) -> str:
    """Return both halves as XYZ."""
    mol = Chem.Mol(placed.mol)
    mol.SetProp("_Name", f"anchors {placed.anchors[0] + 1} {placed.anchors[1] + 1}")
    return str(Chem.MolToXYZBlock(mol))


def _halves(halves: Halves) -> dict[str, str]:
    placed = known_halves(halves)
    if placed is None:
        return {}
    command = [
        "python sample.py --model_path checkpoints/protacs_best.ckpt --xyz_path fragments.xyz",
        f"--linker_len {placed.linker_atoms} --name linker --output_dir results",
    ]
    return {"diffprotacs/fragments.xyz": fragments_xyz(placed), "diffprotacs/run.sh": " \\\n  ".join(command) + "\n"}


PROGRAM = Program(lambda *_: _README, halves=_halves, needs=NEEDS)
