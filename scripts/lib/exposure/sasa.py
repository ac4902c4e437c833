"""Solvent-accessible surface areas of a ligand's atoms, alone and in each context.

Lee & Richards 1971 (doi:10.1016/0022-2836(71)90324-X) as FreeSASA implements it
(Mitternacht 2016, doi:10.12688/f1000research.7931.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import freesasa
import numpy as np

from scripts.lib.instance.model import CONTEXTS, HEADLINE_CONTEXT, FloatArray, Neighbourhood

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
        result = freesasa.calcCoord(xyz.ravel().tolist(), radii.tolist(), self._parameters)
        return np.array([result.atomArea(i) for i in range(count)], dtype=np.float64)

    def near(self, xyz: FloatArray, radii: FloatArray, other: FloatArray, other_radii: FloatArray) -> np.ndarray:
        """Return which of the other atoms can take surface from a ligand.

        Two expanded spheres touch only when the atoms are nearer than the sum of their radii
        and two probes; atoms farther away change nothing, so leaving them out is exact.

        Parameters
        ----------
        xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
            The ligand.
        other, other_radii : ndarray of float, shapes (n_other, 3) and (n_other,)
            The atoms around it.

        Returns
        -------
        ndarray of bool, shape (n_other,)
        """
        if not len(other):
            return np.zeros(0, dtype=bool)
        squared = ((other[:, None, :] - xyz[None, :, :]) ** 2).sum(axis=2)
        reach = other_radii[:, None] + radii[None, :] + 2 * self.probe_radius
        near: np.ndarray = (squared < reach**2).any(axis=1)
        return near

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
        near = self.near(xyz, radii, neighbourhood.xyz, radii_around)
        free = self.areas(xyz, radii, len(xyz))
        bound: dict[str, FloatArray] = {}
        before: tuple[int, FloatArray] = (0, free)
        for level, context in enumerate(CONTEXTS):
            if level > neighbourhood.largest:
                bound[context] = np.full(len(xyz), np.nan)
                continue
            around = near & (neighbourhood.context <= level)
            count = int(around.sum())
            if count != before[0]:  # nested sets of one size are the same set
                coordinates = np.concatenate([xyz, neighbourhood.xyz[around]])
                areas = self.areas(coordinates, np.concatenate([radii, radii_around[around]]), len(xyz))
                before = count, np.minimum(areas, before[1])
            bound[context] = before[1]
        return Exposure(free, bound)
