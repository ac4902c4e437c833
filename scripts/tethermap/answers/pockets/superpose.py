"""Superposition of one pocket on another: local Cα atoms, pairs that don't fit left out and counted."""

from dataclasses import dataclass

import gemmi
import numpy as np

from tethermap.answers.pockets.limits import FEWEST_PAIRS, LARGEST_RMSD, LONGEST_PAIR, POCKET_RADIUS
from tethermap.base.arrays import FloatArray, IntArray
from tethermap.entry.near import distances

LEAST_SHARE = 0.5
"""Least share of the pairs that must be left."""


@dataclass(frozen=True, eq=False)
class Superposition:
    """Motion of one instance into the frame of its reference.

    Parameters
    ----------
    rotation : ndarray of float, shape (3, 3)
        x in the frame of the reference is rotation x + translation.
    translation : ndarray of float, shape (3,)
        In angstroms.
    n_pairs, n_used : int
        Cα pairs of the pocket, and those that the fit used in the end.
    rmsd, rmsd_all : float
        Over the pairs used and over all of them, in angstroms; NaN without a fit.
    reason : str
        Code of `tethermap.base.reasons.SUPERPOSITION_REASONS` when the instance is left out, else empty.
    """

    rotation: FloatArray
    translation: FloatArray
    n_pairs: int
    n_used: int
    rmsd: float
    rmsd_all: float
    reason: str = ""

    def apply(self, xyz: FloatArray) -> FloatArray:
        """Return moved coordinates, shape (n, 3) in angstroms."""
        return xyz @ self.rotation.T + self.translation


def stays(n_pairs: int, reason: str = "") -> Superposition:
    """Return the motion of a reference, or that of an instance without a fit."""
    fit = float("nan") if reason else 0.0
    return Superposition(np.eye(3), np.zeros(3), n_pairs, 0 if reason else n_pairs, fit, fit, reason)


def pocket(alpha: FloatArray, ligand: FloatArray) -> IntArray:
    """Return the residues around a ligand.

    Parameters
    ----------
    alpha : ndarray of float, shape (n_residues, 3)
        Cα atoms in angstroms.
    ligand : ndarray of float, shape (n_heavy, 3)
        Heavy atoms of the ligand.

    Returns
    -------
    ndarray of int, shape (n_pocket,)

    >>> pocket(np.array([[0.0, 0.0, 0.0], [30.0, 0.0, 0.0]]), np.array([[5.0, 0.0, 0.0]])).tolist()
    [0]
    """
    if not len(alpha):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(distances(alpha, ligand).min(axis=1) < POCKET_RADIUS)


def superpose(fixed: FloatArray, moving: FloatArray) -> Superposition:
    """Return the least-squares motion of atoms onto others.

    Parameters
    ----------
    fixed, moving : ndarray of float, shape (n, 3)
        Pairs of atoms in angstroms.
    """
    count = len(fixed)
    if count < FEWEST_PAIRS:
        return stays(count, "too_few_matched")
    used = np.arange(count)
    while True:
        rotation, translation = best_fit(fixed[used], moving[used])
        away = np.linalg.norm(moving @ rotation.T + translation - fixed, axis=1)
        too_long = int((away[used] > LONGEST_PAIR).sum())
        if not too_long:
            break
        n_out = max(1, min(len(used) // 10, too_long // 2))
        if len(used) - n_out < max(FEWEST_PAIRS, LEAST_SHARE * count):
            break
        used = np.sort(used[np.argsort(away[used], kind="stable")[: len(used) - n_out]])
    rmsd, rmsd_all = (float(np.sqrt((part**2).mean())) for part in (away[used], away))
    reason = "poor_fit" if rmsd > LARGEST_RMSD or (away[used] > LONGEST_PAIR).any() else ""
    return Superposition(rotation, translation, count, len(used), rmsd, rmsd_all, reason)


def best_fit(fixed: FloatArray, moving: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rotation and translation of the best fit of all pairs.

    Parameters
    ----------
    fixed, moving : ndarray of float, shape (n_pairs, 3)
        Coordinates in angstroms, in the same order.

    Returns
    -------
    tuple of ndarray of float, shapes (3, 3) and (3,)
        ``rotation @ moving + translation`` is superposed on `fixed`; the translation in angstroms.
    """
    first, second = ([gemmi.Position(*xyz) for xyz in part.tolist()] for part in (fixed, moving))
    transform = gemmi.superpose_positions(first, second).transform
    return np.array(transform.mat.tolist(), dtype=np.float64), np.array(transform.vec.tolist(), dtype=np.float64)
