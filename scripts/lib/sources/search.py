"""From a query to entries: the same meaning on every source.

Words that look like PDB ids and that the source knows name entries; they come first. UniProt
accessions select by accession; phrases and the remaining words are full text, all of them.
Only when that finds nothing is any word enough, and only when the whole query finds nothing
is the target's name tried; both are said. A word of one letter narrows a search (cathepsin B),
but finds nothing alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scripts.lib.entry.fasta import SHORTEST_SEQUENCE, read_fasta
from scripts.lib.sources.base import Hit, Known, Source, SourceError
from scripts.lib.sources.query import Query, entry_id_of, parse_query, words_of


@dataclass(slots=True)
class Candidate:
    """An entry that a search found.

    Parameters
    ----------
    entry_id : str
        The entry to take; empty when a withdrawn one has no successor that could be had.
    requested_id : str
        The id asked for: another one when that entry was withdrawn.
    hits : list of str
        Why it was found: ``named``, ``pinned``, ``accession:P00533``, ``all_words``, ``any_word``,
        ``sequence``, ``all_files``; with ``target_name/`` before when the target's name found it.
    score : float or None
        Relevance, on the source's own scale.
    exempt : bool
        Whether filters don't apply to it.
    withdrawn : bool
        Whether the entry asked for was withdrawn.
    successors : tuple of str
        Entries that replaced it.
    """

    entry_id: str
    requested_id: str
    hits: list[str]
    score: float | None = None
    exempt: bool = False
    withdrawn: bool = False
    successors: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What a search found, best first, and what a user should know of how.

    Parameters
    ----------
    candidates : list of Candidate
        Entries, each once.
    not_found : list of str
        Ids asked for that the source doesn't know.
    parsed : dict
        How the query was read.
    fallbacks : list of str
        Codes of what was tried because nothing was found: ``any_word``, ``words_dropped``, ``target_name``.
    notes : list of str
        Sentences.
    totals : dict
        Hits by kind.
    """

    candidates: list[Candidate] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)
    parsed: dict[str, list[str]] = field(default_factory=dict)
    fallbacks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)


def pinned_entries(source: Source, entry_ids: Sequence[str]) -> Outcome:
    """Return exactly these entries, in their order; filters don't apply."""
    outcome = Outcome()
    wanted = list(dict.fromkeys(entry_id_of(name) or name.lower() for name in entry_ids))
    known = source.resolve(wanted)
    for entry_id in wanted:
        if entry_id in known:
            outcome.candidates.append(_named(entry_id, known[entry_id], "pinned"))
        else:
            outcome.not_found.append(entry_id)
    outcome.totals["pinned"] = len(outcome.candidates)
    return outcome


def find_entries(source: Source, search_query: str, target_name: str) -> Outcome:
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
    outcome = _find(source, parse_query(search_query), "")
    differs = " ".join(target_name.split()).casefold() != " ".join(search_query.split()).casefold()
    if not outcome.candidates and differs:
        second = _find(source, parse_query(target_name), "target_name/")
        outcome.notes.append("The query found nothing, so the target's name was searched for.")
        outcome.fallbacks += ["target_name", *second.fallbacks]
        outcome.notes += second.notes
        outcome.candidates = second.candidates
        outcome.totals.update({f"target_name/{key}": value for key, value in second.totals.items()})
    if not outcome.candidates:
        sought = f"{search_query!r} and {target_name!r}" if differs else repr(search_query)
        outcome.notes.append(f"Nothing was found for {sought}: try fewer or other words, a PDB id, or another source.")
    return outcome


def add_sequence_hits(source: Source, outcome: Outcome, sequences: Sequence[str], min_identity: float) -> None:
    """Add the entries that a sequence search finds to an outcome, behind those that it has.

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
            outcome.candidates.append(Candidate(entry_id, entry_id, ["sequence"], score))


def sequences_of(fasta: str) -> list[str]:
    """Return the sequences of FASTA text or of bare letters as `read_fasta` does, each once.

    Raises
    ------
    SourceError
        If there is no sequence or it holds other characters than letters.
    """
    try:
        sequences = read_fasta(fasta)
    except ValueError as error:
        raise SourceError(f"fasta_seq holds {error}.") from None
    if not sequences:
        raise SourceError(f"fasta_seq holds no sequence of {SHORTEST_SEQUENCE} residues: give FASTA or bare letters.")
    return list(dict.fromkeys(sequences))


def _named(entry_id: str, known: Known, hit: str) -> Candidate:
    return Candidate(
        entry_id=known.entry_id,
        requested_id=entry_id,
        hits=[hit],
        exempt=True,
        withdrawn=known.withdrawn,
        successors=known.successors,
    )


def _find(source: Source, query: Query, prefix: str) -> Outcome:
    """Search for one query: named entries, then text."""
    known = source.resolve(query.entry_ids) if query.entry_ids else {}
    known_accessions = source.known_accessions(query.accessions)
    accessions = [name for name in query.accessions if name in known_accessions]
    terms = query.words(set(known), set(accessions))
    outcome = Outcome(parsed=_described(query, known, accessions, terms))
    outcome.candidates = [_named(name, known[name], f"{prefix}named") for name in query.entry_ids if name in known]
    outcome.totals["named"] = len(outcome.candidates)
    if not (terms or accessions or known) and source.lists_all:
        hits = [(entry_id, 0.0) for entry_id in source.all_entries()]
        _merge(outcome, hits, [f"{prefix}all_files"], {})
        outcome.totals["all_files"] = len(hits)
        return outcome
    if terms or accessions:
        _add_text_hits(source, outcome, terms, accessions, prefix)
    unknown = [name for name in query.entry_ids if name not in known]
    if unknown and not outcome.totals.get("all_words"):
        outcome.not_found = unknown
    for name in unknown:
        outcome.notes.append(
            f"{query.spelling[name]} looks like a PDB id that the source doesn't know; taken as a word."
        )
    return outcome


def _add_text_hits(
    source: Source, outcome: Outcome, terms: Sequence[str], accessions: Sequence[str], prefix: str
) -> None:  # fmt: skip
    """Add the hits of full text and accessions: all words, else any word, else the accessions alone."""
    telling = [term for term in terms if len("".join(words_of(term))) > 1]
    if terms and not telling and not accessions:
        outcome.totals["all_words"] = 0
        outcome.notes.append(f"{', '.join(terms)}: too short to search for alone; give a word of two letters or more.")
        return
    hits = source.text_search(terms, accessions, any_term=False)
    outcome.totals["all_words"] = len(hits)
    reason = "all_words" if terms else ""
    if not hits and telling and len(terms) > 1:
        hits = source.text_search(telling, accessions, any_term=True)
        outcome.totals["any_word"] = len(hits)
        outcome.fallbacks.append("any_word")
        enough = "any of them was" if len(telling) > 1 else f"{telling[0]} alone was"
        outcome.notes.append(f"No entry has all the words ({', '.join(terms)}), so {enough} enough.")
        reason = "any_word"
    if not hits and terms and accessions:
        hits = source.text_search((), accessions, any_term=False)
        outcome.totals["accessions"] = len(hits)
        outcome.fallbacks.append("words_dropped")
        outcome.notes.append(f"No entry of {', '.join(accessions)} has any of the words, so they were left out.")
        reason = ""
    owners: dict[str, list[str]] = {}
    if len(accessions) > 1:
        for name in accessions:
            for entry_id, _ in source.text_search((), [name], any_term=False):
                owners.setdefault(entry_id, []).append(f"{prefix}accession:{name}")
    elif accessions:
        owners = {entry_id: [f"{prefix}accession:{accessions[0]}"] for entry_id, _ in hits}
    _merge(outcome, hits, [f"{prefix}{reason}"] if reason else [], owners)


def _merge(outcome: Outcome, hits: Sequence[Hit], reasons: list[str], owners: dict[str, list[str]]) -> None:
    """Add hits to the candidates; an entry that is there already gets the reason and score too."""
    listed = {candidate.entry_id: candidate for candidate in outcome.candidates}
    for entry_id, score in hits:
        why = [*owners.get(entry_id, ()), *reasons]
        if entry_id in listed:
            listed[entry_id].hits += why
            listed[entry_id].score = score
        else:
            outcome.candidates.append(Candidate(entry_id, entry_id, why, score))


def _described(
    query: Query, known: dict[str, Known], accessions: Sequence[str], terms: Sequence[str]
) -> dict[str, list[str]]:
    return {
        "named": [name for name in query.entry_ids if name in known],
        "accessions": list(accessions),
        "terms": list(terms),
        "ignored": list(query.ignored),
    }
