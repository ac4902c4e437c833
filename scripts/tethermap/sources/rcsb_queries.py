"""Queries for RCSB PDB, as JSON bodies."""

from collections.abc import Sequence
from typing import Any

from tethermap.sources.query import spellings

Node = dict[str, Any]

_REFERENCE = "rcsb_polymer_entity_container_identifiers.reference_sequence_identifiers"
ACCESSION = f"{_REFERENCE}.database_accession"
"""Attribute of the accessions of a polymer."""

_ENTRY_ID = "rcsb_entry_container_identifiers.entry_id"
_EVALUE = 0.1

MOST_VALUES = 10_000
"""Maximum number of values of an attribute in one request."""

SHORTEST_SEQUENCE = 25
"""Residues that a sequence search needs."""

ENTRIES_QUERY = """
query($ids: [String!]!) { entries(entry_ids: $ids) {
  rcsb_id struct { title } exptl { method } rcsb_entry_info { resolution_combined deposited_atom_count }
  rcsb_accession_info { initial_release_date revision_date }
  polymer_entities {
    rcsb_polymer_entity { pdbx_description }
    rcsb_entity_source_organism { ncbi_scientific_name scientific_name rcsb_gene_name { value } }
    rcsb_polymer_entity_container_identifiers { reference_sequence_identifiers { database_name database_accession } }
  }
  nonpolymer_entities { pdbx_entity_nonpoly { comp_id } }
  branched_entities { rcsb_branched_entity_container_identifiers { chem_comp_monomers } }
} }
"""
"""GraphQL: columns of the search table for entries."""

POLYMERS_QUERY = """
query($ids: [String!]!) { entries(entry_ids: $ids) {
  rcsb_id
  polymer_entities {
    rcsb_polymer_entity { pdbx_description }
    entity_poly { pdbx_seq_one_letter_code_can rcsb_entity_polymer_type }
    rcsb_entity_source_organism { ncbi_scientific_name rcsb_gene_name { value } }
    rcsb_polymer_entity_container_identifiers { entity_id auth_asym_ids uniprot_ids }
  }
} }
"""
"""GraphQL: the polymers of entries, with their sequences."""

IDS_QUERY = "query($ids: [String!]!) { entries(entry_ids: $ids) { rcsb_id } }"
"""GraphQL: which of these entries exist."""


def text_node(terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> Node:
    """Return the query for full text and accessions; no character of a term is an operator."""
    value = full_text(terms, any_term=any_term)
    nodes = [_terminal("full_text", {"value": value})] if value else []
    return _group("and", [*nodes, accession_node(accessions)] if accessions else nodes)


def full_text(terms: Sequence[str], *, any_term: bool) -> str:
    """Return the full-text expression: quoted phrases joined by ``+`` (all) or ``|`` (any)."""
    phrases = ([f'"{phrase}"' for phrase in spellings(term)] for term in terms)
    groups = (f"( {' | '.join(group)} )" if len(group) > 1 else group[0] for group in phrases if group)
    return (" | " if any_term else " + ").join(dict.fromkeys(groups))


def accession_node(accessions: Sequence[str]) -> Node:
    """Return the query for entries with one of the UniProt accessions."""
    uniprot = _equal(f"{_REFERENCE}.database_name", "UniProt")
    return _group("or", [_group("and", [_equal(ACCESSION, name), uniprot]) for name in accessions])


def sequence_node(sequence: str, min_identity: float) -> Node:
    """Return the query for entries with a similar protein sequence."""
    limits = {"evalue_cutoff": _EVALUE, "identity_cutoff": min_identity}
    return _terminal("sequence", {"sequence_type": "protein", "value": sequence, **limits})


def page(node: Node, start: int, rows: int, *, scoring: str = "combined") -> Node:
    """Return the request for one page of entries; equal scores are ordered by id, so that pages don't overlap."""
    order = [{"sort_by": "score", "direction": "desc"}, {"sort_by": _ENTRY_ID, "direction": "asc"}]
    return _request(node, "entry", paginate={"start": start, "rows": rows}, scoring_strategy=scoring, sort=order)


def accession_values(node: Node) -> Node:
    """Return the request for the accessions of the polymers that a query finds, without hits."""
    facet = {"name": "values", "aggregation_type": "terms", "attribute": ACCESSION, "max_num_intervals": MOST_VALUES}
    return _request(node, "polymer_entity", paginate={"start": 0, "rows": 0}, facets=[facet])


def _request(node: Node, kind: str, **options: Any) -> Node:
    options["results_content_type"] = ["experimental"]
    return {"query": node, "return_type": kind, "request_options": options}


def _terminal(service: str, parameters: Node) -> Node:
    return {"type": "terminal", "service": service, "parameters": parameters}


def _equal(attribute: str, value: str) -> Node:
    return _terminal("text", {"attribute": attribute, "operator": "exact_match", "value": value})


def _group(operator: str, nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else {"type": "group", "logical_operator": operator, "nodes": nodes}
