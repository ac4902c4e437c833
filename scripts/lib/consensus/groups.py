"""Instances whose target chains are alike, each group with its reference: never all pairs are compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scripts.lib.consensus.directions import Way
from scripts.lib.consensus.superpose import Superposition, pocket, stays, superpose
from scripts.lib.instance.backbone import Backbone
from scripts.lib.instance.model import FloatArray, IntArray

LEAST_IDENTITY, LEAST_COVERAGE = 0.6, 0.5
"""Least identity and coverage of target chains in one group (house rule). Above 50 % identity the cores of two
chains differ by about 1 angstrom or less (Chothia and Lesk 1986, doi:10.1002/j.1460-2075.1986.tb04288.x)."""

WORD = 4
FEWEST_WORDS, LEAST_WORDS = 8, 0.05
"""Chains are aligned only if they share so many words of four residues, and so many of the shorter one's: two chains
of 60 % identity share about 13 %, two of 300 residues by chance one word in two pairs."""

MOST_ALIGNED = 3
"""References that a chain is aligned with at most, those with most words in common first."""


@dataclass(frozen=True, eq=False)
class Member:
    """One instance as the consensus sees it.

    Parameters
    ----------
    stem : str
        Its stem.
    key : tuple
        Sort key of tables: entry, chain, ligand, residue.
    names : dict of str to str
        Cells that name it in tables.
    resolution : float
        Of its entry in angstroms; infinite when not given.
    ligand : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms in angstroms.
    backbone : Backbone
        The target chain beside it.
    ways : tuple of Way
        The best exits of its first sites.
    """

    stem: str
    key: tuple[object, ...]
    names: dict[str, str]
    resolution: float
    ligand: FloatArray
    backbone: Backbone
    ways: tuple[Way, ...] = ()

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key for the choice of a reference: the best resolution, then the id."""
        return self.resolution, self.key, self.stem


@dataclass(frozen=True, eq=False)
class Placed:
    """A member with its motion into the frame of the group's reference."""

    member: Member
    superposition: Superposition
    identity: float
    coverage: float


@dataclass(frozen=True, eq=False)
class Group:
    """Instances whose target chains are alike, the reference first, then in the order of tables.

    The instances without a chain to superpose are one group without a name and a reference.
    """

    name: str
    placed: tuple[Placed, ...]

    @property
    def reference(self) -> str:
        """Stem of the member whose frame is that of the group."""
        return self.placed[0].member.stem if self.name else ""


def grouped(members: Sequence[Member]) -> list[Group]:
    """Return the groups of a job, those of most entries first.

    Chains are taken by the best resolution of their instances, then by id; each joins the first
    of the references most like it that it is near enough to, or becomes a reference itself.

    Parameters
    ----------
    members : sequence of Member
        All instances of a job in any order.
    """
    by_chain: dict[str, list[Member]] = defaultdict(list)
    loose = [Placed(one, stays(0, "no_backbone"), float("nan"), float("nan")) for one in members if not one.backbone]
    for member in sorted(members, key=lambda one: one.rank):
        if member.backbone:
            by_chain[member.backbone.sequence].append(member)
    words: dict[str, list[int]] = defaultdict(list)
    found: list[list[Placed]] = []
    for sequence, same in by_chain.items():
        own = {sequence[k : k + WORD] for k in range(len(sequence) - WORD + 1)}
        home, match, pairs = _home(sequence, own, words, found)
        if home is None:
            home, match, pairs = len(found), (1.0, 1.0), np.arange(len(sequence))[:, None].repeat(2, axis=1)
            count = len(pocket(same[0].backbone.xyz, same[0].ligand))
            found.append([Placed(same[0], stays(count), *match)])
            for word in sorted(own):
                words[word].append(home)
        reference = found[home][0].member
        others = (one for one in same if one is not reference)
        found[home].extend(Placed(one, _placed(reference, one, pairs), *match) for one in others)
    ordered = sorted(found, key=lambda group: (-len({one.member.key[0] for one in group}), group[0].member.rank))
    groups = [
        Group(f"G{number}", (group[0], *sorted(group[1:], key=lambda one: one.member.key)))
        for number, group in enumerate(ordered, 1)
    ]
    return [*groups, Group("", tuple(sorted(loose, key=lambda one: one.member.key)))] if loose else groups


def _home(
    sequence: str, own: set[str], words: dict[str, list[int]], found: Sequence[Sequence[Placed]]
) -> tuple[int | None, tuple[float, float], IntArray]:
    """Return the group of a chain, its identity and coverage, and the residues that stand together."""
    shared = Counter(group for word in own for group in words.get(word, ()))
    for group, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:MOST_ALIGNED]:
        other = found[group][0].member.backbone.sequence
        if count >= max(FEWEST_WORDS, LEAST_WORDS * min(len(sequence), len(other))):
            from scripts.lib.entry.sequence import align  # half of a second to import, and rarely needed

            match, pairs = align(sequence, other)
            if match.identity >= LEAST_IDENTITY and match.coverage >= LEAST_COVERAGE:
                return group, (match.identity, match.coverage), pairs
    return None, (0.0, 0.0), np.zeros((0, 2), dtype=np.int64)


def _placed(reference: Member, member: Member, pairs: IntArray) -> Superposition:
    """Return the motion of a member onto the reference by the residues around the member's own ligand."""
    near = pairs[np.isin(pairs[:, 0], pocket(member.backbone.xyz, member.ligand))]
    return superpose(reference.backbone.xyz[near[:, 1]], member.backbone.xyz[near[:, 0]])
