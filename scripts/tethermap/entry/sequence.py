"""Comparing the sequences that a user gives with a chain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from Bio import Align
from Bio.Align import substitution_matrices

from tethermap.base.arrays import IntArray

GAP_OPEN = -11.0
GAP_EXTEND = -1.0
"""Affine gap penalties for BLOSUM62 (Altschul & Gish 1996, doi:10.1016/S0076-6879(96)66029-7)."""

FEWEST_ALIGNED = 30
"""Fewest aligned residues of a match, or the whole query when it is shorter."""


@dataclass(frozen=True, slots=True)
class SequenceMatch:
    """Agreement of a chain with a query.

    Parameters
    ----------
    identity : float
        Matches by aligned columns without gap, 0 to 1.
    coverage : float
        Those columns by the length of the shorter sequence, 0 to 1.
    aligned : int
        Those columns.
    """

    identity: float = 0.0
    coverage: float = 0.0
    aligned: int = 0


@lru_cache(maxsize=1)
def _aligner() -> Align.PairwiseAligner:
    aligner = Align.PairwiseAligner()
    aligner.mode = "global"
    aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
    aligner.open_gap_score = GAP_OPEN
    aligner.extend_gap_score = GAP_EXTEND
    aligner.end_gap_score = 0.0
    return aligner


@lru_cache(maxsize=4096)
def compare(query: str, chain: str) -> SequenceMatch:
    """Align two sequences with free end gaps on both sides.

    Parameters
    ----------
    query, chain : str
        One-letter sequences, upper case; letters that BLOSUM62 doesn't know count as ``X``.

    Returns
    -------
    SequenceMatch
        ``X`` never counts as a match.

    >>> match = compare("NPPPPETSNPNKPKRQTNQL", "GSNPPPPETSNPNKPKRQTNQL")
    >>> match.identity, match.coverage
    (1.0, 1.0)
    """
    return align(query, chain)[0]


def align(query: str, chain: str) -> tuple[SequenceMatch, IntArray]:
    """Align two sequences like `compare`, and also return the aligned residues.

    Parameters
    ----------
    query, chain : str
        One-letter sequences, upper case.

    Returns
    -------
    SequenceMatch
        Agreement of the sequences.
    ndarray of int, shape (n_aligned, 2)
        Positions in both of the aligned columns without gap.
    """
    nothing = np.zeros((0, 2), dtype=np.int64)
    if not query or not chain:
        return SequenceMatch(), nothing
    first, second = (re.sub("[JOU]", "X", sequence) for sequence in (query, chain))
    blocks = zip(*_aligner().align(first, second)[0].aligned, strict=True)
    parts = [np.stack([np.arange(*ours), np.arange(*theirs)], axis=1) for ours, theirs in blocks]
    pairs: IntArray = np.concatenate([nothing, *parts])
    if not len(pairs):
        return SequenceMatch(), pairs
    letters = [np.frombuffer(sequence.encode(), dtype="S1") for sequence in (first, second)]
    ours, theirs = letters[0][pairs[:, 0]], letters[1][pairs[:, 1]]
    matches = int(((ours == theirs) & (ours != b"X")).sum())
    return SequenceMatch(matches / len(pairs), len(pairs) / min(len(query), len(chain)), len(pairs)), pairs


def best_match(
    queries: Sequence[str], chain: str, *, min_identity: float, min_coverage: float
) -> tuple[SequenceMatch, bool]:
    """Return the best of several queries against one chain, and whether it passes all limits.

    A query that passes them is better than any that doesn't.

    Parameters
    ----------
    queries : sequence of str
        Sequences of the FASTA records.
    chain : str
        Sequence of the chain.
    min_identity, min_coverage : float
        Least identity and coverage of a match, 0 to 1.
    """

    def rank(query: str) -> tuple[bool, bool, float, SequenceMatch]:
        match = compare(query, chain)
        long_enough = match.aligned >= min(FEWEST_ALIGNED, len(query))
        passes = long_enough and match.identity >= min_identity and match.coverage >= min_coverage
        return passes, long_enough, match.identity * match.coverage, match

    passes, _, _, best = max(map(rank, queries), key=lambda one: one[:3])
    return best, passes
