"""Protein sequences as a user gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

SHORTEST_SEQUENCE = 10
"""Shorter sequences than this are ignored: they match anything."""


_FEWEST_BASES = 20

NUCLEOTIDES = "fasta_seq is a sequence of nucleotides: give the protein's, as chains are compared with that."


def read_fasta(content: str) -> tuple[str, ...]:
    """Return the sequences of a FASTA text, or of bare letters, but those of fewer than `SHORTEST_SEQUENCE` residues.

    >>> read_fasta(">BRD4 bromodomain 1\\nNPPPPETSNP NKPKRQTNQL\\n>tag\\nHHHHHH")
    ('NPPPPETSNPNKPKRQTNQL',)

    Raises
    ------
    ValueError
        If a sequence holds a character that is no letter; the message names it and the remedy.
    """
    return tuple(residues for _, residues in read_records(content) if len(residues) >= SHORTEST_SEQUENCE)


def is_nucleotide(residues: str) -> bool:
    """Tell whether a sequence is that of a gene rather than of a protein: twenty letters or more, all of bases.

    >>> is_nucleotide("ATGGCCATTGTAATGGGCCGC"), is_nucleotide("GACTAG"), is_nucleotide("MKTAYIAKQRQISFVKSHFS")
    (True, False, False)
    """
    return len(residues) >= _FEWEST_BASES and set(residues) <= set("ACGTUN")


def read_records(content: str) -> Iterator[tuple[str, str]]:
    """Yield header and residues of each record, upper case; white space, ``*``, ``-``, ``.`` and digits are dropped.

    A record without letters is left out unless it is the last.

    Raises
    ------
    ValueError
        If a sequence holds a character that is no letter; the message names it and the remedy.
    """
    header = ""
    lines: list[str] = []
    for line in content.splitlines():
        if line.lstrip().startswith((">", ";")):
            if any(lines):
                yield header, _residues("".join(lines))
            header, lines = line.strip()[1:].strip(), []
        else:
            lines.append(line.strip())
    yield header, _residues("".join(lines))


def _residues(letters: str) -> str:
    residues = re.sub(r"[\s*\-.0-9]", "", letters)
    if wrong := re.search(r"[^A-Za-z]", residues):
        raise ValueError(f"{wrong.group()!r}, which is no residue letter: give FASTA or one-letter residues")
    return residues.upper()
