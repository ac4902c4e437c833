"""Find the target chains of an entry: by sequence, otherwise by names."""

import re
from typing import NamedTuple

from tethermap.entry.metadata import EntryMetadata, PolymerEntity
from tethermap.entry.reader import EntryError
from tethermap.entry.target_query import TargetQuery


class TargetChains(NamedTuple):
    """The target chains of one entry.

    Parameters
    ----------
    entities : tuple of PolymerEntity
        The polymers that match.
    match : str
        How, of `tethermap.base.reasons.TARGET_MATCHES`.
    identity, coverage : float or None
        Match of the best alignment; None without sequence.
    """

    entities: tuple[PolymerEntity, ...]
    match: str
    identity: float | None = None
    coverage: float | None = None


def find_target(metadata: EntryMetadata, query: TargetQuery) -> TargetChains:
    """Return the target chains of an entry.

    Parameters
    ----------
    metadata : EntryMetadata
        Polymers of the entry.
    query : TargetQuery
        Criteria for the target.

    Raises
    ------
    EntryError
        If no chain matches the sequence (``no_target_chain``), or nothing matches and the
        query is strict (``unmatched_target``).
    """
    entities = metadata.entities
    if query.sequences:
        return _by_sequence(entities, query)
    words = _words(query.name)
    rules = (
        ("accession", [e for e in entities if query.accessions & set(e.uniprot)]),
        ("gene", [e for e in entities if _has_gene(e, query.name, words)]),
        ("name", [e for e in entities if words and words <= _words(" ".join((e.description, *e.names)))]),
        ("named", list(entities) if metadata.entry_id in query.named_entries else []),
    )
    for match, chosen in rules:
        if chosen:
            return TargetChains(tuple(chosen), match)
    if query.strict:
        raise EntryError("unmatched_target", query.name)
    return TargetChains(entities, "unmatched")


def _by_sequence(entities: tuple[PolymerEntity, ...], query: TargetQuery) -> TargetChains:
    # Imported here: the alignment costs 0.1 s to import and most jobs give no sequence.
    from tethermap.entry.sequence import SequenceMatch, best_match

    limits = {"min_identity": query.min_identity, "min_coverage": query.min_coverage}
    found = [(*best_match(query.sequences, entity.sequence, **limits), entity) for entity in entities]
    alike = [one for one in found if one[1]]
    matches = (match for match, _, _ in alike or found)
    best = max(matches, key=lambda match: match.identity * match.coverage, default=SequenceMatch())
    if not alike:
        raise EntryError("no_target_chain", f"identity {best.identity:.3f}, coverage {best.coverage:.3f}")
    return TargetChains(tuple(entity for _, _, entity in alike), "sequence", best.identity, best.coverage)


def _words(content: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", content.lower()))


def _has_gene(entity: PolymerEntity, name: str, words: frozenset[str]) -> bool:
    """Return whether a gene of the polymer is the target name, or one of its words (two letters or more)."""
    genes = {gene.lower() for gene in entity.genes}
    return name.strip().lower() in genes or any(len(word) > 1 and word in genes for word in words)
