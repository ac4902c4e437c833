"""Solvent-accessible surface areas of a ligand's atoms, unbound and in each context.

Lee & Richards 1971 (doi:10.1016/0022-2836(71)90324-X), sliced like FreeSASA (Mitternacht 2016,
doi:10.12688/f1000research.7931.1), for the ligand's atoms only.
"""

from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.exposure.engines import freesasa_areas
from tethermap.exposure.method import FREESASA, KERNEL
from tethermap.instance.model import Neighbourhood
from tethermap.kernels.spheres import Spheres

ALGORITHM = "Lee-Richards"


@dataclass(frozen=True, slots=True)
class Exposure:
    """The areas of one ligand's heavy atoms, each of shape (n_atoms,), in square angstroms.

    Parameters
    ----------
    free : ndarray of float
        Bound conformer with all other atoms removed.
    bound : dict of str to ndarray of float
        By name of the context; all NaN if a context is not defined.
    """

    free: FloatArray
    bound: dict[str, FloatArray]

    @property
    def headline(self) -> FloatArray:
        """Areas in the headline context."""
        return self.bound[HEADLINE_CONTEXT]

    @property
    def relative(self) -> FloatArray:
        """Accessible fraction of each atom's own surface in the headline context: bound / free.

        0 (buried) to 1 (open); NaN for an atom without surface.

        >>> Exposure(np.array([20.0, 10.0]), {HEADLINE_CONTEXT: np.array([0.0, 5.0])}).relative.tolist()
        [0.0, 0.5]
        """
        share = np.full(len(self.free), np.nan)
        np.divide(self.headline, self.free, out=share, where=self.free > 0)
        return share


@dataclass(frozen=True, slots=True)
class Sasa:
    """The method: Lee-Richards with a number of slices and a probe, named in every output.

    Parameters
    ----------
    probe_radius : float
        In angstroms.
    slices : int
        Slices of each atom.
    engine : str
        One of `tethermap.exposure.method.ENGINES`.
    """

    probe_radius: float
    slices: int
    engine: str = KERNEL

    def areas(self, xyz: FloatArray, radii: FloatArray, count: int) -> FloatArray:
        """Return the SASA of the first `count` of all atoms.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_atoms, 3)
            Coordinates in angstroms.
        radii : ndarray of float, shape (n_atoms,)
            In angstroms.
        count : int
            Number of leading atoms whose areas are computed.

        Returns
        -------
        ndarray of float, shape (count,)
            In square angstroms. If atoms coincide, the largest (then the first) gets the whole area.
        """
        level = np.zeros(len(xyz), dtype=np.int64)
        areas: FloatArray = self._areas(xyz, radii, level, 1, count)[0]
        return areas

    def exposure(
        self, xyz: FloatArray, radii: FloatArray, neighbourhood: Neighbourhood, radii_around: FloatArray
    ) -> Exposure:
        """Return the areas of the unbound ligand and of the ligand in every context.

        Parameters
        ----------
        xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
            Heavy atoms of the ligand.
        radii_around : ndarray of float, shape (n_around,)
            Their radii in angstroms.

        Returns
        -------
        Exposure
        """
        free, *bound = self._areas(
            np.concatenate([xyz, neighbourhood.xyz]),
            np.concatenate([radii, radii_around]),
            np.concatenate([np.zeros(len(xyz), dtype=np.int64), neighbourhood.context + 1]),
            1 + len(CONTEXTS),
            len(xyz),
        )
        for areas in bound[neighbourhood.largest + 1 :]:
            areas.fill(np.nan)
        return Exposure(free, dict(zip(CONTEXTS, bound, strict=True)))

    def _areas(self, xyz: FloatArray, radii: FloatArray, level: IntArray, n_levels: int, count: int) -> FloatArray:
        if self.engine == FREESASA:
            return freesasa_areas(xyz, radii, level, n_levels, count, self.probe_radius, self.slices)
        return Spheres(xyz, radii + self.probe_radius, level, n_levels).areas(count, self.slices)
