"""Rigid copies of chains: biological assemblies and crystal images."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, cast

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.entry.near import box_around, squared_distances

SAME_ROTATION = 1e-2
"""Largest difference between elements of two rotation matrices that count as one (0.6 degrees): strict
non-crystallographic operators agree with crystal symmetry no better."""

SAME_PLACE = 0.5
"""Largest distance in angstroms between the centres of two copies that count as one; operators of
assemblies are rounded to three decimals, which moves an atom 100 A from the origin by 0.1 A."""

MOST_CELLS, MOST_IMAGES = 10_000, 5_000
"""Maximum number of cells around a ligand, and of images of a body near it, that are searched; the largest observed are
245 and 100."""

LEAST_ROOM = 7.0
"""Smallest volume of the cell per heavy atom in it, in cubic angstroms: packed protein needs 17."""

LARGEST_CELL = 1e12
"""Volume in cubic angstroms that no cell has; the largest are 2e9."""

LARGEST_TURN, FARTHEST_SHIFT = 1.1, 1e6
"""Largest element of a rotation matrix, 1 but for rounding, and of a shift in angstroms."""

CRYSTAL_METHODS = ("X-RAY", "NEUTRON")
"""Methods whose cell describes a real crystal packing."""


@dataclass(frozen=True, eq=False)
class Placement:
    """A rigid motion of the deposited coordinates: x -> rotation x + translation.

    Parameters
    ----------
    rotation : ndarray of float, shape (3, 3)
        Rotation matrix.
    translation : ndarray of float, shape (3,)
        In angstroms.
    name : str
        Empty for the deposited place, else the operator's name.
    """

    rotation: FloatArray
    translation: FloatArray
    name: str

    @cached_property
    def _elements(self) -> list[float]:
        """The nine elements of the rotation matrix."""
        return self.rotation.ravel().tolist()

    def apply(self, xyz: FloatArray) -> FloatArray:
        """Return moved coordinates, shape (n, 3) in angstroms."""
        if not self.name:
            return xyz
        return xyz @ self.rotation.T + self.translation

    def undo(self, xyz: FloatArray) -> FloatArray:
        """Return coordinates moved back, shape (n, 3) in angstroms."""
        if not self.name:
            return xyz
        return (xyz - self.translation) @ self.rotation

    def after_undoing(self, other: Placement) -> Placement:
        """Return this motion after undoing `other`: other^-1 this."""
        if not other.name:
            return self
        rotation = other.rotation.T @ self.rotation
        translation = other.rotation.T @ (self.translation - other.translation)
        return _moved(rotation, translation, self.name or f"{other.name}^-1")

    def same_as(self, other: Placement, centre: FloatArray) -> bool:
        """Return whether two motions put a body with this centre in the same place."""
        if self is other:
            return True
        for own, others in zip(self._elements, other._elements, strict=True):  # the first usually differs
            if abs(own - others) > SAME_ROTATION:
                return False
        return math.dist(self.apply(centre[None])[0], other.apply(centre[None])[0]) < SAME_PLACE


class Sphere(NamedTuple):
    """Middle of the box around some atoms, shape (3,), and the distance of the farthest from it; in angstroms."""

    centre: FloatArray
    radius: float

    @classmethod
    def around(cls, xyz: FloatArray) -> Sphere:
        """Return the sphere of atoms with these coordinates, shape (n, 3)."""
        low, high = box_around(xyz)
        centre = (low + high) / 2
        return cls(centre, float(np.sqrt(squared_distances(xyz, centre[None]).max())))


DEPOSITED = Placement(np.eye(3), np.zeros(3), "")
"""The deposited place."""


def _moved(rotation: FloatArray, translation: FloatArray, name: str) -> Placement:
    """Return a motion, `DEPOSITED` if it leaves everything in place."""
    stays = np.abs(rotation - np.eye(3)).max() < 1e-4 and np.abs(translation).max() < 1e-2
    return DEPOSITED if stays else Placement(rotation, translation, name)


def placement(transform: gemmi.Transform, name: str) -> Placement:
    """Return a gemmi transform as a placement; the identity is `DEPOSITED`."""
    rotation, translation = (np.array(part.tolist(), dtype=np.float64) for part in (transform.mat, transform.vec))
    return _moved(rotation, translation, name)


def is_rigid(transform: gemmi.Transform) -> bool:
    """Return whether a transform is a rotation and a shift only, within the precision of its rounded numbers."""
    turn, shift = (float(np.abs(part.tolist()).max()) for part in (transform.mat, transform.vec))
    return turn <= LARGEST_TURN and shift <= FARTHEST_SHIFT


class Assemblies:
    """The biological assemblies of an entry.

    Parameters
    ----------
    structure : gemmi.Structure
        With its assemblies.
    chain_of : dict of str to str
        Author chain of each label_asym_id (gemmi's subchain).

    Attributes
    ----------
    found : list of (str, dict)
        Name of each assembly and the copies of each label_asym_id, in the order of the entry.
    """

    def __init__(self, structure: gemmi.Structure, chain_of: dict[str, str]) -> None:
        self.found: list[tuple[str, dict[str, list[Placement]]]] = []
        for assembly in structure.assemblies:
            if not all(is_rigid(operator.transform) for part in assembly.generators for operator in part.operators):
                continue
            members: dict[str, list[Placement]] = {}
            for generator in assembly.generators:
                operators = [placement(operator.transform, operator.name) for operator in generator.operators]
                subchains = list(generator.subchains)
                chains = set(generator.chains)
                subchains += [asym for asym, chain in chain_of.items() if chain in chains and asym not in subchains]
                for asym in subchains:
                    members.setdefault(asym, []).extend(operators)
            self.found.append((assembly.name, members))

    def holding(self, asym: str) -> tuple[str, dict[str, list[Placement]]] | None:
        """Return the first assembly with a chain, moved so that this chain is in its deposited place.

        Returns
        -------
        name : str
            Name of the assembly.
        copies : dict of str to list of Placement
            Copies of each label_asym_id.
        None
            When no assembly contains the chain.
        """
        for name, members in self.found:
            if own := members.get(asym):
                origin = next((p for p in own if not p.name), own[0])
                return name, {other: [p.after_undoing(origin) for p in parts] for other, parts in members.items()}
        return None


@lru_cache(maxsize=64)
def _steps(along_a: int, along_b: int, along_c: int) -> FloatArray:
    """Return the shifts by a number of cells in each direction, shape (n_cells, 3)."""
    ranges = (np.arange(-cells, cells + 1.0) for cells in (along_a, along_b, along_c))
    return np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)


class Crystal:
    """The symmetry images of the deposited coordinates.

    Parameters
    ----------
    structure : gemmi.Structure
        With cell and strict non-crystallographic symmetry.
    """

    def __init__(self, structure: gemmi.Structure, group: gemmi.SpaceGroup) -> None:
        cell = structure.cell
        self._orth = np.array(cell.orth.mat.tolist(), dtype=np.float64)
        self._frac = np.array(cell.frac.mat.tolist(), dtype=np.float64)
        self._frac_shift = np.array(cell.frac.vec.tolist(), dtype=np.float64)
        self._orth_shift = np.array(cell.orth.vec.tolist(), dtype=np.float64)
        # Distance between lattice planes: the smallest shift by one cell.
        self._operations = np.array([op.seitz() for op in group.operations()], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # `holds` rejects the result
            self._spacing = 1.0 / np.linalg.norm(self._frac, axis=1)
            self._rotations = [self._orth @ operation[:3, :3] @ self._frac for operation in self._operations]
            self._shifts = [operation[:3, :3] @ self._frac_shift + operation[:3, 3] for operation in self._operations]
        self._ncs = [DEPOSITED] + [
            placement(ncs.tr, f"ncs{ncs.id}") for ncs in structure.ncs if not ncs.given and is_rigid(ncs.tr)
        ]

    @staticmethod
    def of(structure: gemmi.Structure, methods: tuple[str, ...]) -> Crystal | None:
        """Return the crystal of an entry; None if it is not a crystal: NMR, microscopy, a dummy cell, unknown group.

        Files from before EXPDTA was required name no method; their cell decides.
        """
        real = not methods or any(method.startswith(CRYSTAL_METHODS) for method in methods)
        group = cast("gemmi.SpaceGroup | None", structure.find_spacegroup())
        return None if group is None or not real or not structure.cell.is_crystal() else Crystal(structure, group)

    def holds(self, reach: float, atoms: int) -> bool:
        """Return whether the bodies of an entry can be packed into the cell.

        Parameters
        ----------
        reach : float
            Largest distance between the centres of two touching bodies, in angstroms.
        atoms : int
            Number of heavy atoms of the polymers as deposited.

        Returns
        -------
        bool
            False for a cell without room for the atoms of all images, or so flat, or bodies so
            scattered, that a body would have thousands of images near a ligand.
        """
        with np.errstate(all="ignore"):
            volume = abs(float(np.linalg.det(self._orth)))
        shifts = np.abs(np.concatenate([self._orth_shift, self._frac_shift]))
        if not (shifts <= FARTHEST_SHIFT).all() or not (
            0 < volume < LARGEST_CELL and np.isfinite(self._spacing).all() and (self._spacing > 0).all()
        ):
            return False
        cells = 2.0 * np.ceil(reach / self._spacing) + 1.0
        copies = len(self._operations) * len(self._ncs)
        images = 4.0 / 3.0 * np.pi * reach**3 * copies / volume
        room = volume >= LEAST_ROOM * copies * atoms
        return bool(room and np.prod(cells) <= MOST_CELLS and images <= MOST_IMAGES)

    def images(self, centre: FloatArray, radius: float, point: FloatArray, reach: float) -> list[Placement]:
        """Return the images of a body that come near a point, the deposited one included.

        Parameters
        ----------
        centre : ndarray of float, shape (3,)
            Centre of the body, in angstroms.
        radius : float
            Radius of the sphere that contains the body.
        point : ndarray of float, shape (3,)
            Where to look.
        reach : float
            Largest distance of the sphere from the point.

        Returns
        -------
        list of Placement
        """
        placed: list[Placement] = []
        cells = np.ceil((radius + reach) / self._spacing).astype(int)
        steps = _steps(*cells.tolist())
        target = self._frac @ point + self._frac_shift
        for ncs in self._ncs:
            body = self._frac @ ncs.apply(centre[None])[0] + self._frac_shift
            moved = self._operations[:, :3, :3] @ body + self._operations[:, :3, 3]
            base = np.round(target - moved)
            offsets = ((moved + base)[:, None] + steps - target) @ self._orth.T
            near = np.einsum("ijk,ijk->ij", offsets, offsets) < (radius + reach) ** 2
            for number, step in zip(*(places.tolist() for places in near.nonzero()), strict=True):
                image = self._placement(number, base[number] + steps[step], ncs, centre)
                # Non-crystallographic symmetry can repeat what the space group has made.
                if not (self._ncs[1:] and any(image.same_as(other, centre) for other in placed)):
                    placed.append(image)
        return placed

    def _placement(self, operation: int, shift: FloatArray, ncs: Placement, centre: FloatArray) -> Placement:
        rotation = self._rotations[operation]
        translation = self._orth @ (self._shifts[operation] + shift) + self._orth_shift
        if ncs.name:
            translation = rotation @ ncs.translation + translation
            rotation = rotation @ ncs.rotation
        cells = "".join(str(5 + n) if 0 <= 5 + n <= 9 else f"({n})" for n in map(int, shift.tolist()))
        image = Placement(rotation, translation, f"{operation + 1}_{cells}{'_' + ncs.name if ncs.name else ''}")
        return DEPOSITED if image.same_as(DEPOSITED, centre) else image
