"""The geometry of a ligand relative to its surroundings in the headline context."""

from __future__ import annotations

import numpy as np

from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.fit.geometry import Geometry, ligand_geometry
from tethermap.instance.model import Instance, Surroundings
from tethermap.molecule.record import LigandMolecule

WITHIN = 5.0
"""Atoms farther than this from the box around a ligand touch none of its atoms, in angstroms."""


def geometry_of(instance: Instance, molecule: LigandMolecule, around: Surroundings) -> Geometry:
    """Return the geometry of an instance; nothing for a molecule that does not pass RDKit's checks."""
    if not molecule.sanitised:
        return Geometry()
    xyz = instance.atoms.xyz[molecule.atom_index]
    near = around.context <= CONTEXTS.index(HEADLINE_CONTEXT)
    near &= ((around.xyz > xyz.min(axis=0) - WITHIN) & (around.xyz < xyz.max(axis=0) + WITHIN)).all(axis=1)
    links = [(instance.atoms.xyz[link.atom], np.array(link.partner_xyz)) for link in instance.links]
    xyz, element = around.xyz[near].astype(np.float64), around.element[near].tolist()
    return ligand_geometry(molecule.mol, xyz, element, links, molecule.flat)
