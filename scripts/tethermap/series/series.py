"""Series of related ligands and the core that they share."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator, rdFMCS

from tethermap.base.tables import by_key
from tethermap.series.limits import SIMILAR

STEPS_PER_SECOND = 400
"""Steps of the core search that count as one second of its limit.

The limit is on steps, so that the same job gives the same core on every machine."""

PATIENCE = 6
"""The search is ended by the clock only after this many times its limit."""


@dataclass(frozen=True, slots=True)
class Core:
    """The maximum common substructure of a series.

    Parameters
    ----------
    smarts : str
        Pattern; empty when there is none.
    matches : tuple of tuple of int
        For each ligand the atoms that match the pattern's, in its order.
    timed_out : bool
        Whether the search ended before it was exhaustive.
    """

    smarts: str
    matches: tuple[tuple[int, ...], ...]
    timed_out: bool


def murcko_scaffold(mol: Chem.Mol) -> str:
    """Return the Bemis–Murcko scaffold as SMILES without stereo; empty for an acyclic molecule."""
    return str(Chem.MolToSmiles(Chem.MurckoDecompose(mol), isomericSmiles=False))


def clustered(mols: Iterable[Chem.Mol]) -> list[list[int]]:
    """Return the series of a list of molecules, each as indices with its centre first.

    Two molecules are neighbours when they have the same Murcko scaffold of two rings or more,
    or are similar enough. The molecule with most neighbours becomes the centre of the first
    series, and so on with the rest (Butina 1999, doi:10.1021/ci9803381).

    Parameters
    ----------
    mols : iterable of Chem.Mol
        Taken one at a time. Their order settles ties: the earlier one comes first.

    >>> clustered([Chem.MolFromSmiles(smiles) for smiles in ("CCCCCO", "c1ccncc1C", "CCCCCCO")])
    [[0, 2], [1]]
    """
    scaffolds: list[str] = []

    def noted(mol: Chem.Mol) -> Chem.Mol:
        scaffolds.append(murcko_scaffold(mol) if mol.GetRingInfo().NumRings() > 1 else "")
        return mol

    prints = unary_fingerprints(map(noted, mols))
    alike = by_key((scaffold, index) for index, scaffold in enumerate(scaffolds))
    near = [{index}.union(alike[scaffold] if scaffold else ()) for index, scaffold in enumerate(scaffolds)]
    for index in range(1, len(prints)):
        similarity = np.array(DataStructs.BulkTanimotoSimilarity(prints[index], prints[:index]))
        for other in np.flatnonzero(similarity >= SIMILAR).tolist():
            near[index].add(other)
            near[other].add(index)
    counts = np.array([len(members) for members in near])
    ungrouped = set(range(len(prints)))
    series = []
    while ungrouped:
        centre = int(counts.argmax())  # the first molecule with most neighbours
        members = near[centre] & ungrouped
        series.append([centre, *sorted(members - {centre})])
        ungrouped -= members
        for index in members:
            counts[list(near[index])] -= 1
        counts[list(members)] = 0
    return series


def unary_fingerprints(mols: Iterable[Chem.Mol]) -> list[DataStructs.ExplicitBitVect]:
    """Return fingerprints of Morgan counts (radius 2, 2,048 features) with a bit for each time that a feature occurs.

    So the Tanimoto coefficient of two is exactly that of their counts, sum of minima / sum of maxima, in a twentieth of
    the time: bits are counted by the word.
    """
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    counted = [generator.GetCountFingerprint(mol).GetNonzeroElements() for mol in mols]
    bit_of: dict[tuple[int, int], int] = defaultdict(count().__next__)
    bit_lists = [[bit_of[feature, k] for feature, times in one.items() for k in range(times)] for one in counted]
    prints = [DataStructs.ExplicitBitVect(len(bit_of)) for _ in bit_lists]
    for vector, bits in zip(prints, bit_lists, strict=True):
        vector.SetBitsFromList(bits)
    return prints


def common_core(mols: Sequence[Chem.Mol], seconds: float) -> Core:
    """Return the maximum common substructure of molecules: equal elements and bond orders, whole rings.

    Parameters
    ----------
    mols : sequence of Chem.Mol
        At least one; the core of one molecule is the molecule.
    seconds : float
        Limit of the search, counted in steps.
    """
    if len(mols) == 1:
        smarts = Chem.MolToSmarts(mols[0], isomericSmiles=False)
        return Core(smarts, (tuple(range(mols[0].GetNumAtoms())),), timed_out=False)
    counter = _StepCounter(round(seconds * STEPS_PER_SECOND))
    parameters: Any = rdFMCS.MCSParameters()
    parameters.BondTyper = rdFMCS.BondCompare.CompareOrderExact
    parameters.AtomCompareParameters.RingMatchesRingOnly = True
    parameters.BondCompareParameters.RingMatchesRingOnly = True
    parameters.BondCompareParameters.CompleteRingsOnly = True
    parameters.Timeout = max(1, round(seconds * PATIENCE))
    parameters.ProgressCallback = counter
    mcs = rdFMCS.FindMCS(_without_unshared_rings(mols), parameters)
    if not mcs.numAtoms:
        return Core("", ((),) * len(mols), timed_out=mcs.canceled)
    pattern = Chem.MolFromSmarts(mcs.smartsString)
    return Core(mcs.smartsString, tuple(mol.GetSubstructMatch(pattern) for mol in mols), timed_out=mcs.canceled)


def _without_unshared_rings(mols: Sequence[Chem.Mol]) -> list[Chem.Mol]:
    """Return the molecules; in the smallest, bonds of rings that another molecule lacks have a type that no other has.

    No core has these bonds, as its rings are whole. The search starts from the smallest molecule; it would follow parts
    of such rings and only reject them at the end.
    """
    rings = [_ring_bonds(mol) for mol in mols]
    smallest = min(range(len(mols)), key=lambda k: mols[k].GetNumBonds())
    own = rings[smallest]
    possible: set[int] = set().union(*(own[kind] for kind in own if all(kind in others for others in rings)))
    start = Chem.Mol(mols[smallest])
    for bond in set().union(*own.values()) - possible:
        start.GetBondWithIdx(bond).SetBondType(Chem.BondType.OTHER)
    return [*mols[:smallest], start, *mols[smallest + 1 :]]


def _ring_bonds(mol: Chem.Mol) -> dict[tuple[object, ...], set[int]]:
    """Return the bonds of all rings of each kind: rings are of one kind if they have equal bonds, in any order."""
    found: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for ring in mol.GetRingInfo().BondRings():
        bonds = [mol.GetBondWithIdx(index) for index in ring]
        ends = [sorted((bond.GetBeginAtom().GetAtomicNum(), bond.GetEndAtom().GetAtomicNum())) for bond in bonds]
        kinds = sorted((*elements, int(bond.GetBondType())) for elements, bond in zip(ends, bonds, strict=True))
        found[tuple(kinds)].update(ring)
    return found


class _StepCounter(rdFMCS.MCSProgress):
    """Ends a search after a number of steps."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __call__(self, *_: object) -> bool:
        """Count a step and return whether to continue."""
        self._left -= 1
        return self._left >= 0
