"""Take a search query apart: PDB ids, UniProt accessions, phrases and words.

Everything is data: no character of a query means an operator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scripts.lib.entry.mmcif_header import accession

_CLASSIC_ID = re.compile(r"[0-9][A-Za-z0-9]{3}")
_EXTENDED_ID = re.compile(r"pdb_([A-Za-z0-9]{8})", re.IGNORECASE)
_ANY_ID = re.compile(r"[0-9][a-z0-9]{3}|pdb_[a-z0-9]{8}")
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u00ab": '"', "\u00bb": '"'})
_PIECES = re.compile(r"(?<=[^\W\d_]{2})(?=\d+(?:\s|$))")
_MAX_PIECES = 4
_SPLIT = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart; each part in the order of the text, each item once.

    Parameters
    ----------
    entry_ids : tuple of str
        Words that look like PDB ids, lower case, ``pdb_00001abc`` as ``1abc``. Those that the
        source doesn't know are words.
    accessions : tuple of str
        Words that look like UniProt accessions, upper case, without isoform. Those that the
        source doesn't know are words.
    terms : tuple of str
        Phrases and the remaining words, single blanks between words.
    ignored : tuple of str
        Parts without a letter or digit.
    spelling : dict of str to str
        The word behind each id and accession, as written.
    """

    entry_ids: tuple[str, ...]
    accessions: tuple[str, ...]
    terms: tuple[str, ...]
    ignored: tuple[str, ...]
    spelling: dict[str, str]

    def words(self, entry_ids: set[str], accessions: set[str]) -> tuple[str, ...]:
        """Return the full-text terms when only the given ids and accessions are known to the source."""
        unknown = [self.spelling[name] for name in self.entry_ids if name not in entry_ids]
        unknown += [self.spelling[name] for name in self.accessions if name not in accessions]
        return tuple(dict.fromkeys([*self.terms, *unknown]))


def parse_query(text: str) -> Query:
    """Take a query apart.

    Parameters
    ----------
    text : str
        What the user typed, for example ``EGFR "kinase domain" 1M17 P00533``.
    """
    ids: dict[str, str] = {}
    accessions: dict[str, str] = {}
    terms: dict[str, None] = {}
    ignored: dict[str, None] = {}
    for phrase, word in _SPLIT.findall(text.translate(_QUOTES)):
        part = " ".join(phrase.split()) or word
        if not any(character.isalnum() for character in part):
            if part:
                ignored[part] = None
            continue
        bare = word.strip(",;.:()[]{}")
        if entry_id := entry_id_of(bare):
            ids.setdefault(entry_id, bare)
        elif found := accession(bare):
            accessions.setdefault(found, bare)
        else:
            terms[bare or part] = None
    return Query(tuple(ids), tuple(accessions), tuple(terms), tuple(ignored), {**ids, **accessions})


def entry_id_of(word: str) -> str:
    """Return the lower-case entry id if a word looks like one, else an empty text.

    An extended id of a classic entry is given its four characters: ``pdb_00005t35`` is ``5t35``.
    """
    if _CLASSIC_ID.fullmatch(word):
        return word.lower()
    match = _EXTENDED_ID.fullmatch(word)
    if match is None:
        return ""
    tail = match[1].lower()
    if tail.startswith("0000") and _CLASSIC_ID.fullmatch(tail[4:]):
        return tail[4:]
    return f"pdb_{tail}"


def is_entry_id(text: str) -> bool:
    """Tell whether a text is a lower-case PDB id, safe as part of a file name."""
    return _ANY_ID.fullmatch(text) is not None


def spellings(term: str) -> list[str]:
    """Return the phrases that stand for a term, the term itself first, lower case, words joined by blanks.

    A single word may be written with hyphens, with blanks or in one: ``HIV-1``, ``HIV 1``,
    ``HIV1``; ``SARS-CoV-2``, ``SARS CoV2``. A phrase of several words is taken as it is.
    """
    written = " ".join(words_of(term))
    if len(term.split()) != 1 or not written:
        return [written] if written else []
    pieces = _PIECES.sub(" ", written).split()
    if len(pieces) > _MAX_PIECES:
        return list(dict.fromkeys([written, "".join(pieces)]))
    joined = [pieces[0]]
    for piece in pieces[1:]:
        joined = [text + joint + piece for text in joined for joint in (" ", "")]
    return list(dict.fromkeys([written, *joined]))


def words_of(term: str) -> list[str]:
    """Return the runs of letters and digits of a term, lower case."""
    return re.findall(r"[^\W_]+", term.lower())
