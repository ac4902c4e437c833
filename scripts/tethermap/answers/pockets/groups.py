"""Groups of instances with similar target chains, each with its reference: not all pairs are compared."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import gemmi
import numpy as np

from tethermap.answers.pockets.directions import CopyExit
from tethermap.answers.pockets.limits import LEAST_COVERAGE, LEAST_IDENTITY
from tethermap.answers.pockets.superpose import Superposition, pocket, stays, superpose
from tethermap.base.arrays import FloatArray, IntArray
from tethermap.instance.backbone import TOUCHED, Backbone

WORD = 4
FEWEST_WORDS, LEAST_WORDS = 8, 0.05
"""Least number of shared words of four residues, and their least share of the shorter chain's words, for an alignment:
two chains of 60 % identity share about 13 %, two of 300 residues by chance one word in two pairs."""

MOST_ALIGNED = 3
"""Maximum number of references that a chain is aligned with, those with most words in common first."""


@dataclass(frozen=True, eq=False)
class Member:
    """One instance for the consensus.

    Parameters
    ----------
    key : tuple
        Sort key of tables: entry, chain, ligand, residue.
    names : dict of str to str
        Cells that name it in tables.
    resolution : float or None
        Resolution of its entry in angstroms.
    ligand : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms in angstroms.
    chain, sequence : str
        The nearest target chain; empty if it has no backbone.
    read_backbone, read_exits : callable
        Return the nearest target chain, and the ranked exits, the best first (none for a ligand between two proteins);
        those of large jobs wait on disk.
    component : str
        Its components joined by ``+``.
    protein : str
        Name of the target chain's protein.
    packed, bridging : bool
        Whether symmetry mates make most of its contacts; whether two proteins bind it.
    complete, cofactor : bool
        Whether all heavy atoms were modelled; whether it is a listed cofactor.
    title : str
        Title of its entry.
    """

    stem: str
    key: tuple[object, ...]
    names: dict[str, str]
    resolution: float | None
    ligand: FloatArray
    chain: str
    sequence: str
    read_backbone: Callable[[], Backbone]
    read_exits: Callable[[], tuple[CopyExit, ...]] = tuple
    component: str = ""
    protein: str = ""
    packed: bool = False
    bridging: bool = False
    complete: bool = True
    cofactor: bool = False
    title: str = ""

    def residue_near(self, point: FloatArray) -> tuple[str, str]:
        """Return the residue whose Cα is nearest to a place in its own frame; empty texts without a chain.

        Parameters
        ----------
        point : ndarray of float, shape (3,)
            The place, in angstroms.

        Returns
        -------
        tuple of str
            Its name as ``Asp 145``, and its UniProt accession and number where known.
        """
        backbone = self.read_backbone()
        if not len(backbone.numbers):
            return "", ""
        away = backbone.xyz - point
        nearest = int(np.sqrt(np.einsum("ij,ij->i", away, away)).round(3).argmin())
        name = gemmi.expand_one_letter(backbone.sequence[nearest], gemmi.ResidueKind.AA)
        uniprot = backbone.uniprot[nearest].decode() if len(backbone.uniprot) else ""
        return f"{name.capitalize()} {backbone.numbers[nearest]}", uniprot

    @property
    def decides(self) -> bool:
        """Whether it counts among the copies that an answer is made of."""
        return not (self.packed or self.bridging)

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key for the choice of a reference: the best resolution, then the id."""
        return float("inf") if self.resolution is None else self.resolution, self.key, self.stem


@dataclass(frozen=True, eq=False)
class Placed:
    """A member with its motion into the frame of the group's reference, and the residues it touches.

    `touched` contains positions in the reference's chain, and UniProt numbers of residues that this chain lacks.
    """

    member: Member
    superposition: Superposition
    identity: float
    coverage: float
    touched: tuple[int | str, ...] = ()


@dataclass(frozen=True, eq=False)
class Group:
    """Instances with similar target chains, the reference first, then in the order of tables.

    The instances without a chain to superpose are one group without a name and a reference.
    """

    name: str
    placed: tuple[Placed, ...]

    @property
    def protein(self) -> str:
        """Name of the protein that most of its instances give, in mixed case if one does; the first of equally many."""
        spellings = Counter(copy.member.protein for copy in self.placed)
        counts = Counter(copy.member.protein.casefold() for copy in self.placed)
        key = {name: (counts[name.casefold()], bool(name), name != name.upper(), spellings[name]) for name in spellings}
        return max(key, key=key.__getitem__, default="")

    @property
    def reference(self) -> str:
        """Stem of the member whose frame is that of the group."""
        return self.placed[0].member.stem if self.name else ""


def grouped(members: Sequence[Member]) -> list[Group]:
    """Return the groups of a job, those of most entries first, then of most instances.

    Chains are processed by the best resolution of their instances, then by id; each joins the most similar reference
    within the limits, or becomes a reference.

    Parameters
    ----------
    members : sequence of Member
        All instances of a job in any order.
    """
    by_chain: dict[str, list[Member]] = defaultdict(list)
    loose: list[Placed] = []
    for member in sorted(members, key=lambda member: member.rank):
        if member.sequence:
            by_chain[member.sequence].append(member)
        else:
            loose.append(Placed(member, stays(0, "no_backbone"), float("nan"), float("nan")))
    words: dict[str, list[int]] = defaultdict(list)
    chain_groups: list[list[Placed]] = []
    for sequence, same in by_chain.items():
        own_words = {sequence[k : k + WORD] for k in range(len(sequence) - WORD + 1)}
        home, match, pairs = _home(sequence, own_words, words, chain_groups)
        if home is None:
            home, match, pairs = len(chain_groups), (1.0, 1.0), np.arange(len(sequence))[:, None].repeat(2, axis=1)
            count = len(pocket(same[0].read_backbone().xyz, same[0].ligand))
            chain_groups.append([Placed(same[0], stays(count), *match, _touched(same[0], same[0], pairs))])
            for word in own_words:
                words[word].append(home)
        reference = chain_groups[home][0].member
        chain_groups[home].extend(
            Placed(member, _placed(reference, member, pairs), *match, _touched(reference, member, pairs))
            for member in same
            if member is not reference
        )
    ordered = sorted(chain_groups, key=lambda group: (-entry_count(group), -len(group), group[0].member.rank))
    groups = [Group(f"G{number}", (group[0], *_by_key(group[1:]))) for number, group in enumerate(ordered, 1)]
    return [*groups, Group("", tuple(_by_key(loose)))] if loose else groups


def entry_count(copies: Iterable[Placed]) -> int:
    """Return the number of entries of the given copies."""
    return len({copy.member.key[0] for copy in copies})


def _by_key(copies: Sequence[Placed]) -> list[Placed]:
    """Return copies in the order of tables."""
    return sorted(copies, key=lambda copy: copy.member.key)


def _home(
    sequence: str, own_words: set[str], words: dict[str, list[int]], chain_groups: Sequence[Sequence[Placed]]
) -> tuple[int | None, tuple[float, float], IntArray]:
    """Return the group of a chain, its identity and coverage, and the aligned residues."""
    shared = Counter(chain.from_iterable(words[word] for word in own_words & words.keys()))
    for group, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:MOST_ALIGNED]:
        other = chain_groups[group][0].member.sequence
        if count >= max(FEWEST_WORDS, LEAST_WORDS * min(len(sequence), len(other))):
            from tethermap.entry.sequence import align  # imports Biopython, which is rarely needed

            match, pairs = align(sequence, other)
            if match.identity >= LEAST_IDENTITY and match.coverage >= LEAST_COVERAGE:
                return group, (match.identity, match.coverage), pairs
    return None, (0.0, 0.0), np.zeros((0, 2), dtype=np.int64)


def _placed(reference: Member, member: Member, pairs: IntArray) -> Superposition:
    """Return the motion of a member onto the reference by the residues around the member's own ligand."""
    fixed, moving = reference.read_backbone().xyz, member.read_backbone().xyz
    near = pairs[np.isin(pairs[:, 0], pocket(moving, member.ligand))]
    return superpose(fixed[near[:, 1]], moving[near[:, 0]])


def _touched(reference: Member, member: Member, pairs: IntArray) -> tuple[int | str, ...]:
    """Return the residues that a member's ligand touches, as positions in the reference's chain if it has them.

    For a ligand between two proteins, only residues of its own chain count, so that it shares a site with its parents.
    """
    backbone = member.read_backbone()
    touched = np.flatnonzero(backbone.marks & TOUCHED)
    places: set[int | str] = set(pairs[np.isin(pairs[:, 0], touched), 1].tolist())
    if backbone.others and not member.bridging:
        place_of = {name: k for k, name in enumerate(reference.read_backbone().uniprot.tolist()) if name}
        places.update(place_of.get(name.encode(), name) for name in backbone.others)
    return tuple(sorted(places, key=str))
