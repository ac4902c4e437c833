"""Fragments for DiffLinker, as ``generate.py`` and ``generate_with_protein.py`` of igashov/DiffLinker read them (2026).

They read the first record of an SDF file without hydrogens, number anchors from 1 in its order, sanitise it (so that
bonds are written in Kekulé form) and support only `ELEMENTS`.
"""

from rdkit import Chem

from tethermap.extras.protac.half import BothPlaced, Halves
from tethermap.extras.protac.program import Program, text_of

ELEMENTS = frozenset(("C", "O", "N", "F", "S", "Cl", "Br", "I", "P"))
"""Elements of its GEOM and pocket models, and of DiffPROTACs."""

NEEDS = "both halves in one frame (two ligands of one entry, or the degrader's SMILES) of elements that it supports"


def fragments_sdf(placed: BothPlaced) -> str:
    """Return both halves as one record of SDF."""
    mol = Chem.Mol(placed.mol)
    mol.SetProp("_Name", "fragments")
    return f"{Chem.MolToMolBlock(mol)}>  <anchors>\n{_anchors(placed)}\n\n$$$$\n"


def _anchors(placed: BothPlaced) -> str:
    return ",".join(str(anchor + 1) for anchor in placed.anchors)


def known_halves(halves: Halves) -> BothPlaced | None:
    """Return both halves if they share one frame and all their elements are in `ELEMENTS`."""
    placed = halves.placed
    known = placed is not None and {atom.GetSymbol() for atom in placed.mol.GetAtoms()} <= ELEMENTS
    return placed if known else None


def _halves(halves: Halves) -> dict[str, str]:
    placed = known_halves(halves)
    if placed is None or not all(placed.proteins):
        return {}
    records = [line for text in placed.proteins for line in text.splitlines() if line.startswith(("ATOM", "TER"))]
    command = [
        "python -W ignore generate_with_protein.py --fragments fragments.sdf --protein protein.pdb",
        f"--anchors {_anchors(placed)} --linker_size {placed.linker_atoms}",
        "--model models/pockets_difflinker_full.ckpt --output results",
    ]
    return {
        "difflinker/fragments.sdf": fragments_sdf(placed),
        "difflinker/protein.pdb": "\n".join([*records, "END"]) + "\n",
        "difflinker/run.sh": " \\\n  ".join(command) + "\n",
    }


PROGRAM = Program(lambda *_: text_of("difflinker"), halves=_halves, needs=NEEDS)
