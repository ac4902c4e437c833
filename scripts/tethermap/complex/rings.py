"""Contacts of aromatic rings: stacked on each other, or under a cation.

Cut-offs as in PLIP (Salentin 2015, doi:10.1093/nar/gkv315): stacking after McGaughey 1998
(doi:10.1074/jbc.273.25.15458), cation–π after Gallivan and Dougherty 1999 (doi:10.1073/pnas.96.17.9459).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray
from tethermap.complex.limits import CATION_PI_MAX, OFFSET_MAX, STACKING_MAX
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


@dataclass(frozen=True, slots=True)
class RingContact:
    """A contact by the nearest atoms of both sides: type, ligand atom, partner atom, distance of centres, geometry."""

    kind: str
    ligand_atom: int
    partner_atom: int
    distance: float
    geometry: str


@dataclass(frozen=True)
class _Ring:
    atoms: tuple[int, ...]
    places: FloatArray
    centre: FloatArray

    @classmethod
    def of(cls, atoms: Sequence[int], xyz: FloatArray) -> _Ring:
        places = xyz[list(atoms)]
        return cls(tuple(atoms), places, places.sum(axis=0) / len(places))

    @cached_property
    def normal(self) -> FloatArray:
        """Unit vector across its plane, which most rings, too far away, are not asked for."""
        normal: FloatArray = np.linalg.svd(self.places - self.centre)[2][2]
        return normal


def ring_contacts(
    mol: LigandMolecule, ligand_xyz: FloatArray, positive: BoolArray, neighbourhood: Neighbourhood
) -> Iterator[RingContact]:
    """Yield the contacts of rings between a ligand and what surrounds it.

    Parameters
    ----------
    mol : LigandMolecule
        The ligand.
    ligand_xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms in angstroms.
    positive : ndarray of bool, shape (n_heavy,)
        Its atoms that carry a positive charge.
    neighbourhood : Neighbourhood
        The atoms around it.
    """
    info = mol.mol.GetRingInfo()
    aromatic = [ring for ring in info.AtomRings() if all(mol.mol.GetAtomWithIdx(k).GetIsAromatic() for k in ring)]
    own = [_Ring.of(ring, ligand_xyz) for ring in aromatic if max(ring) < len(ligand_xyz)]
    if not own and not positive.any():
        return
    others, cations = _of_residues(neighbourhood)
    for ring in own:
        for other in others:
            yield from _stacked(ring, other, ligand_xyz, neighbourhood.xyz)
        for atom in cations:
            if _above(ring, neighbourhood.xyz[atom], CATION_PI_MAX):
                near = _nearest(ring.atoms, ligand_xyz, neighbourhood.xyz[atom])
                yield RingContact("cation_pi", near, atom, _apart(ring.centre, neighbourhood.xyz[atom]), "ring")
    for other in others:
        above = [k for k in np.flatnonzero(positive).tolist() if _above(other, ligand_xyz[k], CATION_PI_MAX)]
        if above:
            k = min(above, key=lambda k: _apart(other.centre, ligand_xyz[k]))
            near = _nearest(other.atoms, neighbourhood.xyz, ligand_xyz[k])
            yield RingContact("cation_pi", k, near, _apart(other.centre, ligand_xyz[k]), "cation")


def _stacked(ring: _Ring, other: _Ring, ligand_xyz: FloatArray, xyz: FloatArray) -> Iterator[RingContact]:
    if _far(ring.centre, other.centre, STACKING_MAX) or (distance := _apart(ring.centre, other.centre)) > STACKING_MAX:
        return
    angle = float(np.degrees(np.arccos(min(1.0, abs(float(ring.normal @ other.normal))))))
    geometry = "parallel" if angle <= PARALLEL_MAX else "t_shaped" if angle >= T_SHAPED_MIN else ""
    offset = min(_offset(ring, other.centre), _offset(other, ring.centre))
    if geometry and offset <= OFFSET_MAX:
        first = _nearest(ring.atoms, ligand_xyz, other.centre)
        second = _nearest(other.atoms, xyz, ring.centre)
        yield RingContact("pi_stacking", first, second, distance, geometry)


def _of_residues(neighbourhood: Neighbourhood) -> tuple[list[_Ring], list[int]]:
    """Return the whole rings around, and the atoms in the middle of positive charges."""
    known = [k for k, comp_id in enumerate(neighbourhood.comp_id.tolist()) if comp_id in RINGS or comp_id in CATIONS]
    names = neighbourhood.auth_asym_id, neighbourhood.residue_id, neighbourhood.copy_name, neighbourhood.comp_id
    keys = zip(*(column[known].tolist() for column in names), strict=True)
    residues: dict[tuple[str, ...], dict[str, int]] = {}
    for atom, key, name in zip(known, keys, neighbourhood.atom_name[known].tolist(), strict=True):
        residues.setdefault(key, {})[name] = atom
    rings, cations = [], []
    for key, atoms in residues.items():
        whole = [ring for ring in RINGS.get(key[3], ()) if atoms.keys() >= set(ring)]
        rings += [_Ring.of([atoms[name] for name in ring], neighbourhood.xyz) for ring in whole]
        if (middle := CATIONS.get(key[3])) in atoms:
            cations.append(atoms[str(middle)])
    return rings, cations


def _above(ring: _Ring, point: FloatArray, longest: float) -> bool:
    if _far(ring.centre, point, longest):
        return False
    return _apart(ring.centre, point) <= longest and _offset(ring, point) <= OFFSET_MAX


def _offset(ring: _Ring, point: FloatArray) -> float:
    """Return how far a point stands from the axis of a ring, in angstroms."""
    line = point - ring.centre
    return float(np.linalg.norm(line - (line @ ring.normal) * ring.normal))


def _apart(first: FloatArray, second: FloatArray) -> float:
    return float(np.linalg.norm(first - second))


def _far(first: FloatArray, second: FloatArray, longest: float) -> bool:
    """Return whether two points are certainly farther apart than a distance: most are, and plain numbers are quick."""
    return math.dist(first.tolist(), second.tolist()) > longest + 1e-6


def _nearest(atoms: Sequence[int], xyz: FloatArray, point: FloatArray) -> int:
    return min(atoms, key=lambda atom: _apart(xyz[atom], point))
