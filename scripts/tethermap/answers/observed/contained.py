"""Smaller molecules within degraders: the groups to remove first, and the atoms bonded to the rest of the degrader.

A molecule is contained after the smallest change that the search of exits knows (a hydrogen or a group leaves) if it
is then a substructure in which exactly one atom carries a large piece.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rdkit import Chem, DataStructs

from tethermap.answers.observed.transfer import end_groups, piece, without
from tethermap.exits.limits import LARGEST_LEAVING

LARGE_PIECE = 15
"""Fewest heavy atoms of the rest of a degrader."""

FEWEST_CORE, LEAST_CORE = 14, 0.62
"""Fewest heavy atoms of the smaller molecule that remain, and their least share of it."""

_MOST_MATCHES = 64


@dataclass(frozen=True, slots=True)
class Contained:
    """A molecule within a degrader.

    Parameters
    ----------
    number : int
        Number of the degrader.
    leaving : frozenset of int
        Heavy atoms that leave the molecule first; none if a hydrogen does.
    anchors : frozenset of int
        Its atoms that can carry the rest: several if it fits in several ways.
    is_whole : bool
        Whether it has no other substituents.
    """

    number: int
    leaving: frozenset[int]
    anchors: frozenset[int]
    is_whole: bool


Accepts = Callable[[int, frozenset[int], frozenset[int]], bool]
"""Whether a degrader, by its number, may be divided into a core and the piece bonded to it."""


class DegraderLibrary:
    """Library of degraders to search for smaller molecules.

    Parameters
    ----------
    accepts : callable
        See `Accepts`; any division by default.
    """

    def __init__(self, accepts: Accepts = lambda *_: True) -> None:
        self._accepts = accepts
        self._binaries: list[bytes] = []
        self._prints: list[DataStructs.ExplicitBitVect] = []
        self._largest = 0

    def add(self, mol: Chem.Mol) -> int:
        """Add a degrader without hydrogens as atoms; return its number, the next from 0."""
        self._binaries.append(mol.ToBinary())
        self._prints.append(Chem.PatternFingerprint(mol))
        self._largest = max(self._largest, mol.GetNumAtoms())
        return len(self._binaries) - 1

    def containing(self, mol: Chem.Mol) -> Iterator[Contained]:
        """Yield the degraders that contain a molecule, each by the smallest change after which it fits.

        Parameters
        ----------
        mol : Chem.Mol
            Without hydrogens as atoms.
        """
        count = mol.GetNumAtoms()
        if count < FEWEST_CORE or count + LARGE_PIECE > self._largest + LARGEST_LEAVING or not self._has_rings(mol):
            return
        left = list(range(len(self._binaries)))
        for leaving in _edits(mol):
            kept = [k for k in range(count) if k not in leaving]
            if len(kept) < max(FEWEST_CORE, LEAST_CORE * count):
                continue
            core = without(mol, leaving)
            found = set()
            for number in self._screened(core, left):
                anchors, is_whole = self._anchors(core, number)
                if anchors:
                    found.add(number)
                    yield Contained(number, leaving, frozenset(kept[k] for k in anchors), is_whole)
            left = [number for number in left if number not in found]

    def _screened(self, part: Chem.Mol, numbers: Iterable[int]) -> Iterator[int]:
        """Yield the given degraders whose fingerprints allow them to contain a part of a molecule."""
        print_ = Chem.PatternFingerprint(part)
        return (number for number in numbers if DataStructs.AllProbeBitsMatch(print_, self._prints[number]))

    def _mol(self, number: int) -> Chem.Mol:
        return Chem.Mol(self._binaries[number])  # type: ignore[call-overload, no-any-return]

    def _has_rings(self, mol: Chem.Mol) -> bool:
        """Return whether each aromatic ring system of a molecule, which never leaves, is in some degrader."""
        others = frozenset(atom.GetIdx() for atom in mol.GetAtoms() if not atom.GetIsAromatic())
        if len(others) == mol.GetNumAtoms():
            return True
        parts = Chem.GetMolFrags(without(mol, others), asMols=True, sanitizeFrags=False)
        for part in {Chem.MolToSmarts(part): part for part in parts}.values():
            Chem.FastFindRings(part)
            numbers = self._screened(part, range(len(self._binaries)))
            if not any(self._mol(number).HasSubstructMatch(part) for number in numbers):
                return False
        return True

    def _anchors(self, core: Chem.Mol, number: int) -> tuple[set[int], bool]:
        """Return the atoms of a core that can carry the large piece of a degrader, and whether it is the only piece."""
        degrader = self._mol(number)
        anchors: set[int] = set()
        is_whole = False
        for match in degrader.GetSubstructMatches(core, uniquify=False, maxMatches=_MOST_MATCHES):
            inside = frozenset(match)
            outward = [
                (k, piece(degrader, other.GetIdx(), inside))
                for k, atom in enumerate(match)
                for other in degrader.GetAtomWithIdx(atom).GetNeighbors()
                if other.GetIdx() not in inside
            ]
            large = {k: piece for k, piece in outward if len(piece) >= LARGE_PIECE}
            if len(large) == 1 and self._accepts(number, inside, *large.values()):
                anchors |= large.keys()
                is_whole |= len(outward) == 1
        return anchors, is_whole


def _edits(mol: Chem.Mol) -> list[frozenset[int]]:
    """Return the removable groups, first the empty one, then the smaller ones."""
    rings = mol.GetRingInfo().AtomRings()
    aromatic = frozenset(atom.GetIdx() for atom in mol.GetAtoms() if atom.GetIsAromatic())
    found = {frozenset[int]()}
    for side in end_groups(mol, LARGEST_LEAVING):
        n_rings = sum(map(side.issuperset, rings))
        if 2 * len(side) < mol.GetNumAtoms() and n_rings <= 1 and side.isdisjoint(aromatic):
            found.add(side)
    return sorted(found, key=lambda side: (len(side), sorted(side)))
