"""Configuration from coordinates, and its differences from the dictionary."""

from collections.abc import Sequence

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdqueries

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import is_metal

TETRAHEDRAL = (Chem.ChiralType.CHI_TETRAHEDRAL_CW, Chem.ChiralType.CHI_TETRAHEDRAL_CCW)
_CIS_TRANS = (Chem.BondStereo.STEREOE, Chem.BondStereo.STEREOZ, Chem.BondStereo.STEREOCIS, Chem.BondStereo.STEREOTRANS)

FLAT_VOLUME = 0.5
"""Chiral volume in cubic angstroms below which a centre counts as flat: its hand is not defined.

The triple product of the vectors to three neighbours is about 2.5 Å³ at an ideal carbon."""

CLEAR_TURN = 0.5
"""Cosine of an observed torsion beyond which a double bond is cis or trans: turned by 60° to 120° it is neither."""

_HANDED = rdqueries.HasChiralTagQueryAtom()
"""Finds the atoms with a hand, without a loop over all."""


def set_coordinates(mol: Chem.Mol, xyz: Sequence[Sequence[float]] | FloatArray) -> None:
    """Give a molecule one 3D conformer, from coordinates of shape (n_atoms, 3) in angstroms."""
    conformer = Chem.Conformer(mol.GetNumAtoms())
    conformer.Set3D(True)
    conformer.SetPositions(np.array(xyz, dtype=np.float64).reshape(-1, 3))
    mol.RemoveAllConformers()
    mol.AddConformer(conformer, assignId=True)


def assign_stereo(mol: Chem.Mol, *, flattest: float = FLAT_VOLUME) -> None:
    """Set the configuration of a molecule from its conformer, in place.

    Phosphorus and sulfur with two terminal oxygens are not stereo centres: the choice of the oxygen with the double
    bond or the proton has no meaning. The geometry around a metal is
    left out, as the dictionary does.

    Parameters
    ----------
    flattest : float
        Chiral volume in cubic angstroms below which a centre is not assigned.
    """
    Chem.AssignStereochemistryFrom3D(mol, replaceExistingTags=True)
    handed = list(mol.GetAtomsMatchingQuery(_HANDED))
    xyz = mol.GetConformer().GetPositions().tolist() if handed else []
    cleared = False
    for atom in handed:
        near = sorted(other.GetIdx() for other in atom.GetNeighbors())
        volume = abs(_volume(xyz, atom.GetIdx(), near)) if len(near) > 2 else 0.0
        if is_metal(atom.GetSymbol()) or _has_like_terminals(atom) or volume < flattest:
            atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
            cleared = True
    if cleared:
        Chem.AssignStereochemistry(mol, cleanIt=True, force=True)


def _has_like_terminals(atom: Chem.Atom) -> bool:
    if atom.GetAtomicNum() not in (15, 16, 33):
        return False
    terminal = [other.GetAtomicNum() for other in atom.GetNeighbors() if other.GetDegree() == 1]
    return any(terminal.count(element) > 1 for element in (8, 16))


def differing_stereo(
    observed: FloatArray, reference: Chem.Mol, origin: Sequence[int]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the centres and double bonds whose configuration differs from a reference molecule.

    A centre counts only if the reference defines it, its neighbours were all observed and its observed geometry is not
    flat.

    Parameters
    ----------
    observed : ndarray of float, shape (n_atoms, 3)
        Coordinates of the observed atoms in angstroms.
    reference : Chem.Mol
        Dictionary molecule of heavy atoms with a conformer and its stereo assigned.
    origin : sequence of int
        Atom of `reference` that each row of `observed` is.

    Returns
    -------
    tuple
        Rows of `observed`, and pairs of them for double bonds.
    """
    place = {theirs: ours for ours, theirs in enumerate(origin)}
    ideal = reference.GetConformer().GetPositions()
    centres = []
    handed = [atom for atom in reference.GetAtomsMatchingQuery(_HANDED) if atom.GetChiralTag() in TETRAHEDRAL]
    seen_rows, ideal_rows = (observed.tolist(), ideal.tolist()) if handed else ([], [])
    for atom in handed:
        centre, near = atom.GetIdx(), sorted(other.GetIdx() for other in atom.GetNeighbors())
        if len(near) > 2 and place.keys() >= {centre, *near}:
            expected = _volume(ideal_rows, centre, near)
            volume = _volume(seen_rows, place[centre], [place[index] for index in near])
            if expected * volume < 0 and abs(volume) > FLAT_VOLUME:
                centres.append(place[centre])
    bonds = []
    for bond in reference.GetBonds():
        if bond.GetStereo() in _CIS_TRANS:
            left, right = bond.GetStereoAtoms()
            path = left, bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), right
            if place.keys() >= set(path):
                seen = [place[index] for index in path]
                turn = _cosine(observed, seen)
                if abs(turn) > CLEAR_TURN and turn * _cosine(ideal, path) < 0:
                    bonds.append((seen[1], seen[2]))
    return sorted(centres), sorted(bonds)


def _volume(xyz: Sequence[Sequence[float]], centre: int, near: Sequence[int]) -> float:
    """Return the signed volume that three neighbours span, of four the mean over all threes; in cubic angstroms."""
    (x, y, z), share = (xyz[centre], 1.0) if len(near) < 4 else (xyz[near[3]], 0.25)
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = ((u - x, v - y, w - z) for u, v, w in (xyz[k] for k in near[:3]))
    return share * (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))


def _cosine(xyz: FloatArray, path: Sequence[int]) -> float:
    """Return the cosine of a torsion: 1 for cis, -1 for trans, 0 if it is undefined."""
    left, first, second, right = (xyz[index] for index in path)
    axis = (second - first) / np.linalg.norm(second - first)
    sides = [arm - np.dot(arm, axis) * axis for arm in (left - first, right - second)]
    lengths = [float(np.linalg.norm(side)) for side in sides]
    return float(np.dot(sides[0], sides[1])) / (lengths[0] * lengths[1]) if min(lengths) >= 0.1 else 0.0
