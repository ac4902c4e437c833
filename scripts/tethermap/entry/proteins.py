"""The distinct proteins in the entries that a search finds, so that a user can choose one."""

from collections.abc import Mapping, Sequence
from typing import Any

from tethermap.base.fasta import SHORTEST_SEQUENCE
from tethermap.base.tables import by_key
from tethermap.entry.model import PolymerEntity

MOST_ENTRIES = 1000
"""Number of entries that are read, the most relevant first."""

MOST_PROTEINS = 50

FEWEST_RESIDUES = 40
"""A chain of fewer residues is a peptide, which a user is not offered as a target. House rule."""

Polymers = Mapping[str, Sequence[PolymerEntity]]
"""Polymers of entries by id, the most relevant entry first."""


def proteins_of(polymers: Polymers, *, min_identity: float = 0.9, min_coverage: float = 0.5) -> list[dict[str, Any]]:
    """Return the polymers of entries, those of one accession or of one sequence as one, the most frequent first.

    Parameters
    ----------
    polymers : mapping
        Polymers of each entry.
    min_identity, min_coverage : float
        Least identity and coverage by which a job takes a chain for one of its sequences.

    Returns
    -------
    list of dict
        ``name, gene, organism, accession, kind, entity`` (``5t35_1``, of the most relevant entry), ``chains``,
        ``sequence, n_entries``. The sequence finds the chains of all these entries: FASTA text of several records if
        their constructs are different domains, else only letters.
    """
    listed = [(entry_id, entity) for entry_id, entities in polymers.items() for entity in entities]
    keys = (one.uniprot[0] if one.uniprot else one.sequence or one.description for _, one in listed)
    members = by_key((key, one) for key, one in zip(keys, listed, strict=True) if key)
    entries_of = {key: len({entry_id for entry_id, _ in group}) for key, group in members.items()}
    chosen = sorted(members, key=lambda key: -entries_of[key])[:MOST_PROTEINS]
    return [{**_described(members[key], min_identity, min_coverage), "n_entries": entries_of[key]} for key in chosen]


def _described(group: Sequence[tuple[str, PolymerEntity]], min_identity: float, min_coverage: float) -> dict[str, Any]:
    """Return the description of one protein, with its most relevant entry first."""
    entry_id, entity = group[0]
    is_protein = _is_protein(entity)
    different = [entity]
    if is_protein:
        different = _different([member for _, member in group], min_identity, min_coverage) or different
    accession = entity.uniprot[0] if entity.uniprot else ""
    sequence = different[0].sequence
    if len(different) > 1:
        label = f"{entity.description or accession} construct".replace("\n", " ")
        sequence = "".join(f">{label} {n}\n{one.sequence}\n" for n, one in enumerate(different, start=1))
    kind = _kind(is_protein, [member.sequence for _, member in group])
    return {
        "name": entity.description or ("" if accession else f"{kind} of {len(entity.sequence)} residues"),
        "gene": entity.genes[0] if entity.genes else "",
        "organism": entity.organisms[0] if entity.organisms else "",
        "accession": accession,
        "kind": kind,
        "entity": f"{entry_id}_{entity.entity_id}",
        "chains": list(filter(None, entity.auth_asym_ids)),
        "sequence": sequence,
    }


def may_be_target(entity: PolymerEntity) -> bool:
    """Return whether a polymer is a protein and no peptide."""
    return _kind(_is_protein(entity), [entity.sequence]) == "protein"


def _is_protein(entity: PolymerEntity) -> bool:
    return "peptide" in entity.kind.lower() or not entity.kind


def _kind(is_protein: bool, sequences: Sequence[str]) -> str:
    """Return ``protein``, ``peptide`` or ``nucleic acid``; an entity without a sequence counts as a protein."""
    if not is_protein:
        return "nucleic acid"
    longest = max(map(len, sequences))
    return "peptide" if 0 < longest < FEWEST_RESIDUES else "protein"


def _different(entities: Sequence[PolymerEntity], min_identity: float, min_coverage: float) -> list[PolymerEntity]:
    """Return the fewest constructs, in their order, whose sequences together match all that any of them match."""
    from tethermap.entry.sequence import best_match  # imports Biopython

    def matches(sequences: list[str], sequence: str) -> bool:
        return best_match(sequences, sequence, min_identity=min_identity, min_coverage=min_coverage)[1]

    kept: dict[str, PolymerEntity] = {}
    seen: set[str] = set()
    for entity in entities:
        sequence = entity.sequence
        if len(sequence) < SHORTEST_SEQUENCE or sequence in seen:
            continue
        seen.add(sequence)
        if not (kept and matches(list(kept), sequence)) and matches([sequence], sequence):
            kept[sequence] = entity
    return list(kept.values())
