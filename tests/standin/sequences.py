"""Sequence search of the stand-in: global-local alignment by plain dynamic programming over shared words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from tests.standin.documents import Document

_WORD = 5


def similar(documents: Iterable[Document], parameters: dict[str, Any]) -> dict[str, float]:
    """Return entries with a protein that shares the query's sequence at the requested identity."""
    query = str(parameters.get("value", ""))
    cutoff = float(parameters.get("identity_cutoff", 0.0))
    words = {query[i : i + _WORD] for i in range(len(query) - _WORD + 1)}
    found: dict[str, float] = {}
    for document in documents:
        for entity in document.metadata.entities:
            sequence = entity.sequence
            if not any(sequence[i : i + _WORD] in words for i in range(len(sequence) - _WORD + 1)):
                continue
            identity = _identity(query, sequence)
            if identity >= max(cutoff, 0.25):
                found[document.entry_id] = max(identity, found.get(document.entry_id, 0.0))
    return found


def _identity(query: str, sequence: str) -> float:
    """Return the identical residues of the blocks that match in order, over the aligned stretch of the shorter one."""
    blocks = SequenceMatcher(None, query, sequence, autojunk=False).get_matching_blocks()
    identical = sum(block.size for block in blocks)
    return identical / min(len(query), len(sequence))
