"""The bodies of an entry around a ligand, and the places of their copies."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.elements import is_metal
from tethermap.complex.limits import COFACTOR_REACH, METAL_REACH
from tethermap.complex.placement import DEPOSITED, Assemblies, Crystal, Placement, Sphere
from tethermap.entry.atoms import WATER, Atoms, letter_counts, text
from tethermap.entry.near import NearAtoms
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.conformer import Conformers
from tethermap.instance.find import Residues
from tethermap.instance.kinds import NUCLEOTIDES

CRYSTAL_REACH = 30.0
"""More than any context reaches, in angstroms."""


@dataclass(frozen=True, eq=False)
class Body:
    """Atoms that move together: a polymer chain, or a metal, cofactor or glycan with its chains.

    Parameters
    ----------
    asym : str
        label_asym_id of the chain (gemmi's own for PDB files); of its first residue for others.
    atoms : NearAtoms
        Its heavy atoms, all conformers.
    centre : ndarray of float, shape (3,)
        Middle of its box, in angstroms.
    radius : float
        Radius of the sphere around `centre` that contains it.
    parents : tuple of str
        Chains that it accompanies; empty for a chain.
    residues : frozenset of int
        Residues of a het body or a peptide; empty for other chains.
    """

    asym: str
    atoms: NearAtoms
    centre: FloatArray
    radius: float
    parents: tuple[str, ...] = ()
    residues: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy of a body in one context.

    Parameters
    ----------
    body : Body
        What.
    placement : Placement
        Where.
    level : int
        Index in `tethermap.base.contexts.CONTEXTS` of the smallest context that contains it.
    distance : float
        Distance of its nearest heavy atom to the ligand, in angstroms.
    """

    body: Body
    placement: Placement
    level: int
    distance: float


class View(NamedTuple):
    """The biological assembly relative to one instance, which is in its deposited place.

    Parameters
    ----------
    assembly : str
        Name of the assembly, empty if the asymmetric unit is used instead.
    places : dict of str to list of Placement
        Copies of each label_asym_id.
    """

    assembly: str
    places: dict[str, list[Placement]]


class Scene:
    """All bodies of one entry, its assemblies and its crystal."""

    def __init__(self, entry: Entry, residues: Residues, groups: Iterable[HetGroup]) -> None:
        self.entry = entry
        self.atoms: Atoms = entry.atoms
        self.mask = Conformers(entry.atoms).mask  # the atoms of the conformer that matches a ligand's label
        self.in_polymer = residues.polymer[self.atoms.residue]
        self.chains = {body.asym: body for body in self._chains(residues)}
        starts = self.atoms.starts
        names = zip(self.atoms.label_asym_id[starts].tolist(), self.atoms.auth_asym_id[starts].tolist(), strict=True)
        self.chain_names = {text(asym): text(chain) for asym, chain in dict.fromkeys(names)}
        self.hets = [body for group in groups if (body := self._het(group)) is not None]
        self.assemblies = Assemblies(entry.structure, self.chain_names)
        crystal = Crystal.of(entry.structure, entry.metadata.methods) if entry.in_crystal_frame else None
        self.crystal = crystal if crystal is not None and crystal.holds(*self._packed(residues)) else None

    @cached_property
    def nucleic_acids(self) -> frozenset[str]:
        """Names of the chains with nucleotides."""
        starts = self.atoms.starts
        codes = np.isin(self.atoms.comp_id[starts], [name.encode() for name in NUCLEOTIDES])
        return frozenset(map(text, np.unique(self.atoms.label_asym_id[starts[codes]]))) & self.chains.keys()

    @cached_property
    def amines(self) -> IntArray:
        """NZ atoms of lysines, all conformers."""
        return np.flatnonzero((self.atoms.name == b"NZ") & (self.atoms.comp_id == b"LYS"))

    @cached_property
    def waters(self) -> IntArray:
        """Oxygens of waters, all conformers."""
        return np.flatnonzero((self.atoms.entity_type == WATER) & (self.atoms.element == b"O"))

    def _packed(self, residues: Residues) -> tuple[float, int]:
        """Return the largest distance between the centres of a touching chain and ligand, and the polymers' atoms."""
        chain = max((body.radius for body in self.chains.values()), default=0.0)
        xyz = self.atoms.xyz
        starts = self.atoms.starts
        spans = (np.maximum.reduceat(xyz, starts) - np.minimum.reduceat(xyz, starts))[residues.het]
        alternates = letter_counts(self.atoms.altloc[residues.polymer_atoms])
        return chain + 2 * float(spans.max(initial=0.0)) + CRYSTAL_REACH, int(alternates.max())

    def _chains(self, residues: Residues) -> Iterable[Body]:
        atoms, members = self.atoms, residues.polymer_atoms
        asyms, of_residue = np.unique(atoms.label_asym_id[atoms.starts], return_inverse=True)
        which = of_residue[atoms.residue[members]]
        chains, first = np.unique(which, return_index=True)
        for chain in chains[np.argsort(first)].tolist():
            asym, own = text(asyms[chain]), members[which == chain]
            peptide = frozenset(atoms.residue[own].tolist()) if asym in residues.short else frozenset()
            yield self._body(asym, own, residues=peptide)

    def _body(
        self, asym: str, members: IntArray, parents: tuple[str, ...] = (), residues: frozenset[int] = frozenset()
    ) -> Body:
        xyz = self.atoms.xyz[members]
        return Body(asym, NearAtoms(self.atoms.xyz, members), *Sphere.around(xyz), parents, residues)

    def _het(self, group: HetGroup) -> Body | None:
        """Return a metal, cofactor or glycan as a body, None if no context contains it."""
        members = np.concatenate([np.arange(*self.atoms.at(r).indices(len(self.atoms))[:2]) for r in group.residues])
        members = members[self.atoms.heavy[members]].astype(np.int64)
        if not len(members):  # only hydrogens
            return None
        if group.kind in ("cofactor", "glycan", "modified_residue"):
            reach = COFACTOR_REACH
        elif group.kind == "ion" and is_metal(text(self.atoms.element[members[0]])):
            reach = METAL_REACH
        else:
            return None
        xyz = self.atoms.xyz[members]
        parents = tuple(asym for asym, body in self.chains.items() if len(body.atoms.nearest(xyz, reach)[0]))
        asym = text(self.atoms.label_asym_id[members[0]])
        return self._body(asym, members, parents, frozenset(group.residues)) if parents else None

    def view(self, asym: str, nearest_chain: Callable[[], str]) -> View:
        """Return the assembly that contains an instance, the asymmetric unit when none is given.

        Parameters
        ----------
        asym : str
            label_asym_id of the instance.
        nearest_chain : callable
            Returns the label_asym_id of the nearest polymer, used if no assembly contains the instance's own.
        """
        found = self.assemblies.holding(asym) or self.assemblies.holding(nearest_chain())
        if found is None:
            return View("", {name: [DEPOSITED] for name in self.chains})
        name, places = found
        return View(name, {asym: placements for asym, placements in places.items() if asym in self.chains})

    def images(self, body: Body, view: View, ligand: Sphere, reach: float) -> list[Placement]:
        """Return the places of a body near a ligand in the crystal but not in the assembly.

        Parameters
        ----------
        ligand : Sphere
            Sphere around the ligand's atoms.
        reach : float
            How near an atom must come to matter, in angstroms.
        """
        if self.crystal is None:
            return []
        known = view.places.get(body.asym, [])
        images = self.crystal.images(body.centre, body.radius, ligand.centre, ligand.radius + reach)
        return [image for image in images if not any(image.same_as(other, body.centre) for other in known)]

    def without(self, copy: Copy, residues: IntArray) -> Copy | None:
        """Return a copy without some of its residues, None when no other has an atom."""
        body = copy.body
        members = body.atoms.members[~np.isin(self.atoms.residue[body.atoms.members], residues)]
        left = self._body(body.asym, members, body.parents, body.residues) if len(members) else None
        return replace(copy, body=left) if left else None
