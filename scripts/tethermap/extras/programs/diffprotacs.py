"""Fragments for DiffPROTACs, as ``sample.py`` and ``parse_xyz`` of Fenglei104/DiffPROTACs read them (2026).

Every line of four words is an atom, so that the comment of the XYZ file must not have four.
"""

from rdkit import Chem

from tethermap.extras.programs.difflinker import NEEDS, known_halves
from tethermap.extras.protac.half import BothPlaced, Halves
from tethermap.extras.protac.program import Program, text_of


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


PROGRAM = Program(lambda *_: text_of("diffprotacs"), halves=_halves, needs=NEEDS)
