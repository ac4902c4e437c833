"""Contacts of aromatic rings: stacked on each other, or under a cation.

Cut-offs as in PLIP (Salentin 2015, doi:10.1093/nar/gkv315): stacking after McGaughey 1998
(doi:10.1074/jbc.273.25.15458), cation–π after Gallivan and Dougherty 1999 (doi:10.1073/pnas.96.17.9459).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.complex.limits import CATION_PI_MAX, OFFSET_MAX, STACKING_MAX
from tethermap.complex.polar_groups import PolarAtoms
from tethermap.instance.model import Neighbourhood
from tethermap.molecule.record import LigandMolecule

PARALLEL_MAX, T_SHAPED_MIN = 30.0, 60.0
"""Angles between the planes of stacked rings in degrees; those between are neither."""

_SIX = ("CG", "CD1", "CD2", "CE1", "CE2", "CZ")
_PYRIMIDINE = ("N1", "C2", "N3", "C4", "C5", "C6")
_IMIDAZOLE = ("C4", "C5", "N7", "C8", "N9")
RINGS = {
    "PHE": (_SIX,),
    "TYR": (_SIX,),
    "PTR": (_SIX,),
    "HIS": (("CG", "ND1", "CD2", "CE1", "NE2"),),
    "TRP": (("CG", "CD1", "NE1", "CD2", "CE2"), ("CD2", "CE2", "CE3", "CZ2", "CZ3", "CH2")),
    **dict.fromkeys(("A", "G", "DA", "DG"), (_PYRIMIDINE, _IMIDAZOLE)),
    **dict.fromkeys(("C", "U", "DC", "DT", "DU"), (_PYRIMIDINE,)),
}
"""Atoms of the aromatic rings of polymer residues."""

CATIONS = {"LYS": "NZ", "ARG": "CZ"}
"""Atom in the middle of the charge of a residue."""


Contact = tuple[str, int, int, float, str]
"""A contact by the nearest atoms of both sides: type, ligand atom, partner atom, distance (of centres), detail."""


@dataclass(frozen=True)
class Ring:
    """Atoms of an aromatic ring, their coordinates, and its centre, in angstroms."""

    atoms: tuple[int, ...]
    places: FloatArray
    centre: FloatArray

    @classmethod
    def of(cls, atoms: Sequence[int], xyz: FloatArray) -> Ring:
        """Return the ring of the given atoms, with coordinates in angstroms."""
        places = xyz[list(atoms)]
        return cls(tuple(atoms), places, places.sum(axis=0) / len(places))

    @cached_property
    def normal(self) -> FloatArray:
        """Unit normal of its plane, computed on request as most rings are too far away."""
        normal: FloatArray = np.linalg.svd(self.places - self.centre)[2][2]
        return normal

    def nearest(self, point: FloatArray) -> int:
        """Return the atom nearest to a point."""
        return min(zip(self.atoms, self.places, strict=True), key=lambda atom: _apart(atom[1], point))[0]

    def offset(self, point: FloatArray) -> float:
        """Return the distance of a point from the axis of the ring, in angstroms."""
        line = point - self.centre
        return float(np.linalg.norm(line - (line @ self.normal) * self.normal))

    def is_below(self, point: FloatArray) -> bool:
        """Return whether a cation at a point is above the ring."""
        return _apart(self.centre, point) <= CATION_PI_MAX and self.offset(point) <= OFFSET_MAX


class StackingSide(NamedTuple):
    """Heavy atoms of a ligand or around it, shape (n_atoms, 3) in angstroms, their whole rings and cations."""

    xyz: FloatArray
    rings: list[Ring]
    cations: list[int]


def ring_contacts(ligand: StackingSide, partner: StackingSide) -> Iterator[Contact]:
    """Yield the contacts of rings between a ligand and its surroundings."""
    for ring in ligand.rings:
        for other in partner.rings:
            yield from _stacked(ring, other)
        for atom in partner.cations:
            place = partner.xyz[atom]
            if ring.is_below(place):
                yield "cation_pi", ring.nearest(place), atom, _apart(ring.centre, place), "ring"
    for other in partner.rings:
        if above := [k for k in ligand.cations if other.is_below(ligand.xyz[k])]:
            distance, k = min((_apart(other.centre, ligand.xyz[k]), k) for k in above)
            yield "cation_pi", k, other.nearest(ligand.xyz[k]), distance, "cation"


def rings_of_ligand(mol: LigandMolecule, xyz: FloatArray, polar: PolarAtoms) -> StackingSide:
    """Return the aromatic rings and cations of a ligand with heavy atoms at `xyz`, in angstroms."""
    rings = mol.mol.GetRingInfo().AtomRings()
    aromatic = [ring for ring in rings if all(mol.mol.GetAtomWithIdx(k).GetIsAromatic() for k in ring)]
    whole = [Ring.of(ring, xyz) for ring in aromatic if max(ring) < len(xyz)]
    return StackingSide(xyz, whole, np.flatnonzero(polar.positive).tolist())


def _stacked(ring: Ring, other: Ring) -> Iterator[Contact]:
    if (distance := _apart(ring.centre, other.centre)) > STACKING_MAX:
        return
    angle = float(np.degrees(np.arccos(min(1.0, abs(float(ring.normal @ other.normal))))))
    geometry = "parallel" if angle <= PARALLEL_MAX else "t_shaped" if angle >= T_SHAPED_MIN else ""
    if geometry and min(ring.offset(other.centre), other.offset(ring.centre)) <= OFFSET_MAX:
        yield "pi_stacking", ring.nearest(other.centre), other.nearest(ring.centre), distance, geometry


def rings_of_residues(neighbourhood: Neighbourhood) -> StackingSide:
    """Return the whole rings around a ligand, and the atoms in the middle of positive charges."""
    known = [k for k, comp_id in enumerate(neighbourhood.comp_id.tolist()) if comp_id in RINGS or comp_id in CATIONS]
    names = neighbourhood.auth_asym_id, neighbourhood.residue_id, neighbourhood.copy_name, neighbourhood.comp_id
    keys = zip(*(column[known].tolist() for column in names), strict=True)
    residues: dict[tuple[str, ...], dict[str, int]] = {}
    for atom, key, name in zip(known, keys, neighbourhood.atom_name[known].tolist(), strict=True):
        residues.setdefault(key, {})[name] = atom
    rings, cations = [], []
    for key, atoms in residues.items():
        whole = [ring for ring in RINGS.get(key[3], ()) if atoms.keys() >= set(ring)]
        rings += [Ring.of([atoms[name] for name in ring], neighbourhood.xyz) for ring in whole]
        if (middle := CATIONS.get(key[3])) in atoms:
            cations.append(atoms[str(middle)])
    return StackingSide(neighbourhood.xyz, rings, cations)


def _apart(first: FloatArray, second: FloatArray) -> float:
    return math.dist(first.tolist(), second.tolist())  # quicker than NumPy for one pair
