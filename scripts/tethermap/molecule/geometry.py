"""Distances that are bonds, and bonds that cannot be."""

from collections.abc import Iterable, Sequence

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray, IntArray
from tethermap.base.elements import covalent_radii, is_metal

Bonds = Iterable[tuple[int, int, int]]
"""Atoms and order of each bond."""

SHORTEST = 0.6
LONGEST = 1.35
"""Limits of a bond's length as multiples of the sum of the covalent radii; outside these, the atom names do not match
the bonds."""

STRAINED, STRAINED_SHARE = (0.4, 1.8), 0.1
"""If no other source explains the atoms, names are accepted with this fraction of impossible bonds, if these are within
these multiples of the sum of the covalent radii."""

CONNECTED = 1.25
"""Atoms nearer than this multiple of the sum of their covalent radii count as bonded if no source defines the bonds."""

LONG = 1.12
"""Multiple of the sum of covalent radii from which a distance over two bonds may look like a bond."""


def bonds_are_sane(xyz: FloatArray, elements: Sequence[str], bonds: Bonds) -> bool:
    """Return whether every bond has a possible length; a bond to a metal may be open (`open_metal_bonds`).

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    elements : sequence of str
        Element symbols.
    bonds : iterable of (int, int, int)
        Atoms and order.
    """
    pairs, ratios = _ratios(xyz, elements, bonds)
    if np.any(ratios < SHORTEST):
        return False
    return all(is_metal(elements[a]) or is_metal(elements[b]) for a, b in pairs[ratios > LONGEST].tolist())


def sane_pairs(xyz: FloatArray, elements: Sequence[str]) -> BoolArray:
    """Return whether a bond between two atoms would have a possible length, shape (n_atoms, n_atoms).

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    elements : sequence of str
        Element symbols.
    """
    ratio = _ratio_of_all(xyz, elements)
    metal = np.array([is_metal(element) for element in elements], dtype=bool)
    sane: BoolArray = (ratio >= SHORTEST) & ((ratio <= LONGEST) | metal[:, None] | metal)
    return sane


def bonds_are_strained(xyz: FloatArray, elements: Sequence[str], bonds: Bonds) -> bool:
    """Return whether all bonds have a possible length, except for a few that are slightly off.

    Old or poor models of a molecule look like this, although their atom names are right (the propionates of the haems
    in 4HHB).

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    bonds : iterable of (int, int, int)
        Atoms and order.
    """
    _, ratios = _ratios(xyz, elements, bonds)
    bad, impossible = ((ratios < low) | (ratios > high) for low, high in ((SHORTEST, LONGEST), STRAINED))
    return bool(bad.sum() <= STRAINED_SHARE * len(ratios) and not impossible.any())


def torn_bonds(xyz: FloatArray, elements: Sequence[str], bonds: Bonds) -> list[tuple[int, int, float]]:
    """Return the bonds too short or too long to be one, with their lengths in angstroms.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    bonds : iterable of (int, int, int)
        Atoms and order.
    """
    pairs, ratios = _ratios(xyz, elements, bonds)
    bad = pairs[(ratios < SHORTEST) | (ratios > LONGEST)].tolist()
    return [(a, b, float(np.linalg.norm(xyz[a] - xyz[b]))) for a, b in bad]


def open_metal_bonds(xyz: FloatArray, elements: Sequence[str], bonds: Bonds) -> set[tuple[int, int]]:
    """Return the bonds to a metal that are too long to be one in this structure.

    Such a bond is often broken by the beam (the cobalt–carbon bond of cobalamins) or not formed; names of atoms are
    still accepted.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    bonds : iterable of (int, int, int)
        Atoms and order.
    """
    pairs, ratios = _ratios(xyz, elements, bonds)
    return {(a, b) for a, b in pairs[ratios > LONGEST].tolist() if is_metal(elements[a]) or is_metal(elements[b])}


def _ratios(xyz: FloatArray, elements: Sequence[str], bonds: Bonds) -> tuple[IntArray, FloatArray]:
    """Return the atoms of each bond and its length as a multiple of the sum of covalent radii."""
    pairs = np.array([bond[:2] for bond in bonds], dtype=np.int64).reshape(-1, 2)
    radii = covalent_radii(elements)
    lengths = np.linalg.norm(xyz[pairs[:, 0]] - xyz[pairs[:, 1]], axis=1)
    return pairs, lengths / (radii[pairs[:, 0]] + radii[pairs[:, 1]])


def _ratio_of_all(xyz: FloatArray, elements: Sequence[str]) -> FloatArray:
    """Return all distances as multiples of the sums of covalent radii, shape (n_atoms, n_atoms)."""
    radii = covalent_radii(elements)
    ratio: FloatArray = np.linalg.norm(xyz[:, None, :] - xyz[None, :, :], axis=2) / (radii[:, None] + radii[None, :])
    return ratio


def height_above(point: FloatArray, first: FloatArray, second: FloatArray, third: FloatArray) -> float:
    """Return the distance of a point from the plane of three others, in angstroms; 0 if these are on a line."""
    normal = np.cross(second - first, third - first)
    size = float(np.linalg.norm(normal))
    return abs(float(np.dot(point - first, normal))) / size if size else 0.0


def angle_between(first: FloatArray, second: FloatArray) -> float:
    """Return the angle between two vectors, in degrees."""
    cosine = float(np.dot(first, second)) / float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def near_pairs(xyz: FloatArray, elements: Sequence[str]) -> dict[tuple[int, int], float]:
    """Return the sorted pairs of atoms near enough for a bond, with their distances in sums of covalent radii.

    The longest side of a triangle of such pairs is not a bond if it is long: two phosphorus atoms with an oxygen
    between them.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    elements : sequence of str
        Element symbols.

    >>> list(near_pairs(np.array([[0.0, 0, 0], [1.5, 0, 0], [5.0, 0, 0]]), ["C", "C", "O"]))
    [(0, 1)]
    """
    ratio = _ratio_of_all(xyz, elements)
    near = (ratio >= SHORTEST) & (ratio <= CONNECTED)
    pairs = {}
    for a, b in zip(*(side.tolist() for side in np.nonzero(np.triu(near, k=1))), strict=True):
        between = near[a] & near[b] & (ratio[a] < ratio[a, b]) & (ratio[b] < ratio[a, b])
        if ratio[a, b] <= LONG or not between.any():
            pairs[a, b] = float(ratio[a, b])
    return pairs
