"""What DeepTernary needs beside proteins, ligands and masks: the degrader in place, and the command.

``predict.py`` (youqingxiaozhua/DeepTernary, 2026) takes an atom of the degrader for one of a half when it is nearer
than 1 angstrom to it, so that degrader, ligands and proteins must lie in one frame; its ``predict_btk.py`` matches
masks as graphs. Both read PDB files in which each bond stands once, whatever its order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.pose import Pose
from tethermap.extras.protac.texts import residue_pdb

DEGRADER = "deepternary/degrader.pdb"
RUN = "deepternary/run.sh"

_RESIDUE, _CHAIN = "DEG", "Z"


def degrader_pdb(pose: Pose) -> str:
    """Return a degrader as PDB, each bond once."""
    counts: dict[str, int] = {}
    atoms: list[tuple[int, str, str, FloatArray]] = []
    for atom, place in zip(pose.mol.GetAtoms(), pose.mol.GetConformer().GetPositions(), strict=True):
        element = atom.GetSymbol()
        counts[element] = counts.get(element, 0) + 1
        atoms.append((atom.GetIdx() + 1, f"{element.upper()}{counts[element]}", element, place))
    near = {atom.GetIdx() + 1: [other.GetIdx() + 1 for other in atom.GetNeighbors()] for atom in pose.mol.GetAtoms()}
    return residue_pdb(atoms, near, _RESIDUE, _CHAIN)


def moved(pdb: str, pose: Pose) -> str:
    """Return a PDB file of the second half in the frame of the first."""
    return "".join(f"{_moved_line(line, pose)}\n" for line in pdb.splitlines())


def _moved_line(line: str, pose: Pose) -> str:
    if not line.startswith(("ATOM", "HETATM")):
        return line
    place = np.array([float(line[start : start + 8]) for start in (30, 38, 46)])
    x, y, z = (pose.rotation @ place + pose.shift).tolist()
    return f"{line[:30]}{x:8.3f}{y:8.3f}{z:8.3f}{line[54:]}"


def command(first: Sequence[str], second: Sequence[str]) -> str:
    """Return how ``predict.py`` is run in the folder of the files.

    Parameters
    ----------
    first, second : sequence of str
        Protein, ligand and mask of its two sides.
    """
    lines = ["python predict.py --task PROTAC --name degrader", "--lig degrader.pdb"]
    for number, (protein, ligand, mask) in enumerate((first, second), 1):
        lines.append(f"--p{number} {protein} --unbound-lig{number} {ligand} --lig{number}-mask {mask}")
    return " \\\n  ".join([*lines, "--outdir results"]) + "\n"
