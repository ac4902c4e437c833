"""Solvent-accessible surface areas of a ligand's atoms, alone and in each context.

Lee & Richards 1971 (doi:10.1016/0022-2836(71)90324-X) as FreeSASA implements it
(Mitternacht 2016, doi:10.12688/f1000research.7931.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import freesasa
import numpy as np

from scripts.lib.contexts import CONTEXTS, HEADLINE_CONTEXT
from scripts.lib.entry.atoms import BoolArray
from scripts.lib.entry.near import distances
from scripts.lib.instance.model import FloatArray, Neighbourhood

ALGORITHM = "Lee-Richards"

EXPOSED_ABOVE = 0.1
"""An atom counts as exposed above this SASA in square angstroms (the public service's definition)."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """The areas of one ligand's heavy atoms, each of shape (n_atoms,), in square angstroms.

    Parameters
    ----------
    free : ndarray of float
        Bound conformer with all other atoms removed.
    bound : dict of str to ndarray of float
        In each context by its name; all NaN where a context is not defined.
    """

    free: FloatArray
    bound: dict[str, FloatArray]

    @property
    def headline(self) -> FloatArray:
        """Areas in the headline context."""
        return self.bound[HEADLINE_CONTEXT]

    @property
    def relative(self) -> FloatArray:
        """Relative SASA in the headline context: bound / free, NaN for an atom without surface."""
        return relative_sasa(self.free, self.headline)

    @property
    def buried(self) -> FloatArray:
        """Buried fraction in the headline context."""
        return buried_fraction(self.free, self.headline)


SCATTERED = 200.0
"""From this extent in angstroms on atoms are moved together; ligands with what touches them are smaller."""


def relative_sasa(sasa_free: FloatArray, sasa_bound: FloatArray) -> FloatArray:
    """Return the share of each atom's own surface that stays open.

    Parameters
    ----------
    sasa_free, sasa_bound : ndarray of float, shape (n_atoms,)
        SASA of the ligand alone and in the complex, in square angstroms, same order.

    Returns
    -------
    ndarray of float, shape (n_atoms,)
        0 (buried) to 1 (open); NaN for an atom without surface of its own.
    """
    share: FloatArray = np.divide(sasa_bound, sasa_free, out=np.full(len(sasa_free), np.nan), where=sasa_free > 0)
    return share


def buried_fraction(sasa_free: FloatArray, sasa_bound: FloatArray) -> FloatArray:
    """Return the share of each atom's surface that the protein covers.

    Parameters
    ----------
    sasa_free, sasa_bound : ndarray of float, shape (n_atoms,)
        SASA of the ligand alone and in the complex, in square angstroms, same order.

    Returns
    -------
    ndarray of float, shape (n_atoms,)
        0 (exposed) to 1 (buried); NaN for an atom without surface of its own.
    """
    return 1.0 - relative_sasa(sasa_free, sasa_bound)


def gathered(xyz: FloatArray, reach: float) -> FloatArray:
    """Return atoms moved together where a gap along an axis is wider than they reach.

    Atoms on both sides of such a gap touch no common sphere, so that areas stay the same. FreeSASA
    divides the box of all atoms into cells and takes gigabytes for one that is a thousand angstroms wide.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    reach : float
        The largest distance at which two atoms touch, in angstroms.
    """
    moved = xyz.copy()
    for axis in range(3):
        order = np.argsort(xyz[:, axis], kind="stable")
        steps = np.diff(xyz[order, axis])
        excess = np.concatenate([[0.0], np.cumsum(np.maximum(steps - 2 * reach, 0.0))])
        moved[order, axis] -= excess
    return moved


class Sasa:
    """The method: Lee-Richards with a number of slices and a probe.

    Parameters
    ----------
    probe_radius : float
        In angstroms.
    slices : int
        Slices of each atom.
    """

    def __init__(self, probe_radius: float, slices: int) -> None:
        self.probe_radius = probe_radius
        self._parameters = freesasa.Parameters(
            {"algorithm": freesasa.LeeRichards, "n-slices": slices, "probe-radius": probe_radius, "n-threads": 1}
        )

    def areas(self, xyz: FloatArray, radii: FloatArray, count: int) -> FloatArray:
        """Return the SASA of the first `count` of all atoms.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_atoms, 3)
            Coordinates in angstroms.
        radii : ndarray of float, shape (n_atoms,)
            In angstroms.
        count : int
            Of how many atoms the area is wanted.

        Returns
        -------
        ndarray of float, shape (count,)
            In square angstroms.
        """
        if not len(xyz):
            return np.zeros(0)
        reach = 2 * (float(radii.max()) + self.probe_radius)
        close = gathered(xyz, reach) if np.ptp(xyz, axis=0).max() > SCATTERED else xyz
        result = freesasa.calcCoord(close.ravel().tolist(), radii.tolist(), self._parameters)
        areas = np.array([result.atomArea(i) for i in range(count)], dtype=np.float64)
        if np.isnan(areas).any():
            return self._areas_of_distinct(xyz, radii, count)
        return areas

    def _areas_of_distinct(self, xyz: FloatArray, radii: FloatArray, count: int) -> FloatArray:
        """Return areas where atoms stand in one place: the largest of them, then the first, has it all."""
        order = np.lexsort((np.arange(len(xyz)), -radii))
        _, first = np.unique(np.round(xyz[order], 3), axis=0, return_index=True)
        kept = np.sort(order[first])
        if len(kept) == len(xyz):
            raise ArithmeticError("FreeSASA gives no area for atoms that stand apart")
        areas = np.zeros(len(xyz))
        areas[kept] = self.areas(xyz[kept], radii[kept], len(kept))
        return areas[:count]

    def touching(self, other: FloatArray, other_radii: FloatArray, xyz: FloatArray, radii: FloatArray) -> BoolArray:
        """Return which atoms can take surface from which.

        Two expanded spheres touch only when the atoms are nearer than the sum of their radii
        and two probes; atoms farther away change nothing, so leaving them out is exact.

        Parameters
        ----------
        other, other_radii : ndarray of float, shapes (n_other, 3) and (n_other,)
            The atoms around.
        xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
            The atoms whose surface is meant.

        Returns
        -------
        ndarray of bool, shape (n_other, n_atoms)
        """
        reach = other_radii[:, None] + radii[None, :] + 2 * self.probe_radius
        touches: BoolArray = distances(other, xyz) < reach
        return touches

    def exposure(
        self, xyz: FloatArray, radii: FloatArray, neighbourhood: Neighbourhood, radii_around: FloatArray
    ) -> Exposure:
        """Return the areas of a ligand alone and in every context.

        Parameters
        ----------
        xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
            Heavy atoms of the ligand.
        neighbourhood : Neighbourhood
            The atoms around it.
        radii_around : ndarray of float, shape (n_around,)
            Their radii in angstroms.

        Returns
        -------
        Exposure
        """
        touching = self.touching(neighbourhood.xyz, radii_around, xyz, radii)
        near = touching.any(axis=1)
        free = self.areas(xyz, radii, len(xyz))
        bound: dict[str, FloatArray] = {}
        before = free
        for level, context in enumerate(CONTEXTS):
            if level > neighbourhood.largest:
                bound[context] = np.full(len(xyz), np.nan)
                continue
            # Only atoms that the new surroundings touch can lose surface.
            covered = touching[near & (neighbourhood.context == level)].any(axis=0)
            if covered.any():
                around = near & (neighbourhood.context <= level)
                areas = self._areas_of(covered, xyz, radii, neighbourhood.xyz[around], radii_around[around])
                before = before.copy()
                before[covered] = np.minimum(areas, before[covered])
            bound[context] = before
        return Exposure(free, bound)

    def _areas_of(
        self, some: BoolArray, xyz: FloatArray, radii: FloatArray, around: FloatArray, radii_around: FloatArray
    ) -> FloatArray:
        """Return the areas of some of a ligand's atoms, shape (n_some,), amid its others and what is around."""
        others = np.concatenate([xyz[~some], around])
        radii_others = np.concatenate([radii[~some], radii_around])
        near = self.touching(others, radii_others, xyz[some], radii[some]).any(axis=1)
        coordinates = np.concatenate([xyz[some], others[near]])
        return self.areas(coordinates, np.concatenate([radii[some], radii_others[near]]), int(some.sum()))
