"""The table of observed exits, and their transfer to the other ligands of the same pocket."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tethermap.answers.observed.bridging import BoundSide, Bridging
from tethermap.answers.observed.transfer import HeavyPart, Transferred, leaving_bonds, nearest, parent_bond, transferred
from tethermap.answers.pockets.groups import Placed
from tethermap.base.reasons import OBSERVED_REASONS
from tethermap.base.tables import JOINED, Row
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exposure.rows import instance_cells
from tethermap.instance.model import Instance
from tethermap.molecule.record import AtomKey, LigandMolecule, atom_keys

Parent = tuple[str, tuple[str, str]]
"""Code of the parent of a degrader's half, and the names of the atoms of the bond at its end."""


_HELD = 1000
"""Molecules for matching that stay in memory."""


@dataclass(frozen=True, eq=False)
class Degrader:
    """A ligand between two proteins."""

    instance: Instance
    molecule: LigandMolecule
    bridging: Bridging

    @cached_property
    def graph(self) -> LigandGraph:
        """Graph of its heavy atoms."""
        return ligand_graph(self.molecule)

    @property
    def sides(self) -> dict[str, tuple[BoundSide, BoundSide]]:
        """Both halves by the side that binds them, each with the other one."""
        target, partner = self.bridging.target, self.bridging.partner
        return {"target": (target, partner), "partner": (partner, target)}


def observed_rows(
    target_name: str, degraders: Iterable[Degrader], parents: Mapping[str, LigandMolecule]
) -> Iterator[Row]:
    """Yield the rows of `tables.OBSERVED_EXITS`, two for each degrader.

    Parameters
    ----------
    degraders : iterable of Degrader
        In the order of tables.
    parents : mapping of str to LigandMolecule
        The most complete copy of each ligand of the job that only one protein binds.
    """
    by_size = sorted(
        ((code, parent.n_heavy) for code, parent in parents.items() if parent.sanitised),
        key=lambda item: (-item[1], item[0]),
    )
    part_of = lru_cache(_HELD)(lambda code: HeavyPart.of(parents[code]))
    parents_of: dict[tuple[str, tuple[str, ...]], dict[str, Parent]] = {}
    for degrader in degraders:
        cells = instance_cells(target_name, degrader.instance)
        cells |= {f"area_{side}_A2": float(half.areas.sum()) for side, (half, _) in degrader.sides.items()}
        key = degrader.molecule.component_names, degrader.graph.names
        if key not in parents_of:
            parents_of[key] = _parents(degrader, by_size, part_of)
        for side, (this_half, other_half) in degrader.sides.items():
            partner = f"{other_half.protein.name} ({','.join(other_half.protein.chains)})"
            exit_cells = _exit_cells(degrader, this_half, parents_of[key].get(side))
            yield {**cells, "side": side, "partner": partner, **exit_cells}


def _parents(
    degrader: Degrader, by_size: Iterable[tuple[str, int]], part_of: Callable[[str], HeavyPart]
) -> dict[str, Parent]:
    """Return the parents of the halves of a degrader, by side, if any."""
    found: dict[str, Parent] = {}
    if degrader.bridging.reason:
        return found
    whole = HeavyPart.of(degrader.molecule)
    for code, n_heavy in by_size:
        if n_heavy >= degrader.molecule.n_heavy or not whole.may_hold(part_of(code)):
            continue
        endings = list(leaving_bonds(whole.mol, part_of(code).mol))
        for side, (this_half, other_half) in degrader.sides.items():
            bond = parent_bond(endings, this_half.areas, other_half.areas) if side not in found else None
            if bond is not None:
                found[side] = code, (degrader.graph.names[bond[0]], degrader.graph.names[bond[1]])
        if len(found) == len(degrader.sides):
            break
    return found


def _exit_cells(degrader: Degrader, side: BoundSide, parent: Parent | None) -> Row:
    observed_exit, names = side.exit, degrader.graph.names
    if observed_exit is None or degrader.bridging.reason:
        return {"reason": degrader.bridging.reason, "sentence": OBSERVED_REASONS[degrader.bridging.reason]}
    bond = names[observed_exit.anchor], names[observed_exit.linker_atom]
    alternatives = [(names[first], names[second]) for first, second in observed_exit.alternatives]
    agrees = parent is not None and bool(set(parent[1]) & set(bond))
    if parent is not None and not agrees and parent[1] not in alternatives:
        alternatives.append(parent[1])
    grade = "A" if agrees else "B" if observed_exit.clear and parent is None else "C"
    away = degrader.graph.xyz[observed_exit.linker_atom] - degrader.graph.xyz[observed_exit.anchor]
    x, y, z = (away / float((away**2).sum()) ** 0.5).tolist()
    return {
        "anchor_atom": bond[0],
        "linker_atom": bond[1],
        "alternatives": JOINED.join("-".join(pair) for pair in alternatives),
        "grade": grade,
        "weak": observed_exit.weak,
        "parent": parent[0] if parent else "",
        "half_atoms": len(observed_exit.half),
        "vector_x": x, "vector_y": y, "vector_z": z,
        "sdf_index": observed_exit.anchor,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """Exits of degraders of one pocket on one ligand: entries by degrader, and bonds moved back, by atom."""

    entries: Mapping[AtomKey, Mapping[str, frozenset[str]]]
    steps: Mapping[AtomKey, int]


class Transfers:
    """Carries observed exits over to other ligands; remembers pairs of components."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Transferred | None] = {}

    def seen_on(self, ligand: LigandMolecule, copy: Placed, degraders: Iterable[tuple[Degrader, Placed]]) -> Seen:
        """Return the exits of another ligand of the pocket that the linkers of degraders suggest.

        Parameters
        ----------
        ligand : LigandMolecule
            The most complete copy of the ligand.
        copy : Placed
            The same copy in the common frame.
        degraders : iterable of (Degrader, Placed)
            Degraders of the same binding site.
        """
        keys = atom_keys(ligand)
        entries: dict[AtomKey, dict[str, frozenset[str]]] = defaultdict(dict)
        steps: dict[AtomKey, int] = {}
        for degrader, placed in degraders:
            for bond in degrader.bridging.bonds:
                whole, half = degrader.molecule, degrader.bridging.target.half
                key = whole.component_names, degrader.graph.names, bond, half, ligand.component_names, ligand.names
                if key not in self._known:
                    self._known[key] = transferred(whole, degrader.graph, half, bond, ligand)
                transfer = self._known[key]
                if transfer is None:
                    continue
                if not (copy.superposition.reason or placed.superposition.reason):
                    anchor = placed.superposition.apply(placed.member.ligand[bond[0]][None])[0]
                    transfer = nearest(transfer, anchor, copy.superposition.apply(copy.member.ligand))
                code = degrader.molecule.component_names
                for atom in transfer.atoms:
                    before = entries[keys[atom]].get(code, frozenset())
                    entries[keys[atom]][code] = before | {degrader.instance.entry_id}
                    steps[keys[atom]] = min(transfer.steps, steps.get(keys[atom], transfer.steps))
        return Seen(entries, steps)
