"""Protein sequences: reading what a user gives, and comparing it with a chain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from Bio import Align
from Bio.Align import substitution_matrices

from scripts.lib.instance.model import IntArray

GAP_OPEN = -11.0
GAP_EXTEND = -1.0
"""Affine gap penalties that go with BLOSUM62 (Altschul & Gish 1996, doi:10.1016/S0076-6879(96)66029-7)."""

FEWEST_ALIGNED = 30
"""Fewest aligned residues of a match, or the whole query when it is shorter."""

SHORTEST_SEQUENCE = 10
"""Shorter sequences than this are ignored: they match anything."""


@dataclass(frozen=True, slots=True)
class SequenceMatch:
    """How well a chain agrees with a query.

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


def read_fasta(content: str) -> tuple[str, ...]:
    """Return the sequences of a FASTA text, or of bare letters.

    White space, ``*``, ``-``, ``.`` and digits are dropped; records of fewer than
    `SHORTEST_SEQUENCE` residues are left out.

    Parameters
    ----------
    content : str
        FASTA with headers, or letters alone; one or more records.

    Raises
    ------
    ValueError
        If a sequence holds a character that is no letter; the message names it.
    """
    records: list[list[str]] = [[]]
    for line in content.splitlines():
        if line.startswith((">", ";")):
            records.append([])
        else:
            records[-1].append(line)
    sequences = []
    for record in records:
        letters = re.sub(r"[\s*\-.0-9]", "", "".join(record)).upper()
        if wrong := re.search(r"[^A-Z]", letters):
            raise ValueError(f"{wrong.group()!r} is no residue letter; give FASTA or one-letter residues")
        if len(letters) >= SHORTEST_SEQUENCE:
            sequences.append(letters)
    return tuple(sequences)


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
    """
    return align(query, chain)[0]


def align(query: str, chain: str) -> tuple[SequenceMatch, IntArray]:
    """Align two sequences as `compare` does, and return which residues stand together too.

    Parameters
    ----------
    query, chain : str
        One-letter sequences, upper case.

    Returns
    -------
    SequenceMatch
        How well they agree.
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


def best_match(queries: Sequence[str], chain: str) -> tuple[SequenceMatch, bool]:
    """Return the best of several queries against one chain, and whether it is long enough.

    Parameters
    ----------
    queries : sequence of str
        Sequences of the FASTA records.
    chain : str
        Sequence of the chain.
    """
    matches = [(compare(query, chain), min(FEWEST_ALIGNED, len(query))) for query in queries]
    best, fewest = max(matches, key=lambda one: (one[0].aligned >= one[1], one[0].identity * one[0].coverage))
    return best, best.aligned >= fewest
