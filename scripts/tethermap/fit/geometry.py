"""Is the geometry of a ligand possible: bonds, angles, flat rings, and room next to the protein.

The checks and limits of PoseBusters (Buttenschoen et al. 2024, doi:10.1039/D3SC04185A), on heavy atoms, as values
first: a flag reports that a limit is passed, never that a structure is wrong. Bounds of distances are
those of RDKit's distance geometry.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import gemmi
import numpy as np
from rdkit import Chem
from rdkit.Chem import rdDistGeom, rdShapeHelpers
from rdkit.Geometry import Point3D

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.tables import GEOMETRIES, JOINED, Row, format_value
from tethermap.fit.limits import limit

Links = Sequence[tuple[FloatArray, FloatArray]]

_RINGS = ("[ar5^2]1[ar5^2][ar5^2][ar5^2][ar5^2]1", "[ar6^2]1[ar6^2][ar6^2][ar6^2][ar6^2][ar6^2]1")
FLAT_RINGS = [Chem.MolFromSmarts(ring) for ring in _RINGS]
FLAT_BONDS = [Chem.MolFromSmarts("[C;X3;^2](*)(*)=[C;X3;^2](*)(*)")]
_TERMINAL = Chem.MolFromSmarts("[O,N;D1;$([O,N;D1]-[*]=[O,N;D1]),$([O,N;D1]=[*]-[O,N;D1])]~[*]")

VOLUME_SCALE = 0.8
"""Van der Waals radii are scaled by it for volumes, as PoseBusters does."""

BONDED_WITHIN = 2.0
"""Distance in angstroms from the ends of a bond between ligand and protein within which atoms are exempt from the check
of radii."""

_NONMETALS = frozenset({"H", "D", "B", "C", "N", "O", "F", "Si", "P", "S", "Cl", "As", "Se", "Br", "Te", "I"})


@dataclass(frozen=True, slots=True)
class Geometry:
    """Deviation of a ligand from a possible geometry; None if a value could not be measured.

    The fields are the columns of `tethermap.base.tables.GEOMETRIES` in their order.

    Parameters
    ----------
    bond, angle : float or None
        Greatest relative deviation of a bond and of a distance across an angle from its bounds; 0 within them.
    inner : float or None
        Least distance of atoms that are neither bonded nor across an angle, relative to its lower bound.
    ring, double_bond : float or None
        Greatest distance of an atom from the plane of its aromatic ring or double bond, in angstroms.
    contact : float or None
        Least distance to an atom around it, relative to the sum of the van der Waals radii (metals: covalent radii).
    overlap : float or None
        Fraction of its volume inside the surrounding atoms.
    """

    bond: float | None = None
    angle: float | None = None
    inner: float | None = None
    ring: float | None = None
    double_bond: float | None = None
    contact: float | None = None
    overlap: float | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of `tethermap.base.reasons.GEOMETRY_FLAGS` for the limits that are passed."""
        above = {"bond_length": self.bond, "bond_angle": self.angle, "ring_not_flat": self.ring,
                 "double_bond_not_flat": self.double_bond, "volume_overlap": self.overlap}  # fmt: skip
        below = {"internal_clash": self.inner, "protein_clash": self.contact}
        passed = [name for name, value in above.items() if value is not None and value > limit(name)]
        passed += [name for name, value in below.items() if value is not None and value < limit(name)]
        return tuple(sorted(passed))


class _BoundedPairs(NamedTuple):
    """Pairs of a ligand's atoms that have bounds, in angstroms, and the number of bonds between them."""

    first: IntArray
    second: IntArray
    lower: FloatArray
    upper: FloatArray
    path: FloatArray


class _Kind(NamedTuple):
    """Properties shared by all copies of a ligand, without hydrogens; no pairs if RDKit has no bounds."""

    symbols: tuple[str, ...]
    rings: list[IntArray]
    pairs: _BoundedPairs | None


def ligand_geometry(
    mol: Chem.Mol, around: FloatArray, elements: Sequence[str], links: Links = (), heavy: bytes | None = None
) -> Geometry:
    """Return the geometry of a ligand.

    Parameters
    ----------
    mol : Mol
        The sanitised ligand with its conformer, hydrogens after all other atoms; hydrogens are used only at double
        bonds.
    around : ndarray of float, shape (n_atoms, 3)
        Heavy atoms of the surroundings, in angstroms.
    elements : sequence of str
        Elements of the surrounding atoms.
    links : sequence of (ndarray, ndarray)
        Both ends of each bond to the surroundings.
    heavy : bytes, optional
        The ligand without hydrogens as RDKit's binary: copies with the same binary share the computed properties.
    """
    kind = _kind(heavy or Chem.RemoveAllHs(mol).ToBinary())
    xyz = mol.GetConformer().GetPositions()
    double_bond = _off_plane(xyz, _groups(mol, FLAT_BONDS))  # hydrogens show how the carbons are turned
    xyz = xyz[: len(kind.symbols)]
    bond, angle, inner = _distances(xyz, kind.pairs)
    contact, overlap = _room(mol, xyz, kind.symbols, around, elements, links)
    return Geometry(bond, angle, inner, _off_plane(xyz, kind.rings), double_bond, contact, overlap)


def geometry_cells(geometry: Geometry) -> Row:
    """Return the cells of a geometry (`tethermap.base.tables.GEOMETRIES`)."""
    names = (name for name in GEOMETRIES.names if name != "stem")
    return dict(zip(names, (*astuple(geometry), JOINED.join(geometry.flags)), strict=True))


def geometry_fields(geometry: Geometry) -> dict[str, str]:
    """Return the fields of a geometry in a ligand's SDF."""
    cells = geometry_cells(geometry)
    return {c.name: format_value(cells[c.name], c) for c in GEOMETRIES.columns if c.name in cells}


@lru_cache(maxsize=64)
def _kind(heavy: bytes) -> _Kind:
    mol = Chem.Mol(heavy)  # type: ignore[call-overload]
    Chem.SanitizeMol(mol)
    symbols = tuple(mol.GetAtomWithIdx(k).GetSymbol() for k in range(mol.GetNumAtoms()))
    return _Kind(symbols, _groups(mol, FLAT_RINGS), _bounded_pairs(mol, symbols))


def _bounded_pairs(mol: Chem.Mol, symbols: Sequence[str]) -> _BoundedPairs | None:
    if len(symbols) < 2:
        return None
    try:
        bounds = rdDistGeom.GetMoleculeBoundsMatrix(mol, True, True, True, False)
    except (RuntimeError, ValueError):  # RDKit has no bounds that agree with each other
        return None
    first, second = np.triu_indices(len(symbols), k=1)
    upper, lower = bounds[first, second], bounds[second, first]
    path = Chem.GetDistanceMatrix(mol)[first, second]
    _even_out(mol, symbols, lower, upper)
    known = (lower > 0) & (upper > 0)  # missing for atoms without a type in RDKit's force field
    for metal in (atom for atom, symbol in zip(mol.GetAtoms(), symbols, strict=True) if symbol not in _NONMETALS):
        bonded = np.zeros(len(symbols), dtype=np.bool_)  # to one metal: the bounds ignore its coordination
        bonded[[other.GetIdx() for other in metal.GetNeighbors()]] = True
        known &= ~(bonded[first] & bonded[second])
    return _BoundedPairs(first[known], second[known], lower[known], upper[known], path[known])


def _distances(xyz: FloatArray, pairs: _BoundedPairs | None) -> tuple[float | None, float | None, float | None]:
    """Return the greatest deviation of bonds and of angles, and the least relative distance of other pairs."""
    if pairs is None:
        return None, None, None
    first, second, lower, upper, path = pairs
    distance = np.linalg.norm(xyz[first] - xyz[second], axis=1)
    deviation = np.maximum(np.maximum(lower - distance, 0.0) / lower, np.maximum(distance - upper, 0.0) / upper)
    far = distance[path > 2] / lower[path > 2]
    bond, angle = (float(some.max()) if len(some := deviation[path == bonds]) else None for bonds in (1, 2))
    return bond, angle, float(far.min()) if len(far) else None


def _even_out(mol: Chem.Mol, symbols: Sequence[str], lower: FloatArray, upper: FloatArray) -> None:
    """Give both bonds of a carboxylate or amidine the bounds of either: the position of the double bond has no meaning.

    Bounds are those of all pairs, by their first atoms.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for first, second in map(sorted, mol.GetSubstructMatches(_TERMINAL)):
        before = first * (2 * len(symbols) - first - 1) // 2  # pairs with a lower first atom
        groups.setdefault(tuple(sorted((symbols[first], symbols[second]))), []).append(before + second - first - 1)
    for members in groups.values():
        lower[members], upper[members] = lower[members].min(), upper[members].max()


def _groups(mol: Chem.Mol, patterns: Sequence[Chem.Mol]) -> list[IntArray]:
    """Return the atoms of all groups that match each pattern, shape (n_groups, n_atoms)."""
    matches = (mol.GetSubstructMatches(pattern) for pattern in patterns)
    return [np.array(groups) for groups in matches if groups]


def _off_plane(xyz: FloatArray, flat: Sequence[IntArray]) -> float | None:
    """Return the largest distance of an atom of a flat group to its plane, in angstroms; None without such a group."""
    worst = []
    for atoms in flat:
        groups = xyz[atoms]
        groups -= groups.mean(axis=1, keepdims=True)
        normals = np.linalg.svd(groups)[2][:, -1]
        worst += [float(np.abs(points @ normal).max()) for points, normal in zip(groups, normals, strict=True)]
    return max(worst, default=None)


def _room(
    mol: Chem.Mol, xyz: FloatArray, symbols: Sequence[str], around: FloatArray, elements: Sequence[str], links: Links
) -> tuple[float | None, float | None]:
    """Return the smallest relative distance to the surroundings, and the fraction of volume inside them."""
    if not len(around):
        return None, None
    metal = np.array([element not in _NONMETALS for element in elements], dtype=np.bool_)
    radii = np.array([_radius(element) for element in elements])
    sums = np.array([_radius(symbol) for symbol in symbols])[:, None] + radii
    if metal.any():
        covalent = np.array([_radius(symbol, covalent=True) for symbol in symbols])[:, None]
        sums[:, metal] = covalent + np.array([_radius(e, covalent=True) for e in np.asarray(elements)[metal]])
    # One small table per axis instead of a large one.
    distance = np.sqrt(sum((xyz[:, axis, None] - around[:, axis]) ** 2 for axis in range(3)))
    for own, partner in links:
        beside = np.linalg.norm(xyz - own, axis=1) < BONDED_WITHIN
        distance[np.ix_(beside, np.linalg.norm(around - partner, axis=1) < BONDED_WITHIN)] = np.inf
    # An atom without an element has no radius: its distances are not measured.
    relative = np.divide(distance, sums, out=np.full_like(distance, np.inf), where=sums > 0)
    contact = float(relative.min())
    inside = np.flatnonzero((relative < VOLUME_SCALE).any(axis=0) & ~metal)
    overlap = _overlap(mol, around[inside], [elements[k] for k in inside.tolist()]) if len(inside) else 0.0
    return (contact if np.isfinite(contact) else None), overlap


def _overlap(mol: Chem.Mol, around: FloatArray, elements: Sequence[str]) -> float:
    other = Chem.RWMol()
    conformer = Chem.Conformer(len(around))
    for k, (element, place) in enumerate(zip(elements, around.tolist(), strict=True)):
        other.AddAtom(Chem.Atom("H" if element == "D" else element))
        conformer.SetAtomPosition(k, Point3D(*place))
    other.AddConformer(conformer)
    value = rdShapeHelpers.ShapeTverskyIndex(Chem.RemoveAllHs(mol), other, 1.0, 0.0, vdwScale=VOLUME_SCALE)
    return float(value)


@cache
def _radius(element: str, *, covalent: bool = False) -> float:
    table, number = Chem.GetPeriodicTable(), gemmi.Element(element).atomic_number
    return float(table.GetRcovalent(number) if covalent else table.GetRvdw(number))
