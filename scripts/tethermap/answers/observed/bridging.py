"""Ligands between two proteins, such as degraders in ternary complexes: found by areas, split at both ends."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.answers.observed.limits import LEAST_COVERED, LEAST_HALF
from tethermap.answers.observed.split import ObservedExit, observed_exit
from tethermap.base.arrays import BoolArray, FloatArray
from tethermap.base.contexts import CONTEXTS
from tethermap.base.records import Source
from tethermap.entry.near import distances
from tethermap.exits.graph import LigandGraph, ring_systems
from tethermap.exposure.radii import PolymerRadii
from tethermap.exposure.sasa import Sasa
from tethermap.instance.model import Instance, Neighbourhood, Polymer
from tethermap.instance.store import json_line, of_plain
from tethermap.molecule.record import LigandMolecule

LEAST_OF_OWN = 0.5
"""Least share of its protein's covered area that a half must have (house rule)."""

TOUCHED_WITHIN, FEWEST_TOUCHED = 5.0, 6
"""Distance in angstroms, and fewest ligand atoms within it, for a protein to be tested: others cover too little."""


@dataclass(frozen=True, slots=True)
class BoundSide:
    """The part of a ligand that one of two proteins binds.

    Parameters
    ----------
    protein : Polymer
        The protein.
    areas : ndarray of float, shape (n_heavy,)
        Area of each atom that its chains cover without other proteins, in square angstroms.
    exit : ObservedExit or None
        End of its half; None if atoms between the halves were not observed.
    half : frozenset of int
        Atoms of its half.
    """

    protein: Polymer
    areas: FloatArray
    exit: ObservedExit | None
    half: frozenset[int]


@dataclass(frozen=True, slots=True)
class Bridging:
    """A ligand between its target and a partner.

    Parameters
    ----------
    target, partner : BoundSide
        Both parts of a ligand between two proteins.
    reason : str
        Code of `tethermap.base.reasons.OBSERVED_REASONS` if no exit is found, else empty.
    """

    target: BoundSide
    partner: BoundSide
    reason: str = ""

    @property
    def beyond_target(self) -> frozenset[int]:
        """Atoms that are not of the target's half: the linker and the partner's."""
        return frozenset(range(len(self.target.areas))) - self.target.half

    @property
    def bonds(self) -> tuple[tuple[int, int], ...]:
        """The observed exit of the target's half as its only item; empty if there is none."""
        seen = self.target.exit
        return () if seen is None or self.reason else ((seen.anchor, seen.linker_atom),)


def bridging_of(
    instance: Instance,
    molecule: LigandMolecule,
    graph: LigandGraph,
    around: Neighbourhood,
    incomplete: frozenset[int],
    radii: PolymerRadii,
    sasa: Sasa,
) -> Bridging | None:
    """Return the two proteins that bind a ligand, with their parts, None for other ligands.

    Parameters
    ----------
    around : Neighbourhood
        The atoms around it.
    incomplete : frozenset of int
        Atoms with a neighbour that was not observed.
    radii : PolymerRadii
        Radii of the atoms around ligands.
    sasa : Sasa
        The job's method.
    """
    if len(instance.polymers) < 2 or len(graph) < 2 * LEAST_HALF or len(ring_systems(graph)) < 2:
        return None
    in_assembly = around.context <= CONTEXTS.index("assembly")
    touching: dict[Polymer, BoolArray] = {}
    for polymer in instance.polymers:
        chosen = in_assembly & np.isin(around.auth_asym_id, polymer.chains)
        near = distances(around.xyz[chosen], graph.xyz).min(axis=0, initial=np.inf) < TOUCHED_WITHIN
        if int(near.sum()) >= FEWEST_TOUCHED:
            touching[polymer] = chosen
    if len(touching) < 2:
        return None
    own_radii = np.array([radii.table.of_atom(molecule.mol.GetAtomWithIdx(k)) for k in range(len(graph))])
    around_radii = radii.of_all(around.comp_id, around.atom_name, around.element)
    free = sasa.areas(graph.xyz, own_radii, len(graph))
    areas: dict[Polymer, FloatArray] = {}
    for polymer, chosen in touching.items():
        xyz = np.concatenate([graph.xyz, around.xyz[chosen]])
        bound = sasa.areas(xyz, np.concatenate([own_radii, around_radii[chosen]]), len(graph))
        covered = np.maximum(free - bound, 0.0)
        if float(covered.sum()) >= LEAST_COVERED:
            areas[polymer] = covered
    pair = _sides(instance, areas)
    return _split(graph, free, [(side, areas[side]) for side in pair], incomplete) if pair else None


def _sides(instance: Instance, areas: dict[Polymer, FloatArray]) -> tuple[Polymer, Polymer] | None:
    """Return the target and its partner among the proteins that bind a ligand, by the area they cover.

    If all of them are the target (nothing matched it), the one nearest to the ligand is the target, another its
    partner.
    """
    ordered = sorted(areas, key=lambda polymer: -round(float(areas[polymer].sum()), 3))
    targets = [polymer for polymer in ordered if polymer.target]
    if len(ordered) < 2 or not targets:
        return None
    if len(targets) < len(ordered):
        return targets[0], next(polymer for polymer in ordered if not polymer.target)
    nearest = next(iter(instance.target_chains), "")
    own = next((polymer for polymer in targets if nearest in polymer.chains), targets[0])
    return own, next(polymer for polymer in ordered if polymer is not own)


def _split(
    graph: LigandGraph, free: FloatArray, pair: Sequence[tuple[Polymer, FloatArray]], incomplete: frozenset[int]
) -> Bridging | None:
    """Return the halves of a ligand that its target and the partner bind, each given with the area that it covers."""
    parts = graph.components(range(len(graph)))
    sides = []
    for (protein, own), (_, other) in (pair, pair[::-1]):
        seen = observed_exit(graph, free, own, other) if len(parts) == 1 else None
        if len(parts) == 1 and seen is None:
            return None
        half = seen.half if seen else max(parts, key=lambda part: float((own - other)[sorted(part)].sum()))
        if len(half) < LEAST_HALF or float(own[sorted(half)].sum()) < LEAST_OF_OWN * float(own.sum()):
            return None
        sides.append(BoundSide(protein, own.round(3), seen, half))
    first, second = sides
    if first.half & second.half:
        return None
    between = frozenset(range(len(graph))) - first.half - second.half
    ends = {atom for side in sides if side.exit for atom in (side.exit.anchor, side.exit.linker_atom)}
    gap = len(parts) > 1 or bool(incomplete & (between | ends))
    return Bridging(first, second, "linker_not_observed" if gap else "")


def bridging_line(stem: str, bridging: Bridging) -> bytes:
    """Return the binding of an instance by two proteins as a line of JSON."""
    return json_line({"stem": stem, "bridging": bridging})


def read_bridging(path: Source) -> dict[str, Bridging]:
    """Return the ligands of a shard between two proteins, by their stems: lines of `bridging_line`, usually none."""
    with path.open(encoding="utf-8") as stream:
        records = map(json.loads, stream)
        return {record["stem"]: of_plain(Bridging, record["bridging"]) for record in records}
