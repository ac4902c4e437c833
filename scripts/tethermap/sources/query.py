"""Parse a search query: PDB ids, UniProt accessions, phrases and words, and the operators that join or exclude them.

``AND``, ``OR``, ``NOT`` in capitals and a leading ``-`` are operators; words side by side are joined by AND, which
binds more closely than OR. Everything else is data.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields

from tethermap.base.identifiers import ENTRY_ID, accession, entry_id_of, marked_accession, marked_entry

_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u00ab": '"', "\u00bb": '"'})
_PIECES = re.compile(r"(?<=[^\W\d_]{2})(?=\d+(?:\s|$))|(?<=\b\d)(?=[^\W\d_]{2})")
_KIND = r"(?:[\s_-]*(?:IDs?|codes?|entry|entries|accessions?|AC|numbers?)\b)*[\s:=#]*"
_LABELS = re.compile(
    rf'(?P<phrase>"[^"]*"?)|(?<![^\W_])(?<![./])(?:'
    rf"(?P<database>(?:RCSB\s+)?(?:ww)?PDB[ej]?|RCSB){_KIND}(?={ENTRY_ID}\b)"
    rf"|(?P<protein>Uni-?Prot)(?:KB)?{_KIND}(?=[A-NR-Z][0-9]|[OPQ][0-9])"
    r"|DOI[\s:]*(?=10\.2210/))",
    re.IGNORECASE,
)
"""``PDB ID`` before an id, ``UniProt accession`` before an accession: labels, not search words."""

_SPLIT = re.compile(r'([-\u2013\u2212]?)"([^"]*)"?|([^\s"]+)')
_MINUS = "-\u2013\u2212"
_GREEK = {letter: f" {unicodedata.name(letter).split()[-1].lower()} " for letter in map(chr, range(0x3B1, 0x3CA))}
_GREEK |= {"\u03bb": " lambda ", "\u00df": " beta ", "\u00b5": " mu ", "\u03d5": " phi ", "\u03f5": " epsilon "}
_LATIN = str.maketrans(_GREEK)
"""Greek letters, which the PDB writes out, and signs that stand for them."""

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
"""Full-width letters and signs of East Asian keyboards."""

_WILDCARD = re.compile(r"(?<!\S)\*+(?=[^\W_])|(?<=[^\W_])\*+(?!\S)|(?<!\S)(?P<word>[^\s/?]+)\?+(?=[^\W_])")
"""Signs that stand for letters elsewhere; ``HLA-A*02:01``, ``which kinase?`` and addresses have none."""

NO_BRACKETS = (
    "has brackets with operators, which are not supported: AND binds more closely than OR, so write each side of an OR"
    " in full, as in: EGFR kinase OR HER2 kinase"
)
"""Reason to refuse a query that `Query.has_brackets` marks."""


@dataclass(slots=True)
class Clause:
    """Conditions and exclusions for entries; one side of OR.

    Parameters
    ----------
    terms : dict of str to None
        Phrases and words in order, each once.
    entry_ids, accessions : dict of str to str
        Words that look like PDB ids (lower case, ``pdb_00001abc`` as ``1abc``) or UniProt accessions (upper case,
        without isoform), each as written; empty if they can't be a word to search for (``PDB:2ITY``, an address).
    excluded : dict of str to None
        Phrases, words, ids and accessions after NOT or a minus.
    """

    terms: dict[str, None] = field(default_factory=dict)
    entry_ids: dict[str, str] = field(default_factory=dict)
    accessions: dict[str, str] = field(default_factory=dict)
    excluded: dict[str, None] = field(default_factory=dict)

    def words(self, known: Collection[str]) -> list[str]:
        """Return the full-text terms if the known ids and accessions are not searched for as words."""
        spelled = {**self.entry_ids, **self.accessions}.items()
        return list(dict.fromkeys([*self.terms, *(word for name, word in spelled if word and name not in known)]))


@dataclass(slots=True)
class Query(Clause):
    """A query taken apart: the conditions and exclusions of all its clauses, and these.

    Parameters
    ----------
    clauses : tuple of Clause
        The sides of its ORs; a single one without OR.
    ignored : tuple of str
        Parts without a letter or digit.
    has_brackets : bool
        Whether it groups words by brackets next to operators, which is not supported.
    """

    clauses: tuple[Clause, ...] = ()
    ignored: tuple[str, ...] = ()
    has_brackets: bool = False


def parse_query(text: str) -> Query:
    """Take a query apart.

    Parameters
    ----------
    text : str
        The user's text, for example ``EGFR "kinase domain" 1M17 P00533 -T790M``.

    >>> query = parse_query('EGFR "kinase domain" 1M17 P00533 -T790M')
    >>> list(query.terms), list(query.excluded)
    (['EGFR', 'kinase domain'], ['T790M'])
    """
    text = _WILDCARD.sub(lambda sign: sign["word"] or "", text.translate(_WIDE))
    clauses = [Clause()]
    ignored: dict[str, None] = {}
    negated = operators = brackets = False
    for minus, phrase, word in _parts(text):
        if word in ("AND", "OR", "NOT"):
            operators = True
            negated = word == "NOT"
            if word == "OR" and clauses[-1] != Clause():
                clauses.append(Clause())
            continue
        part = phrase or word
        if not any(map(str.isalnum, part)):
            brackets = brackets or part.strip(_MINUS) in ("(", ")", "[", "]")
            if part:
                ignored[part] = None
            continue
        brackets = brackets or any(word.count(opened) != word.count(closed) for opened, closed in ("()", "[]"))
        operators = operators or minus
        clause, is_excluded, negated = clauses[-1], negated or minus, False
        if phrase:
            (clause.excluded if is_excluded else clause.terms)[phrase] = None
            continue
        for name in _listed(word.strip(",;.:()[]{}")):
            _add(clause, name, is_excluded=is_excluded)
    if len(clauses) > 1 and clauses[-1] == Clause():
        clauses.pop()
    joined = Query(clauses=tuple(clauses), ignored=tuple(ignored), has_brackets=operators and brackets)
    for item in fields(Clause):
        for clause in clauses:
            getattr(joined, item.name).update(getattr(clause, item.name))
    return joined


def query_notes(text: str) -> list[str]:
    """Return sentences on signs of a query whose interpretation the user may not expect.

    >>> query_notes("kinas* inhibitor"), query_notes("HLA-A*02:01")
    (['Words are searched for whole: * and ? are not wildcards, so write the words out.'], [])
    """
    plain = text.translate(_WIDE)
    notes = ["Full-width letters were read as plain ones."] if plain != text else []
    if _WILDCARD.search(plain):
        notes.append("Words are searched for whole: * and ? are not wildcards, so write the words out.")
    return notes


def _add(clause: Clause, name: str, *, is_excluded: bool) -> None:
    """Add an id, an accession or a word to a clause."""
    entry_id, code = marked_entry(name), marked_accession(name)
    if is_excluded:
        clause.excluded[entry_id or code or name] = None
    elif entry_id:
        clause.entry_ids[entry_id] = ""
    elif code:
        clause.accessions[code] = ""
    elif entry_id := entry_id_of(name):
        clause.entry_ids.setdefault(entry_id, name)
    elif code := accession(name):
        clause.accessions.setdefault(code, name)
    else:
        clause.terms[name] = None


def _parts(text: str) -> Iterator[tuple[bool, str, str]]:
    """Yield whether a part has a minus, and the phrase or the word that it is."""
    for minus, phrase, word in _SPLIT.findall(_LABELS.sub(_joined, text.translate(_QUOTES))):
        bare = word.lstrip("([{")
        if word and bare[:1] in _MINUS and bare.strip(_MINUS):
            yield True, "", word.replace(bare, bare[1:])
        else:
            yield bool(minus and phrase.strip()), " ".join(phrase.split()), word


def _listed(word: str) -> list[str]:
    """Return the ids of a list without blanks (``2ITY,4ZAU``); any other word is returned unchanged."""
    names = [name for name in re.split("[,;]", word) if name]
    marks = (entry_id_of, accession, marked_entry, marked_accession)
    return names if all(any(mark(name) for mark in marks) for name in names) else [word]


def _joined(label: re.Match[str]) -> str:
    """Return a label and the following id as one word; phrases are returned unchanged."""
    return label["phrase"] or ("PDB:" if label["database"] else "UniProt:" if label["protein"] else "")


def spellings(term: str) -> list[str]:
    """Return the phrases for a term, the term itself first, lower case, words joined by blanks.

    A single word may be written with hyphens, with blanks or in one: ``HIV-1``, ``HIV 1``,
    ``HIV1``; ``SARS-CoV-2``, ``SARS CoV2``; ``5HT6``, ``5-HT6``; ``p38α``, ``p38 alpha``. A phrase of several words is
    returned unchanged.
    """
    written = " ".join(words_of(term))
    if len(term.split()) != 1 or not written:
        return [written] if written else []
    pieces = _PIECES.sub(" ", written).split()
    if len(pieces) > 4:
        return list(dict.fromkeys([written, "".join(pieces)]))
    joined = [pieces[0]]
    for piece in pieces[1:]:
        joined = [text + joint + piece for text in joined for joint in (" ", "")]
    return list(dict.fromkeys([written, *joined]))


def parts_of(term: str) -> list[str]:
    """Return the parts of a hyphenated name that are words: of two letters or more, not Greek letters.

    >>> parts_of("Bcr-Abl"), parts_of("p38α"), parts_of("EGFR"), parts_of("main protease")
    (['bcr', 'abl'], ['p38'], [], [])
    """
    words = words_of(term)
    if len(words) < 2 or " " in term.strip():
        return []
    greek = {name.strip() for name in _GREEK.values()}
    return [word for word in words if len(word) > 1 and not word.isdigit() and word not in greek]


def words_of(term: str) -> list[str]:
    """Return the runs of letters and digits of a term, lower case, Greek letters written out.

    >>> words_of("p38α"), words_of("β-lactamase")
    (['p38', 'alpha'], ['beta', 'lactamase'])
    """
    return re.findall(r"[^\W_]+", term.lower().translate(_LATIN))
