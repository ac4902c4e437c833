"""Protein sequences of users: FASTA, bare letters, three-letter codes, SEQRES lines, CLUSTAL alignments."""

import re
import unicodedata
from collections.abc import Iterator

SHORTEST_SEQUENCE = 10
"""Shorter sequences than this are ignored: they match anything."""


_FEWEST_BASES = 20
_AMBIGUOUS_BASES = frozenset("ACGTUNRYSWKMBDHV")
"""Letters of nucleotides and of sets of them (IUPAC, Cornish-Bowden 1985, doi:10.1093/nar/13.9.3021)."""

_LEAST_CERTAIN = 0.75
"""Share of single nucleotides and N in a sequence with letters for sets of them."""

_LETTERS = {
    "ALA": "A", "ARG": "R", "ASN": "N", "ASP": "D", "CYS": "C", "GLN": "Q", "GLU": "E", "GLY": "G", "HIS": "H",
    "ILE": "I", "LEU": "L", "LYS": "K", "MET": "M", "PHE": "F", "PRO": "P", "SER": "S", "THR": "T", "TRP": "W",
    "TYR": "Y", "VAL": "V", "MSE": "M", "SEC": "U", "PYL": "O", "ASX": "B", "GLX": "Z", "UNK": "X", "XAA": "X",
}  # fmt: skip
_CODES = re.compile(rf"(?:{'|'.join(_LETTERS)})(?:[\s,;-]*(?:{'|'.join(_LETTERS)}))*[\s.*-]*", re.IGNORECASE)
_SEPARATED = re.compile(r"[A-Za-z]{3}(?:[\s,;-]+[A-Za-z]{3})*[\s.*-]*|(?:[A-Z][a-z]{2}[\s,;-]*)+")
_ALIGNMENT = re.compile(r"\s*(?:CLUSTAL|MUSCLE|PROBCONS|MSAPROBS)\b.*\n")
_ROW = re.compile(r"(\S+)[ \t]+([A-Za-z.*-]+)(?:[ \t]+\d+)?[ \t]*")


def read_fasta(content: str) -> tuple[str, ...]:
    """Return the protein sequences of a text, except those of fewer than `SHORTEST_SEQUENCE` residues.

    Nucleotides next to a protein are omitted; see `sequence_notes`.

    >>> read_fasta(">BRD4 bromodomain 1\\nNPPPPETSNP NKPKRQTNQL\\n>tag\\nHHHHHH")
    ('NPPPPETSNPNKPKRQTNQL',)

    Raises
    ------
    ValueError
        If a sequence contains a character that is not a letter; the message names it and the remedy.
    """
    sequences = [residues for _, residues in read_records(content) if len(residues) >= SHORTEST_SEQUENCE]
    return tuple([one for one in sequences if not is_nucleotide(one)] or sequences)


def is_nucleotide(residues: str) -> bool:
    """Return whether a sequence is that of a gene rather than of a protein: twenty letters or more, all of bases.

    >>> is_nucleotide("ATGGCCATTGTRATGGGCCGC"), is_nucleotide("GACTAG"), is_nucleotide("MKTAYIAKQRQISFVKSHFS")
    (True, False, False)
    """
    certain = sum(map(residues.count, "ACGTUN"))
    return (
        len(residues) >= _FEWEST_BASES
        and _AMBIGUOUS_BASES.issuperset(residues)
        and certain >= _LEAST_CERTAIN * len(residues)
    )


def sequence_notes(content: str) -> list[str]:
    """Return sentences on records that are nucleotides and on sequences that are not in one-letter FASTA.

    Raises
    ------
    ValueError
        If a sequence contains a character that is not a letter.
    """
    notes = []
    if _ALIGNMENT.match(content):
        notes.append("The sequences were read from an alignment, without its gaps.")
    if any(_is_three_letter(letters) for _, letters in _records(content)):
        notes.append("The sequence was read from three-letter codes.")
    records = [(header, residues) for header, residues in read_records(content) if len(residues) >= SHORTEST_SEQUENCE]
    names = [header.split()[0][:40] if header else "" for header, residues in records if is_nucleotide(residues)]
    listed = ", ".join(dict.fromkeys(filter(None, names)))
    if names and len(names) == len(records):
        notes.append("The sequence consists of nucleotides: give the protein sequence.")
    elif names:
        which = (
            f"The sequence {listed}".rstrip() + " consists" if len(names) == 1 else f"{len(names)} sequences consist"
        )
        listed = f" ({listed})" if len(names) > 1 and listed else ""
        notes.append(
            f"{which} of nucleotides{listed} and will not be used: chains are only compared with protein sequences."
        )
    return notes


def read_records(content: str) -> Iterator[tuple[str, str]]:
    """Yield header and residues of each record, upper case; white space, ``*``, ``-``, ``.`` and digits are dropped.

    A record without letters is omitted unless it is the last. Full-width letters are read as plain ones.

    Raises
    ------
    ValueError
        If a sequence contains a character that is not a letter; the message names it and the remedy.
    """
    for header, letters in _records(content):
        yield header, _residues(letters)


def _records(content: str) -> Iterator[tuple[str, str]]:
    """Yield header and lines of each record."""
    text = unicodedata.normalize("NFKC", content.removeprefix("\ufeff"))
    header = ""
    lines: list[str] = []
    for line in _as_fasta(text).splitlines():
        if line.lstrip().startswith((">", ";")):
            if any(lines):
                yield header, "\n".join(lines)
            header, lines = line.strip()[1:].strip(), []
        else:
            lines.append(line.strip())
    yield header, "\n".join(lines)


def _as_fasta(text: str) -> str:
    """Return an alignment or the SEQRES lines of a PDB file as FASTA; other text unchanged."""
    records: dict[str, str] = {}
    if alignment := _ALIGNMENT.match(text):
        for line in text[alignment.end() :].splitlines():
            if row := _ROW.fullmatch(line):
                records[row[1]] = f"{records.get(row[1], '')}{row[2]}"
    elif text.startswith("SEQRES"):
        for line in text.splitlines():
            if line.startswith("SEQRES"):
                chain = f"chain {line[11:12]}"
                records[chain] = f"{records.get(chain, '')} {line[19:70]}"
    return "".join(f">{name}\n{residues}\n" for name, residues in records.items()) if records else text


def _is_three_letter(letters: str) -> bool:
    """Return whether residues are written as two or more three-letter codes."""
    return (
        len(re.sub(r"[^A-Za-z]", "", letters)) > len("ALA")
        and _SEPARATED.fullmatch(letters) is not None
        and _CODES.fullmatch(letters) is not None
    )


def _residues(letters: str) -> str:
    if _is_three_letter(letters):
        return "".join(map(_LETTERS.__getitem__, re.findall("[A-Z]{3}", re.sub("[^A-Z]", "", letters.upper()))))
    residues = re.sub(r"[\s*\-.0-9]", "", letters)
    if wrong := re.search(r"[^A-Za-z]", residues):
        raise ValueError(f"{wrong.group()!r} is not a residue letter: give FASTA or one-letter residues")
    return residues.upper()
