"""Candidates for an exit: an anchor atom, the leaving group, the directions, and the bond about which they turn."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import tee

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import is_metal
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import COLLINEAR, LARGEST_LEAVING
from tethermap.exits.prior import is_amine, is_carbonyl
from tethermap.exits.unseen import NOTHING_MISSING, MissingAtoms, UnseenEnd

TETRAHEDRAL = float(np.radians(109.4712))
"""Bond angle at sp3 atoms, in radians."""

TORSIONS = 12
"""Torsions that are tried, 30 degrees apart; the first is the deposited one."""

LARGEST_TURNED = 4
"""Maximum number of heavy atoms that rotate with an anchor: those of an acid, ester, amide or t-butyl (house rule)."""


_ANGLES = np.arange(TORSIONS)[:, None, None] * (2 * np.pi / TORSIONS)
_SINE, _PAST_COSINE = np.sin(_ANGLES), 1 - np.cos(_ANGLES)
_IDENTITY = np.eye(3)


@dataclass(frozen=True, slots=True)
class Turn:
    """An anchor whose group is attached by one acyclic single bond.

    Parameters
    ----------
    parent : int
        Atom on the other end of that bond.
    group : tuple of int
        Atoms that rotate with the anchor, without the leaving group; empty if only the anchor rotates.
    """

    parent: int
    group: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to attach a linker.

    Parameters
    ----------
    anchor : int
        Atom that the linker is bonded to.
    leaving : tuple of int
        Heavy atoms that leave, the one bonded to the anchor first; empty if a hydrogen leaves.
    directions : ndarray of float, shape (n_directions, 3)
        Unit vectors from the anchor to the linker's first atom.
    reason : str
        Code of `tethermap.base.reasons.EXIT_REASONS` for one that can't be scored, else empty.
    turn : Turn or None
        The bond about which the directions rotate; None if the anchor is fixed.
    frees_link : bool
        Whether the group bound to the protein leaves: the rest is a reversible parent.
    unseen : UnseenEnd or None
        The end that leaves if it was not modelled; `leaving` is empty then.
    """

    anchor: int
    leaving: tuple[int, ...]
    directions: FloatArray
    reason: str = ""
    turn: Turn | None = None
    frees_link: bool = False
    unseen: UnseenEnd | None = None

    @property
    def kind(self) -> str:
        """``H``, ``cut`` or ``unseen``."""
        if self.unseen is not None:
            return "unseen"
        return "cut" if self.leaving else "H"

    def leaving_names(self, graph: LigandGraph) -> tuple[str, ...]:
        """Return the labels of the heavy atoms that leave, those that were not modelled too."""
        return self.unseen.names if self.unseen else tuple(graph.names[k] for k in self.leaving)


def find_candidates(
    graph: LigandGraph, *, linked: frozenset[int] = frozenset(), missing: MissingAtoms = NOTHING_MISSING
) -> list[Candidate]:
    """Return all candidates of a ligand, those that can't be scored with their reason.

    Parameters
    ----------
    graph : LigandGraph
        The neutral ligand.
    linked : frozenset of int
        Atoms that are covalently bound to the protein.
    missing : MissingAtoms
        Atoms that were not modelled.
    """
    candidates = []
    near_link = [(atom, other) for atom in linked for other in graph.near[atom]]
    # the N and O that a warhead's C=O, C=N or nitrile turns into: acyclic, on a carbon bound to the protein
    made_by_link = {other for atom, other in near_link if graph.element[atom] == "C"
                    and graph.element[other] in ("N", "O") and other not in graph.ring_atoms}  # fmt: skip
    # CH and CH2 bonded to an atom that is bound to the protein are part of the reactive group
    beside_link = {k for _, k in near_link if graph.element[k] == "C" and graph.n_hydrogens(k) in (1, 2)}
    for anchor in range(len(graph)):
        sides = [(), *cuts(graph, anchor)] if graph.n_hydrogens(anchor) else list(cuts(graph, anchor))
        for side in sides:
            bound = anchor in linked | beside_link or (not side and anchor in made_by_link)
            frees_link = bool(linked) and linked.issubset(side)
            reason = ""
            if bound or (linked.intersection(side) and not frees_link):
                reason = "bonded_to_protein"
            elif missing.beside.intersection((anchor, *side)):
                reason = "incomplete"
            directions = (
                _unit(graph.xyz[side[0]] - graph.xyz[anchor])[None] if side else hydrogen_directions(graph, anchor)
            )
            turns = not reason and (side or len(graph.near[anchor]) > 1)
            turn = find_turn(graph, anchor, side) if turns else None
            candidates.append(Candidate(anchor, side, directions, reason, turn, frees_link))
    for end in missing.ends:
        reason = "bonded_to_protein" if end.anchor in linked else ""
        turn = find_turn(graph, end.anchor, ()) if not reason and len(graph.near[end.anchor]) > 1 else None
        if graph.n_hydrogens(end.anchor):  # the linker replaces one of them
            directions = hydrogen_directions(graph, end.anchor)
        else:
            directions = _unit((graph.xyz[end.anchor] - graph.xyz[list(graph.near[end.anchor])]).sum(axis=0))[None]
        candidates.append(Candidate(end.anchor, (), directions, reason, turn, unseen=end))
    return candidates


def cuts(graph: LigandGraph, anchor: int) -> Iterator[tuple[int, ...]]:
    """Yield the groups that can leave from an atom, each with its first atom first."""
    others = frozenset(range(len(graph))) - {anchor}
    for first in graph.near[anchor]:
        if graph.order[anchor, first] != 1 or (anchor, first) in graph.ring_bonds or first in graph.aromatic:
            continue
        if is_metal(graph.element[anchor]) or is_metal(graph.element[first]):
            continue
        side = graph.component(first, others, LARGEST_LEAVING)
        if len(side) > LARGEST_LEAVING or not 2 * len(side) < len(graph) or side & graph.aromatic:
            continue
        n_bonds = sum(other in side for atom in side for other in graph.near[atom]) // 2
        n_rings = n_bonds - len(side) + 1
        if n_rings <= 1:
            yield first, *sorted(side - {first})


def hydrogen_directions(graph: LigandGraph, atom: int) -> FloatArray:
    """Return the possible directions of a hydrogen of an atom.

    A rotatable group has `TORSIONS` positions, a secondary sp3 amine both inverted forms, a hydroxyl on a flat atom
    both positions in its plane; other groups have the directions of their hydrogens.

    Parameters
    ----------
    graph : LigandGraph
        The ligand with hydrogens.
    atom : int
        An atom with hydrogens.

    Returns
    -------
    ndarray of float, shape (n_directions, 3)
        Unit vectors.
    """
    near = graph.near[atom]
    element = graph.element[atom]
    origin = graph.xyz[atom]
    if len(near) == 2 and is_amine(graph, atom):
        first, second = (_unit(graph.xyz[other] - origin) for other in near)
        along = _unit(-(first + second)) * np.cos(TETRAHEDRAL / 2)
        up = _unit(_cross(first, second)) * np.sin(TETRAHEDRAL / 2)
        return np.stack([along + up, along - up])
    if len(near) == 1:
        axis = _unit(origin - graph.xyz[near[0]])
        side = frames_of(axis[None], graph.offsets(near[0], without=atom))[0, 0]
        if element == "O" and graph.has_multiple_bond(near[0]):
            return _around(axis, side, 2)
        turns = element == "O" or (element == "C" and graph.n_hydrogens(atom) == 3)
        if turns or (graph.n_hydrogens(atom) == 2 and is_amine(graph, atom)):
            return _around(axis, side, TORSIONS)
    placed = graph.hydrogens[atom] - origin
    lengths = np.linalg.norm(placed, axis=1)
    placed = placed[lengths > 0] / lengths[lengths > 0, None]
    return placed if len(placed) else np.array([[0.0, 0.0, 1.0]])


def _around(axis: FloatArray, side: FloatArray, count: int) -> FloatArray:
    """Return bonds at the tetrahedral angle to a bond along `axis`, turned from `side` in equal steps."""
    cosines, sines = _ring(count)
    ring = cosines * side + sines * _cross(axis, side)
    directions: FloatArray = -np.cos(TETRAHEDRAL) * axis + np.sin(TETRAHEDRAL) * ring
    return directions


@cache
def _ring(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the cosines and sines of equal steps around a circle, each of shape (count, 1)."""
    torsions = (np.arange(count) * (2 * np.pi / count))[:, None]
    return np.cos(torsions), np.sin(torsions)


def _cross(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the cross product of two vectors; NumPy's is ten times slower for one pair."""
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def frames_of(directions: FloatArray, references: Iterable[Sequence[float]]) -> FloatArray:
    """Return right-handed frames whose third axis is a direction and whose first points to an atom.

    Parameters
    ----------
    directions : ndarray of float, shape (n, 3)
        Unit vectors.
    references : iterable of sequence of float
        Coordinates, the preferred ones first; the first that is not collinear is used, and the iterator is not advanced
        further.

    Returns
    -------
    ndarray of float, shape (n, 3, 3)
        Axes as rows. Without a reference the first axis is any across the direction.

    >>> frames_of(np.array([[0.0, 0.0, 1.0]]), [(0.0, 0.0, 3.0), (2.0, 0.0, 1.0)])[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    each = zip(directions.tolist(), tee(references, len(directions)), strict=True)
    return np.array([_frame(direction, others) for direction, others in each])


def _frame(direction: Sequence[float], references: Iterable[Sequence[float]]) -> list[tuple[float, ...]]:
    x, y, z = direction
    first: tuple[float, float, float] | None = None
    for a, b, c in references:
        along = a * x + b * y + c * z
        u, v, w = a - along * x, b - along * y, c - along * z
        length = math.sqrt(u * u + v * v + w * w)
        if length > COLLINEAR * max(math.sqrt(a * a + b * b + c * c), 1e-9):
            first = u / length, v / length, w / length
            break
    if first is None:
        along_z = np.array(direction)
        axis = np.eye(3)[int(np.abs(along_z).argmin())]
        u, v, w = _unit(axis - (axis @ along_z) * along_z).tolist()
        first = u, v, w
    u, v, w = first
    return [first, (y * w - z * v, z * u - x * w, x * v - y * u), (x, y, z)]


def _unit(vector: FloatArray) -> FloatArray:
    length = math.sqrt(vector @ vector)
    return vector / length if length > 0 else np.array([0.0, 0.0, 1.0])


def find_turn(graph: LigandGraph, anchor: int, leaving: tuple[int, ...]) -> Turn | None:
    """Return the bond about which a group with an anchor rotates, None if there is no such bond.

    Amide, ester and like bonds don't turn. If two bonds are possible, the one with the smaller rotating part is used.

    Parameters
    ----------
    anchor : int
        Atom that the linker is bonded to.
    leaving : tuple of int
        Heavy atoms that leave.
    """
    staying = frozenset(range(len(graph))).difference(leaving)
    turns: list[tuple[int, float, Turn]] = []
    for parent in graph.near[anchor]:
        if parent not in staying or not _turns(graph, parent, anchor):
            continue
        if not any(other != anchor and other in staying for other in graph.near[parent]):
            continue
        group = graph.component(anchor, staying - {parent}, LARGEST_TURNED + 1) - {anchor}
        if len(group) <= LARGEST_TURNED and not group & graph.ring_atoms:
            distance = round(graph.distance(parent, anchor), 4)
            turns.append((len(group), distance, Turn(parent, tuple(sorted(group)))))
    return min(turns, key=lambda turn: turn[:2])[2] if turns else None


def _turns(graph: LigandGraph, first: int, second: int) -> bool:
    """Return whether a bond is acyclic, single, and not that of an amide, ester or amidine."""
    if graph.order[first, second] != 1 or (first, second) in graph.ring_bonds:
        return False
    return not any(
        graph.element[end] in ("N", "O") and (is_carbonyl(graph, other) or _is_imine(graph, other))
        for end, other in ((first, second), (second, first))
    )


def _is_imine(graph: LigandGraph, atom: int) -> bool:
    return (
        graph.element[atom] == "C"
        and atom not in graph.aromatic
        and any(graph.element[k] == "N" and graph.order[atom, k] == 2 for k in graph.near[atom])
    )


def rotations(axis: FloatArray) -> FloatArray:
    """Return the rotations of all torsions about an axis.

    Parameters
    ----------
    axis : ndarray of float, shape (3,)
        Unit vector.

    Returns
    -------
    ndarray of float, shape (TORSIONS, 3, 3)
        Matrices for column vectors; the first is the identity.

    >>> quarter_turn = rotations(np.array([0.0, 0.0, 1.0]))[TORSIONS // 4]
    >>> (quarter_turn @ [1.0, 0.0, 0.0]).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: FloatArray = _IDENTITY + _SINE * cross + _PAST_COSINE * (cross @ cross)
    return turned
