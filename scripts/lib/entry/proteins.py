"""The proteins in the entries that a search finds, each once, so that a user can say which of them is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scripts.lib.entry.model import PolymerEntity

MOST_ENTRIES = 100
"""Entries that are looked at, the most relevant first."""

MOST_PROTEINS = 50

Polymers = Mapping[str, Sequence[PolymerEntity]]
"""Polymers of entries by id, the most relevant entry first."""


def proteins_of(polymers: Polymers) -> list[dict[str, Any]]:
    """Return the polymers of some entries, those of one accession or of one sequence as one, the most frequent first.

    Returns
    -------
    list of dict
        ``name, gene, organism, accession, kind, entity`` (``5t35_1``, of the most relevant entry), ``chains``,
        ``sequence, n_entries``.
    """
    protein_of: dict[str, dict[str, Any]] = {}
    entries: dict[str, set[str]] = {}
    for entry_id, entities in polymers.items():
        for entity in entities:
            key = entity.uniprot[0] if entity.uniprot else entity.sequence or entity.description
            if not key:
                continue
            entries.setdefault(key, set()).add(entry_id)
            protein_of.setdefault(
                key,
                {
                    "name": entity.description,
                    "gene": entity.genes[0] if entity.genes else "",
                    "organism": entity.organisms[0] if entity.organisms else "",
                    "accession": entity.uniprot[0] if entity.uniprot else "",
                    "kind": "protein" if "peptide" in entity.kind.lower() or not entity.kind else "nucleic acid",
                    "entity": f"{entry_id}_{entity.entity_id}",
                    "chains": list(entity.auth_asym_ids),
                    "sequence": entity.sequence,
                },
            )
    proteins = [{**protein, "n_entries": len(entries[key])} for key, protein in protein_of.items()]
    return sorted(proteins, key=lambda protein: -int(protein["n_entries"]))[:MOST_PROTEINS]
