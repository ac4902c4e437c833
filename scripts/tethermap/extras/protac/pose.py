"""A degrader in three dimensions with both its halves in their crystal geometry."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from rdkit import Chem, rdBase
from rdkit.Chem import rdDistGeom

from tethermap.answers.pockets.superpose import best_fit
from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.warhead import Warhead

MOST_MATCHES = 64
TRIES = 12
"""Random conformations that are tried."""

SLACK = 0.05
"""How far a distance within a half may be off that of its crystal, in angstroms, while a conformation is made."""

WITHIN = 1.0
"""Distance within which DeepTernary identifies an atom of a degrader with one of a half, in angstroms."""


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """A degrader in the frame of its first half.

    Parameters
    ----------
    mol : Chem.Mol
        Heavy atoms with one conformer, in angstroms.
    rotation, shift : ndarray of float, shapes (3, 3) and (3,)
        A place x of the second half's own frame is at rotation x + shift.
    """

    mol: Chem.Mol
    rotation: FloatArray
    shift: FloatArray

    def with_second(self, mol: Chem.Mol) -> Chem.Mol:
        """Return the second half in the frame of the first."""
        placed = Chem.Mol(mol)
        xyz = mol.GetConformer().GetPositions() @ self.rotation.T + self.shift
        placed.GetConformer().SetPositions(xyz)
        return placed

    def moved(self, pdb: str) -> str:
        """Return a PDB file of the second half in the frame of the first."""
        lines = pdb.splitlines()
        for number, line in enumerate(lines):
            if line.startswith(("ATOM", "HETATM")):
                place = np.array([float(line[start : start + 8]) for start in (30, 38, 46)])
                x, y, z = (self.rotation @ place + self.shift).tolist()
                lines[number] = f"{line[:30]}{x:8.3f}{y:8.3f}{z:8.3f}{line[54:]}"
        return "\n".join([*lines, ""])


def matched_halves(degrader: Chem.Mol, halves: tuple[Warhead, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the atoms of a degrader that belong to each half, without overlap; empty if it does not contain them.

    Parameters
    ----------
    degrader : Chem.Mol
        Without hydrogens as atoms.
    halves : tuple of Warhead
        One or two.
    """
    matches_by_half = [
        degrader.GetSubstructMatches(half.mol, uniquify=False, maxMatches=MOST_MATCHES) for half in halves
    ]
    fitting = [
        [match for match in matches if _leaves_at(degrader, match, half.anchor)]
        for matches, half in zip(matches_by_half, halves, strict=True)
    ]
    if len(halves) == 1:
        return (fitting[0][0],) if fitting[0] else ()
    pairs = ((a, b) for a in fitting[0] for b in fitting[1] if not set(a) & set(b))
    return next(pairs, ())


def _leaves_at(degrader: Chem.Mol, match: tuple[int, ...], anchor: int) -> bool:
    """Return whether the rest of a degrader is bonded only to the anchor of a match."""
    inside = set(match)
    ends = {k for k in match for other in degrader.GetAtomWithIdx(k).GetNeighbors() if other.GetIdx() not in inside}
    return ends == {match[anchor]}


def degrader_pose(smiles: str, halves: tuple[Warhead, ...]) -> Pose | None:
    """Return a degrader with its halves in their crystal geometry; None if it lacks them or embedding failed.

    Parameters
    ----------
    smiles : str
        The degrader.
    halves : tuple of Warhead
        One or two, each in its own frame.
    """
    degrader = Chem.MolFromSmiles(smiles)
    if not (matches := matched_halves(degrader, halves)):
        return None
    own = [half.mol.GetConformer().GetPositions() for half in halves]
    mol = Chem.AddHs(degrader)
    with rdBase.BlockLogs():
        parameters: Any = rdDistGeom.ETKDGv3()
        parameters.SetBoundsMat(_bounds(mol, matches, own))
        parameters.useRandomCoords = True
        parameters.ignoreSmoothingFailures = True
        for seed in range(1, TRIES + 1):
            parameters.randomSeed = seed
            if rdDistGeom.EmbedMolecule(mol, parameters) < 0:
                continue
            made = mol.GetConformer().GetPositions()[: degrader.GetNumAtoms()]
            if (pose := _placed(degrader, made, matches, own)) is not None:
                return pose
    return None


def _bounds(mol: Chem.Mol, matches: tuple[tuple[int, ...], ...], own: list[FloatArray]) -> FloatArray:
    bounds: FloatArray = rdDistGeom.GetMoleculeBoundsMatrix(mol)
    for match, xyz in zip(matches, own, strict=True):
        away = np.linalg.norm(xyz[:, None] - xyz[None], axis=-1)
        for i, a in enumerate(match):
            for j, b in enumerate(match[:i]):
                low, high = sorted((a, b))
                bounds[low, high], bounds[high, low] = away[i, j] + SLACK, away[i, j] - SLACK
    return bounds


def _placed(
    degrader: Chem.Mol, made: FloatArray, matches: tuple[tuple[int, ...], ...], own: list[FloatArray]
) -> Pose | None:
    """Return a conformation superposed on the first half, with both crystal geometries; None if these don't fit."""
    rotation, shift = best_fit(own[0], made[list(matches[0])])
    xyz = made @ rotation.T + shift
    turn, way = np.eye(3), np.zeros(3)  # of the first half, whose frame it is
    for number, (match, places) in enumerate(zip(matches, own, strict=True)):
        if number:
            turn, way = best_fit(xyz[list(match)], places)
        laid = places @ turn.T + way
        if np.linalg.norm(laid - xyz[list(match)], axis=1).max() >= WITHIN:
            return None
        xyz[list(match)] = laid
    mol = Chem.Mol(degrader)
    conformer = Chem.Conformer(mol.GetNumAtoms())
    conformer.SetPositions(xyz)
    mol.AddConformer(conformer)
    return Pose(mol, turn, way)
