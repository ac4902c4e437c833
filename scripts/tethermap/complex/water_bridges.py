"""Hydrogen bonds of a ligand through a water to the protein or to a metal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray
from tethermap.complex.limits import METAL_MAX, WATER_MAX, WATER_MIN
from tethermap.entry.near import distances
from tethermap.instance.model import Neighbourhood, Water
from tethermap.molecule.geometry import angle_between

ANGLES = (75.0, 140.0)
"""Angle of both partners at the oxygen, in degrees, as in PLIP."""


def water_bridges(
    waters: tuple[Water, ...],
    ligand_xyz: FloatArray,
    ligand_polar: BoolArray,
    neighbourhood: Neighbourhood,
    near: np.typing.NDArray[np.int64],
    partner_polar: BoolArray,
    partner_metal: BoolArray,
) -> Iterator[tuple[int, int, float, str]]:
    """Yield ligand atom, partner's index in the neighbourhood, distance of ligand and water, and the water's name.

    Parameters
    ----------
    waters : tuple of Water
        Waters near the ligand.
    ligand_xyz, ligand_polar : ndarray, shapes (n_heavy, 3) and (n_heavy,)
        Heavy atoms of the ligand in angstroms, and whether each donates or accepts hydrogen bonds.
    neighbourhood : Neighbourhood
        The atoms around.
    near : ndarray of int, shape (n_near,)
        Possible partner atoms.
    partner_polar, partner_metal : ndarray of bool, shape (n_near,)
        Whether each of these is a donor or acceptor of hydrogen bonds; whether it is a metal.
    """
    if not waters or not len(near):
        return
    places = np.array([water.xyz for water in waters])
    partners = neighbourhood.xyz[near]
    to_ligand, to_partner = distances(places, ligand_xyz), distances(places, partners)
    bonded = (to_ligand >= WATER_MIN) & (to_ligand <= WATER_MAX) & ligand_polar[None, :]
    reached = (to_partner >= WATER_MIN) & (to_partner <= WATER_MAX) & partner_polar[None, :]
    reached |= (to_partner <= METAL_MAX) & partner_metal[None, :]
    for k, water in enumerate(waters):
        for j in np.flatnonzero(reached[k]).tolist():
            ends = [
                i
                for i in np.flatnonzero(bonded[k]).tolist()
                if ANGLES[0] <= angle_between(ligand_xyz[i] - places[k], partners[j] - places[k]) <= ANGLES[1]
            ]
            if ends:
                i = min(ends, key=lambda i: float(to_ligand[k, i]))
                yield i, int(near[j]), float(to_ligand[k, i]), f"{water.comp_id} {water.chain} {water.residue_id}"
