"""The contexts of one instance: which atoms surround it in chain, target, assembly and crystal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray, IntArray
from tethermap.base.contexts import CONTEXTS
from tethermap.complex.placement import DEPOSITED, Placement, Sphere
from tethermap.complex.scene import Body, Copy, Scene, View
from tethermap.entry.near import distances
from tethermap.instance.backbone import TOUCHES_WITHIN

CHAIN, TARGET, ASSEMBLY, CRYSTAL = range(len(CONTEXTS))

OVERLAP = 1.0
"""Heavy atoms nearer than this coincide: alternates or a special position, never bonded; in angstroms."""


@dataclass(frozen=True, eq=False)
class NearCopy(Copy):
    """A copy of a body near an instance.

    Parameters
    ----------
    near : ndarray of int, shape (n_near,)
        Its atoms within the reach of the search, in its conformer: indices in the entry's `Atoms`, ascending.
    apart : ndarray of float, shape (n_near,)
        Distance of each to the nearest heavy atom of the instance, in angstroms.
    """

    near: IntArray
    apart: FloatArray


@dataclass(frozen=True, eq=False)
class Around:
    """All surroundings of an instance.

    Parameters
    ----------
    view : View
        The assembly that contains it.
    copies : tuple of NearCopy
        Bodies with an atom near enough to matter, nearest contexts first, and in them the nearest chains.
    targets : frozenset of str
        label_asym_id of all target chains.
    """

    view: View
    copies: tuple[NearCopy, ...]
    targets: frozenset[str]

    @cached_property
    def _near_targets(self) -> list[NearCopy]:
        chains = (copy for copy in self.copies if copy.level <= TARGET and not copy.body.parents)
        return [copy for copy in chains if copy.body.asym in self.targets]

    @property
    def target_distance(self) -> float:
        """Distance of the nearest heavy atom of a target chain in angstroms; infinite if there is none nearby."""
        return self._near_targets[0].distance if self._near_targets else float("inf")

    @property
    def target_chains(self) -> tuple[str, ...]:
        """label_asym_id of the nearby target chains, the nearest first."""
        return tuple(dict.fromkeys(copy.body.asym for copy in self._near_targets))

    @property
    def has_nucleic_acid(self) -> bool:
        """Whether nucleic acid outside the target touches the instance and is part of the context ``target``."""
        beside = (copy.body for copy in self.copies if copy.level == TARGET and not copy.body.parents)
        return any(body.asym not in self.targets for body in beside)

    def within(self, reach: float) -> Around:
        """Return the part of it within a smaller distance, in angstroms."""
        return replace(self, copies=tuple(copy for copy in self.copies if copy.distance < reach))


class _Surrounded(NamedTuple):
    """Search data of an instance: its heavy atoms, their sphere, its residues, its conformer."""

    xyz: FloatArray
    sphere: Sphere
    own: frozenset[int]
    mask: BoolArray


class ContextFinder:
    """Finds the surroundings of the instances of one entry.

    Parameters
    ----------
    scene : Scene
        The entry's bodies.
    targets : iterable of str
        label_asym_id of its target chains.
    reach : float
        Distance up to which bodies matter, in angstroms.
    beside : float
        Distance within which a chain may determine the assembly of a ligand that is in none, in angstroms.
    """

    def __init__(self, scene: Scene, targets: Iterable[str], reach: float, beside: float) -> None:
        self._scene = scene
        self._targets = frozenset(targets)
        self._reach = reach
        self._beside = beside

    def around(self, xyz: FloatArray, asym: str, own: frozenset[int], label: bytes) -> Around:
        """Return the surroundings of one instance.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_atoms, 3)
            Heavy atoms of the instance, in angstroms.
        asym : str
            label_asym_id of the instance.
        own : frozenset of int
            Its residues, which don't surround themselves.
        label : bytes
            Label of its conformer.
        """
        scene = self._scene
        view = scene.view(asym, partial(self._nearest_chain, xyz))
        ligand = _Surrounded(xyz, Sphere.around(xyz), own, scene.mask(label))
        others = [body for body in scene.chains.values() if not body.residues & own]
        found = [self._near(body, place, ligand) for body in others for place in view.places.get(body.asym, [])]
        near = sorted(filter(None, found), key=lambda copy: copy.distance)
        nearest = next((copy for copy in near if copy.body.asym in self._targets), None)
        copies = [replace(copy, level=self._level(copy.body, copy.placement, nearest, copy.distance)) for copy in near]
        reach = self._reach + 2 * max((body.radius for body in scene.hets), default=0.0)
        images = {asym: scene.images(body, view, ligand.sphere, reach) for asym, body in scene.chains.items()}
        copies += filter(None, (self._near(body, image, ligand) for body in others for image in images[body.asym]))
        copies += self._hets(ligand, view, images, nearest)
        return Around(view, tuple(sorted(copies, key=lambda copy: copy.level)), self._targets)

    def _nearest_chain(self, xyz: FloatArray) -> str:
        """Return the chain nearest to a ligand in deposited coordinates, empty if there is none nearby."""
        best: tuple[float, str] = (self._beside, "")
        for asym, body in self._scene.chains.items():
            index, distance = body.atoms.nearest(xyz, best[0])
            if len(index):
                best = min(best, (float(distance.min()), asym))
        return best[1]

    def _near(self, body: Body, placement: Placement, ligand: _Surrounded, level: int = CRYSTAL) -> NearCopy | None:
        """Return a copy of a body with its atoms near a ligand, None if there are none."""
        centre = placement.apply(body.centre[None])[0]
        if math.dist(centre, ligand.sphere.centre) > body.radius + ligand.sphere.radius + self._reach:
            return None
        index, distance = body.atoms.nearest(placement.undo(ligand.xyz), self._reach)
        kept = ligand.mask[index]
        index, distance = index[kept], distance[kept]
        return NearCopy(body, placement, level, float(distance.min()), index, distance) if len(index) else None

    def _level(self, body: Body, placement: Placement, nearest: Copy | None, distance: float = float("inf")) -> int:
        if nearest and body is nearest.body and placement is nearest.placement:
            return CHAIN
        beside = distance <= TOUCHES_WITHIN and body.asym in self._scene.nucleic_acids
        return TARGET if beside or body.asym in self._targets else ASSEMBLY

    def _hets(
        self, ligand: _Surrounded, view: View, images: Mapping[str, list[Placement]], nearest: Copy | None
    ) -> Iterator[NearCopy]:
        """Yield the metals, cofactors and glycans that accompany the chains near the ligand.

        A body on an axis occurs only once, in its deposited place if possible.
        """
        for body in self._scene.hets:
            placements: list[tuple[int, Placement]] = []
            for parent in body.parents:
                chain = self._scene.chains[parent]
                placements.extend((self._level(chain, p, nearest), p) for p in view.places.get(parent, []))
                placements.extend((CRYSTAL, image) for image in images[parent])
            deposited = any(not placement.name for _, placement in placements)
            placed: list[Placement] = []
            standing = [DEPOSITED] if body.residues & ligand.own else []
            for level, placement in sorted(placements, key=lambda one: one[0]):
                if any(placement.same_as(other, body.centre) for other in placed):
                    continue
                placed.append(placement)
                if (copy := self._near(body, placement, ligand, level)) is None:
                    continue
                if any(coincide(self._scene, body, placement, other) for other in standing):
                    continue
                if placement.name and deposited and coincide(self._scene, body, placement, DEPOSITED):
                    copy = self._near(body, DEPOSITED, ligand, level) or copy
                standing.append(copy.placement)
                yield copy


def coincide(scene: Scene, body: Body, first: Placement, second: Placement) -> bool:
    """Return whether two motions move a metal, cofactor or glycan to one place, rotated about its axis or not.

    Parameters
    ----------
    scene : Scene
        The entry's bodies.
    body : Body
        One of few atoms.
    first, second : Placement
        They agree when each atom of either copy has one of the other in its place.
    """
    if first is second or first.same_as(second, body.centre):
        return True
    xyz = scene.atoms.xyz[body.atoms.index]
    middle = xyz.mean(axis=0)[None]
    if float(np.linalg.norm(first.apply(middle) - second.apply(middle))) > OVERLAP:
        return False
    apart = distances(first.apply(xyz), second.apply(xyz))
    return bool(max(apart.min(axis=0).max(), apart.min(axis=1).max()) < OVERLAP)


def beside(scene: Scene, copy: Copy, xyz: FloatArray, label: bytes) -> Copy | None:
    """Return a copy without its residues in a ligand's own place, None when none is left.

    Parameters
    ----------
    scene : Scene
        The entry's bodies.
    copy : Copy
        An image of a chain, or a metal, cofactor or glycan.
    xyz : ndarray of float, shape (n_ligand, 3)
        The ligand's heavy atoms, in angstroms.
    label : bytes
        Label of its conformer.
    """
    index, _ = copy.body.atoms.nearest(copy.placement.undo(xyz), OVERLAP)
    index = index[scene.mask(label)[index]]
    return scene.without(copy, scene.atoms.residue[index]) if len(index) else copy


@dataclass(frozen=True, eq=False)
class AtomsAround:
    """Atoms of copies near a ligand, each field of shape (n_atoms,).

    Parameters
    ----------
    index : ndarray of int
        Index in the entry's `Atoms`.
    xyz : ndarray of float, shape (n_atoms, 3)
        Their coordinates, in angstroms.
    level : ndarray of int
        Smallest context that contains them.
    copy : tuple of str
        Names of their placements.
    distance : ndarray of float
        From the ligand's nearest atom, in angstroms.
    overlaps : bool
        Whether images in the ligand's own place were omitted.
    """

    index: IntArray
    xyz: FloatArray
    level: IntArray
    copy: tuple[str, ...]
    distance: FloatArray
    overlaps: bool

    def within(self, reach: FloatArray) -> AtomsAround:
        """Return the atoms within a separate cut-off for each atom of the entry, in angstroms."""
        near = self.distance < reach[self.index]
        columns = self.index[near], self.xyz[near], self.level[near], tuple(compress(self.copy, near.tolist()))
        return AtomsAround(*columns, self.distance[near], self.overlaps)


def atoms_around(scene: Scene, around: Around, reach: float) -> AtomsAround:
    """Return the atoms near enough to a ligand to matter, in its conformer.

    Residues of images and of metals, cofactors and glycans in the ligand's own place are omitted.

    Parameters
    ----------
    scene : Scene
        The entry's bodies.
    around : Around
        Surroundings of the ligand.
    reach : float
        Distance up to which atoms matter, at most the reach of their search, in angstroms.
    """
    nothing = np.zeros(0, dtype=np.int64), np.zeros((0, 3)), CHAIN, "", np.zeros(0)
    parts: list[tuple[IntArray, FloatArray, int, str, FloatArray]] = [nothing]
    overlaps = False
    for copy in around.copies:
        kept = copy.apart < reach
        if (copy.placement.name or copy.body.parents) and copy.distance < OVERLAP:
            overlaps |= bool(copy.placement.name)
            residues = scene.atoms.residue[copy.near]
            kept &= ~np.isin(residues, residues[copy.apart < OVERLAP])
        index = copy.near[kept]
        found = copy.placement.apply(scene.atoms.xyz[index])
        parts.append((index, found, copy.level, copy.placement.name, copy.apart[kept]))
    indices, places, level, names, distance = zip(*parts, strict=True)
    counts = [len(part) for part in indices]
    return AtomsAround(
        index=np.concatenate(indices),
        xyz=np.concatenate(places),
        level=np.repeat(np.array(level, dtype=np.int64), counts),
        copy=tuple(name for name, count in zip(names, counts, strict=True) for _ in range(count)),
        distance=np.concatenate(distance),
        overlaps=overlaps,
    )


def on_special_position(scene: Scene, xyz: FloatArray) -> bool:
    """Return whether a symmetry image of a ligand coincides with the ligand.

    Parameters
    ----------
    scene : Scene
        The entry's crystal.
    xyz : ndarray of float, shape (n_atoms, 3)
        The ligand's heavy atoms, in angstroms.
    """
    if scene.crystal is None:
        return False
    centre, radius = Sphere.around(xyz)
    images = scene.crystal.images(centre, radius, centre, radius + OVERLAP)
    return any((distances(image.apply(xyz), xyz) < OVERLAP).any() for image in images if image.name)
