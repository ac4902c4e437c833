"""Solvent-accessible surface areas of a ligand's atoms, unbound and in each context.

Lee & Richards 1971 (doi:10.1016/0022-2836(71)90324-X), sliced like FreeSASA (Mitternacht 2016,
doi:10.12688/f1000research.7931.1), for the ligand's atoms only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.exposure.engines import freesasa_areas, kernel_areas
from tethermap.exposure.method import FREESASA, KERNEL
from tethermap.instance.model import Neighbourhood

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
        """Relative SASA in the headline context: bound / free, NaN for an atom without surface."""
        return relative_sasa(self.free, self.headline)

    @property
    def buried(self) -> FloatArray:
        """Buried fraction in the headline context."""
        return buried_fraction(self.free, self.headline)


def relative_sasa(sasa_free: FloatArray, sasa_bound: FloatArray) -> FloatArray:
    """Return the accessible fraction of each atom's own surface.

    Parameters
    ----------
    sasa_free, sasa_bound : ndarray of float, shape (n_atoms,)
        SASA of the unbound ligand and of the ligand in the complex, in square angstroms, same order.

    Returns
    -------
    ndarray of float, shape (n_atoms,)
        0 (buried) to 1 (open); NaN for an atom without surface.
    """
    share: FloatArray = np.divide(sasa_bound, sasa_free, out=np.full(len(sasa_free), np.nan), where=sasa_free > 0)
    return share


def buried_fraction(sasa_free: FloatArray, sasa_bound: FloatArray) -> FloatArray:
    """Return the share of each atom's surface that the protein covers.

    Parameters
    ----------
    sasa_free, sasa_bound : ndarray of float, shape (n_atoms,)
        SASA of the unbound ligand and of the ligand in the complex, in square angstroms, same order.

    Returns
    -------
    ndarray of float, shape (n_atoms,)
        0 (exposed) to 1 (buried); NaN for an atom without surface.

    >>> buried_fraction(np.array([20.0, 10.0]), np.array([0.0, 5.0])).tolist()
    [1.0, 0.5]
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
    engine : str
        One of `tethermap.exposure.method.ENGINES`.
    """

    def __init__(self, probe_radius: float, slices: int, engine: str = KERNEL) -> None:
        self.probe_radius = probe_radius
        self._slices = slices
        self._nested_areas = freesasa_areas if engine == FREESASA else kernel_areas

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
        areas: FloatArray = self._nested_areas(xyz, radii, level, 1, count, self.probe_radius, self._slices)[0]
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
        free, *bound = self._nested_areas(
            np.concatenate([xyz, neighbourhood.xyz]),
            np.concatenate([radii, radii_around]),
            np.concatenate([np.zeros(len(xyz), dtype=np.int64), neighbourhood.context + 1]),
            1 + len(CONTEXTS),
            len(xyz),
            self.probe_radius,
            self._slices,
        )
        for areas in bound[neighbourhood.largest + 1 :]:
            areas.fill(np.nan)
        return Exposure(free, dict(zip(CONTEXTS, bound, strict=True)))
