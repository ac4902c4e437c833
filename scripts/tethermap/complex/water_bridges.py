"""Hydrogen bonds of a ligand through a water to the protein or to a metal."""

from collections.abc import Iterator

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray
from tethermap.base.elements import are_metals
from tethermap.complex.limits import METAL_MAX, WATER_MAX, WATER_MIN
from tethermap.complex.polar_groups import partner_polar_atoms
from tethermap.complex.rings import Contact
from tethermap.entry.near import distances
from tethermap.instance.model import Neighbourhood, Water
from tethermap.molecule.geometry import angle_between

ANGLES = (75.0, 140.0)
"""Angle of both partners at the oxygen, in degrees, as in PLIP."""


def water_bridges(
    waters: tuple[Water, ...], ligand_xyz: FloatArray, ligand_polar: BoolArray, neighbourhood: Neighbourhood
) -> Iterator[Contact]:
    """Yield contacts through water: the distance is that of ligand and water, the detail the water's name.

    Parameters
    ----------
    waters : tuple of Water
        Waters near the ligand; at least one.
    ligand_xyz, ligand_polar : ndarray, shapes (n_heavy, 3) and (n_heavy,)
        Heavy atoms of the ligand in angstroms, and whether each donates or accepts hydrogen bonds.
    neighbourhood : Neighbourhood
        The atoms around.
    """
    places = np.array([water.xyz for water in waters])
    metal = are_metals(neighbourhood.element)
    binding = metal | (neighbourhood.element == "N") | (neighbourhood.element == "O")
    near = np.flatnonzero(binding & (distances(neighbourhood.xyz, places).min(axis=1) <= WATER_MAX))
    alone, plain = np.ones(len(near), dtype=np.int64), np.zeros(len(near), dtype=np.bool_)
    other = partner_polar_atoms(neighbourhood, near, alone, plain)
    partners = neighbourhood.xyz[near]
    to_ligand, to_partner = distances(places, ligand_xyz), distances(places, partners)
    bonded = (to_ligand >= WATER_MIN) & (to_ligand <= WATER_MAX) & ligand_polar[None, :]
    reached = (to_partner >= WATER_MIN) & (to_partner <= WATER_MAX) & (other.donor | other.acceptor)[None, :]
    reached |= (to_partner <= METAL_MAX) & metal[near][None, :]
    for k, water in enumerate(waters):
        for j in np.flatnonzero(reached[k]).tolist():
            lines = {i: ligand_xyz[i] - places[k] for i in np.flatnonzero(bonded[k]).tolist()}
            angles = {i: angle_between(line, partners[j] - places[k]) for i, line in lines.items()}
            if ends := [i for i, angle in angles.items() if ANGLES[0] <= angle <= ANGLES[1]]:
                i = min(ends, key=lambda i: float(to_ligand[k, i]))
                name = f"{water.comp_id} {water.chain} {water.residue_id}"
                yield "water", i, int(near[j]), float(to_ligand[k, i]), name
