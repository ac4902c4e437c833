"""Protein sequences as a user gives them."""

from __future__ import annotations

import re

SHORTEST_SEQUENCE = 10
"""Shorter sequences than this are ignored: they match anything."""


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
        If a sequence holds a character that is no letter; the message names it and the remedy.
    """
    records: list[list[str]] = [[]]
    for line in content.splitlines():
        if line.lstrip().startswith((">", ";")):
            records.append([])
        else:
            records[-1].append(line)
    sequences = []
    for record in records:
        letters = re.sub(r"[\s*\-.0-9]", "", "".join(record))
        if wrong := re.search(r"[^A-Za-z]", letters):
            raise ValueError(f"{wrong.group()!r}, which is no residue letter: give FASTA or one-letter residues")
        if len(letters) >= SHORTEST_SEQUENCE:
            sequences.append(letters.upper())
    return tuple(sequences)
