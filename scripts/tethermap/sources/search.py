"""From a query to entries: the same meaning on every source.

Words that look like PDB ids and that the source knows name entries; they come first. UniProt accessions select by
accession, and an accession without entries counts as known; phrases and the remaining words are full text, all of them,
or one side of an OR; terms after NOT or a minus exclude entries.
Only if a side finds nothing, any word is enough; only if the query finds nothing and has words, the target's name is
tried; both are reported. A word of one letter narrows a search (cathepsin B), but finds nothing as the only word.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tethermap.base.fasta import SHORTEST_SEQUENCE, read_fasta
from tethermap.base.identifiers import accession, entry_id_of
from tethermap.sources.base import Hit, KnownEntry, Source, SourceError
from tethermap.sources.query import NO_BRACKETS, Query, parse_query, parts_of, query_notes, words_of

ACCESSIONS = "accession:"
"""Prefix of the reason of entries that an accession found; with several accessions, the entry's accessions are added
when its metadata are available."""


@dataclass(slots=True)
class FoundEntry:
    """An entry that a search found.

    Parameters
    ----------
    entry_id : str
        The entry to use; empty if a withdrawn one has no available successor.
    requested_id : str
        The requested id: differs if that entry was withdrawn.
    hits : list of str
        Reasons of the hit: ``named``, ``pinned``, ``accession:P00533``, ``all_words``, ``any_word``, ``sequence``,
        ``all_files``, ``listed``; with the prefix ``target_name/`` if the target's name found it.
    score : float or None
        Relevance, on the source's own scale.
    exempt : bool
        Whether filters don't apply to it.
    successors : tuple of str
        Entries that replaced it.
    """

    entry_id: str
    requested_id: str
    hits: list[str]
    score: float | None = None
    exempt: bool = False
    successors: tuple[str, ...] = ()


@dataclass(slots=True)
class SearchResult:
    """Hits of a search, best first, and notes for the user.

    Parameters
    ----------
    candidates : list of FoundEntry
        Entries, each once.
    not_found : list of str
        Requested ids that the source doesn't have.
    absent : list of str
        Accessions that no entry of the source has, and ids named as such that it doesn't have.
    parsed : dict
        The parsed query.
    fallbacks : list of str
        Codes of the fallbacks that were tried: ``any_word``, ``words_dropped``, ``target_name``.
    notes : list of str
        Sentences.
    totals : dict
        Hits by kind.
    """

    candidates: list[FoundEntry] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    parsed: dict[str, list[str]] = field(default_factory=dict)
    fallbacks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)


def pinned_entries(source: Source, entry_ids: Sequence[str]) -> SearchResult:
    """Return exactly these entries, in their order; filters don't apply."""
    outcome = SearchResult()
    wanted = list(dict.fromkeys(entry_id_of(name) or name.lower() for name in entry_ids))
    found = source.resolve(wanted)
    for entry_id in wanted:
        if entry_id in found:
            outcome.candidates.append(_named(entry_id, found[entry_id], "pinned"))
        else:
            outcome.not_found.append(entry_id)
    if outcome.not_found:
        listed = ", ".join(outcome.not_found[:10]) + (" …" if len(outcome.not_found) > 10 else "")
        outcome.notes.append(f"The source ({source.label}) does not have these entries: {listed}.")
    outcome.totals["pinned"] = len(outcome.candidates)
    return outcome


def find_entries(source: Source, search_query: str, target_name: str) -> SearchResult:
    """Return the entries that a query finds, and failing that those that the target's name finds.

    Parameters
    ----------
    source : Source
        Where to look.
    search_query : str
        The query.
    target_name : str
        Tried when the query finds nothing and differs from it.
    """
    query = parse_query(search_query)
    if query.has_brackets:
        raise SourceError(f"The query {search_query!r} {NO_BRACKETS}.", "input")
    outcome = _find(source, query, "")
    outcome.notes[:0] = query_notes(search_query)
    known = {candidate.entry_id for candidate in outcome.candidates}
    if wordless := [(entry_id, 0.0) for entry_id in source.wordless if entry_id not in known]:
        _merge(outcome, wordless, ["listed"])
        outcome.notes.append(f"{len(wordless)} file(s) without a header were used because the list names them.")
    answered = outcome.absent or (not query.terms and (query.entry_ids or query.accessions))
    differs = " ".join(target_name.split()).casefold() != " ".join(search_query.split()).casefold()
    if not outcome.candidates and differs and not answered:
        second = _find(source, parse_query(target_name), "target_name/")
        outcome.notes.append("The query found nothing, so the target's name was searched for.")
        outcome.fallbacks += ["target_name", *second.fallbacks]
        outcome.notes += second.notes
        outcome.candidates = second.candidates
        outcome.totals.update({f"target_name/{key}": value for key, value in second.totals.items()})
    if not outcome.candidates and not outcome.absent:
        sought = f"{search_query!r} and {target_name!r}" if differs and not answered else repr(search_query)
        outcome.notes.append(f"Nothing was found for {sought}: try fewer or other words, a PDB id, or another source.")
    return outcome


def add_sequence_hits(source: Source, outcome: SearchResult, sequences: Sequence[str], min_identity: float) -> None:
    """Append the entries that a sequence search finds to an outcome.

    Raises
    ------
    SourceError
        If the source has no sequence search.
    """
    best: dict[str, float] = {}
    for sequence in sequences:
        for entry_id, score in source.sequence_search(sequence, min_identity):
            best[entry_id] = max(score, best.get(entry_id, score))
    outcome.totals["sequence"] = len(best)
    listed = {candidate.entry_id: candidate for candidate in outcome.candidates}
    for entry_id, score in sorted(best.items(), key=lambda item: (-item[1], item[0])):
        if entry_id in listed:
            listed[entry_id].hits.append("sequence")
        else:
            outcome.candidates.append(FoundEntry(entry_id, entry_id, ["sequence"], score))


def sequences_of(fasta: str) -> list[str]:
    """Return the distinct sequences of FASTA text or of bare letters, like `read_fasta`.

    Raises
    ------
    SourceError
        If there is no sequence or it contains other characters than letters.
    """
    try:
        sequences = read_fasta(fasta)
    except ValueError as error:
        raise SourceError(f"The sequence can't be used: {error}.") from None
    if not sequences:
        raise SourceError(f"There is no sequence of {SHORTEST_SEQUENCE} residues: give FASTA or bare letters.")
    return list(dict.fromkeys(sequences))


def _named(entry_id: str, entry: KnownEntry, hit: str) -> FoundEntry:
    return FoundEntry(entry.entry_id, entry_id, [hit], None, True, entry.successors)


def _find(source: Source, query: Query, prefix: str) -> SearchResult:
    """Search for one query: named entries, then text, side by side of its ORs."""
    known = source.resolve(list(query.entry_ids)) if query.entry_ids else {}
    known_accessions = source.known_accessions(list(query.accessions))
    accessions = [name for name in query.accessions if name in known_accessions]
    absent = _absent(source, query, {*known, *accessions})
    no_words = {*known, *accessions, *absent}
    named = [name for name in query.entry_ids if name in known]
    outcome = SearchResult([_named(name, known[name], f"{prefix}named") for name in named], absent=absent)
    terms = list(dict.fromkeys(word for clause in query.clauses for word in clause.words(no_words)))
    outcome.parsed = {"named": named, "accessions": accessions, "terms": terms, "ignored": list(query.ignored)}
    outcome.parsed |= {"absent": absent} if absent else {}
    outcome.parsed |= {"excluded": list(query.excluded)} if query.excluded else {}
    outcome.totals["named"] = len(named)
    is_empty = not (query.terms or query.accessions or query.entry_ids)
    if is_empty and source.lists_all:
        hits = [(entry_id, 0.0) for entry_id in source.all_entries()]
        left = _without(source, hits, (), (), query.excluded)
        _merge(outcome, left, [f"{prefix}all_files"])
        outcome.totals["all_files"] = len(left)
        return outcome
    sides: list[_Side] = []
    for clause in query.clauses:
        words, own = clause.words(no_words), [name for name in clause.accessions if name in known_accessions]
        if own or (words and not set(clause.accessions) & set(absent)):
            sides.append((words, own, list(clause.excluded)))
        elif clause.excluded and not (clause.entry_ids or clause.accessions):
            names = ", ".join(clause.excluded)
            outcome.notes.append(f"{names}: excluded, but nothing is searched for; give a word as well.")
    if sides:
        _add_text_hits(source, outcome, sides, prefix)
    if named_out := {name for name in map(entry_id_of, query.excluded) if name}:
        outcome.candidates = [one for one in outcome.candidates if one.requested_id not in named_out]
    unknown = [name for name in query.entry_ids if name not in known]
    outcome.not_found = [name for name in unknown if name in absent or not outcome.totals.get("all_words")]
    for name in absent:
        what = f"entry {name.upper()}" if name in query.entry_ids else f"entry of {name}"
        outcome.notes.append(f"No {what} here ({source.label}): check it, give a name instead, or another source.")
    outcome.notes += [
        f"{query.entry_ids[name]} looks like a PDB id that the source doesn't know; taken as a word."
        for name in unknown
        if name not in absent
    ]
    return outcome


def _absent(source: Source, query: Query, known: Collection[str]) -> list[str]:
    """Return the accessions and marked ids that a source does not have, nor as a word in ``P2RY12``."""
    unknown = {name: word for name, word in {**query.entry_ids, **query.accessions}.items() if name not in known}
    words = [word for name, word in unknown.items() if word and name in query.accessions]
    if len(words) > 1 and not source.text_search(words, (), any_term=True):
        words = []
    found = {word for word in words if source.text_search([word], (), any_term=False)}
    return [name for name, word in unknown.items() if not word or (name in query.accessions and word not in found)]


_Side = tuple[list[str], list[str], list[str]]
"""One side of a query's ORs, limited to the terms that the source supports: words, accessions, and exclusions."""


def _without(
    source: Source, hits: Sequence[Hit], terms: Sequence[str], accessions: Sequence[str], excluded: Iterable[str]
) -> list[Hit]:
    """Return hits without those that also match an exclusion; ids are excluded by name."""
    gone: set[str] = set()
    for word in excluded:
        if entry_id := entry_id_of(word):
            gone.add(entry_id)
        name = accession(word)
        if name and source.known_accessions([name]):
            gone.update(entry_id for entry_id, _ in source.text_search((), [name], any_term=False))
        elif hits and words_of(word):
            gone.update(entry_id for entry_id, _ in source.text_search([*terms, word], accessions, any_term=False))
    return [hit for hit in hits if hit[0] not in gone]


def _add_text_hits(source: Source, outcome: SearchResult, sides: Sequence[_Side], prefix: str) -> None:
    """Add the hits of full text and accessions: all words of each side, else any word, else only the accessions."""
    hits_of_sides = []
    for terms, accessions, _ in sides:
        is_short = terms and not _telling(terms) and not accessions
        if is_short:
            outcome.notes.append(f"{', '.join(terms)}: too short for a search; add a word of two letters or more.")
        hits_of_sides.append([] if is_short else source.text_search(terms, accessions, any_term=False))
    outcome.totals["all_words"] = len({entry_id for hits in hits_of_sides for entry_id, _ in hits})
    for (terms, accessions, excluded), all_hits in zip(sides, hits_of_sides, strict=True):
        hits, reason = all_hits, "all_words" if terms else ""
        if not all_hits:
            hits, reason = _wider_hits(source, outcome, terms, accessions)
        if not hits and len(sides) > 1:
            outcome.notes.append(f"Nothing was found for one side of OR: {' '.join([*terms, *accessions])}.")
        hits = _without(source, hits, terms if reason == "all_words" else (), accessions, excluded)
        why = [f"{prefix}{ACCESSIONS}{','.join(accessions)}"] if accessions else []
        _merge(outcome, hits, [*why, *([f"{prefix}{reason}"] if reason else [])])
    if len(sides) > 1:  # the best first, from either side
        named = outcome.totals.get("named", 0)
        by_text = outcome.candidates[named:]
        outcome.candidates[named:] = sorted(by_text, key=lambda one: (-(one.score or 0.0), one.entry_id))


def _telling(terms: Sequence[str]) -> list[str]:
    """Return the terms of two letters or more."""
    return [term for term in terms if len("".join(words_of(term))) > 1]


def _wider_hits(
    source: Source, outcome: SearchResult, terms: Sequence[str], accessions: Sequence[str]
) -> tuple[list[Hit], str]:
    """Return the entries of a side without hits by any of its words, else by its accessions, and the reason."""
    hits, reason = list[Hit](), "all_words" if terms else ""
    enough = _telling(terms) if len(terms) > 1 else parts_of(terms[0]) if terms else []
    if enough:
        hits = source.text_search(enough, accessions, any_term=True)
        outcome.totals["any_word"] = outcome.totals.get("any_word", 0) + len(hits)
        outcome.fallbacks.append("any_word")
        used = f"only {enough[0]}" if len(enough) == 1 else f"any of its parts ({', '.join(enough)})"
        used = "any of them" if len(enough) > 1 and len(terms) > 1 else used
        outcome.notes.append(f"No entry has all the words ({', '.join(terms)}), so the search used {used}.")
        reason = "any_word"
    if not hits and terms and accessions:
        hits = source.text_search((), accessions, any_term=False)
        outcome.totals["accessions"] = len(hits)
        outcome.fallbacks.append("words_dropped")
        names = ", ".join(accessions)
        outcome.notes.append(f"No entry of {names} has any of the words, so the search ignored the words.")
        reason = ""
    return hits, reason


def _merge(outcome: SearchResult, hits: Sequence[Hit], reasons: list[str]) -> None:
    """Add hits to the candidates; an existing entry also gets the reason and the better score."""
    listed = {candidate.entry_id: candidate for candidate in outcome.candidates}
    for entry_id, score in hits:
        if entry_id in listed:
            listed[entry_id].hits += reasons
            listed[entry_id].score = max(score, listed[entry_id].score or score)
        else:
            outcome.candidates.append(FoundEntry(entry_id, entry_id, list(reasons), score))
