"""The search API, version 2, as far as our own requests go: any other request is refused."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from operator import itemgetter
from typing import Any

from tests.standin.documents import Document, Json

Scores = dict[str, float]

_REFERENCE = "rcsb_polymer_entity_container_identifiers.reference_sequence_identifiers"
_GENE = "rcsb_entity_source_organism.rcsb_gene_name.value"
ATTRIBUTES = {
    "rcsb_entry_container_identifiers.entry_id": "rcsb_entry_container_identifiers.entry_id",
    f"{_REFERENCE}.database_accession": f"polymer_entities.{_REFERENCE}.database_accession",
    f"{_REFERENCE}.database_name": f"polymer_entities.{_REFERENCE}.database_name",
}
"""Attributes that can be compared by ``exact_match``: their path in an entry's object here."""

SUGGESTED = {
    _GENE: f"polymer_entities.{_GENE}",
    f"{_REFERENCE}.database_accession": f"polymer_entities.{_REFERENCE}.database_accession",
    "rcsb_uniprot_protein.name.value": "polymer_entities.rcsb_polymer_entity.pdbx_description",
    "chem_comp.name": "nonpolymer_entities.pdbx_entity_nonpoly.name",
    "rcsb_chem_comp_synonyms.name": "nonpolymer_entities.pdbx_entity_nonpoly.name",
}
"""Attributes with the context ``suggest`` of the published schemas: their path in an entry's object here."""


_TOKEN = re.compile(r'"[^"]*"|[()+|]')
_OPERATORS = {"+": "AND", "|": "OR"}
_WORD = 5
"""Residues that two sequences share to be aligned."""


class RefusedError(Exception):
    """A request that the service refuses with 400."""


class SearchEngine:
    """Answers search requests over documents.

    Parameters
    ----------
    documents : mapping
        All entries.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._texts = sqlite3.connect(":memory:", check_same_thread=False)
        self._texts.execute("CREATE VIRTUAL TABLE texts USING fts5(entry_id UNINDEXED, text, tokenize = porter)")
        self._texts.executemany("INSERT INTO texts VALUES (?, ?)", ((k, one.text) for k, one in documents.items()))

    def answer(self, body: Any) -> Json | None:
        """Return the answer to a request; None stands for 204. The signatures below are the schema of requests."""
        try:
            return self._answer(**body)
        except (TypeError, KeyError, ValueError) as error:
            told = f"JSON schema validation failed for query: {json.dumps(body)[:200]}. Errors: {error!r}"
            raise RefusedError(told) from error

    def _answer(self, query: Json, return_type: str, request_options: Json | None = None) -> Json | None:
        suffix = {"entry": "", "polymer_entity": "_1"}[return_type]
        found = self._scores(**query)
        hits = [(f"{name.upper()}{suffix}", round(score, 6)) for name, score in found.items()]
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return self._page(return_type, hits, found, **(request_options or {}))

    def _page(
        self, return_type: str, hits: list[tuple[str, float]], found: Scores, *, paginate: Json | None = None,
        return_counts: bool = False, results_content_type: Sequence[str] = ("experimental",),
        scoring_strategy: str = "combined", sort: Sequence[Json] = (), facets: Sequence[Json] = (),
    ) -> Json | None:  # fmt: skip
        start, rows = itemgetter("start", "rows")(paginate or {"start": 0, "rows": 10})
        known = ({"experimental", "computational"} >= {*results_content_type} != set(), rows <= 10_000,
                 scoring_strategy in ("combined", "text", "sequence"),
                 all(item.keys() == {"sort_by", "direction"} for item in sort))  # fmt: skip
        if not all(known):
            raise ValueError("an option has another value")
        if return_counts and hits:
            return {"total_count": len(hits)}
        shown = hits[start : start + rows]
        if not shown and not facets:
            return None
        answer: Json = {"query_id": "stand-in", "result_type": return_type, "total_count": len(hits)}
        answer["result_set"] = [{"identifier": name, "score": score} for name, score in shown]
        return {**answer, "facets": [self._facet(found, **facet) for facet in facets]} if facets else answer

    def _facet(
        self, found: Iterable[str], name: str, aggregation_type: str, attribute: str, max_num_intervals: int
    ) -> Json:
        """Return the number of hits for each value of an attribute."""
        if aggregation_type != "terms" or max_num_intervals > 10_000:
            raise ValueError("a facet of another kind")
        counts = Counter(value for one in found for value in values(self._documents[one].data, ATTRIBUTES[attribute]))
        return {"name": name, "groups": [{"identifier": one, "population": k} for one, k in counts.most_common()]}

    def _scores(self, **node: Any) -> Scores:
        """Return the entries that a node finds."""
        kinds: dict[str, Callable[..., Scores]] = {"group": self._group, "terminal": self._terminal}
        return kinds[node.pop("type")](**node)

    def _group(self, logical_operator: str, nodes: Sequence[Json]) -> Scores:
        parts = [self._scores(**child) for child in nodes]
        least = {"and": len(parts), "or": 1}[logical_operator]
        counts = Counter(name for part in parts for name in part)
        return {name: sum(part.get(name, 0.0) for part in parts) for name, n in counts.items() if n >= least}

    def _terminal(self, service: str, parameters: Json) -> Scores:
        services: dict[str, Callable[..., Scores]] = {
            "full_text": self._full_text, "text": self._text, "sequence": self._sequence,
        }  # fmt: skip
        return services[service](**parameters)

    def _text(self, attribute: str, operator: str, value: str) -> Scores:
        """Return the entries with a value of an attribute, regardless of its case."""
        if operator != "exact_match":
            raise ValueError(operator)
        path, wanted = ATTRIBUTES[attribute], value.lower()
        return {name: 1.0 for name, one in self._documents.items()
                if any(str(found).lower() == wanted for found in values(one.data, path))}  # fmt: skip

    def _full_text(self, value: str) -> Scores:
        """Return the entries whose text has a word, or phrases joined by ``+`` (and), ``|`` (or) and brackets."""
        if _TOKEN.sub("", value).strip() and not value.isalnum():
            raise ValueError(f"the stand-in knows one word and quoted phrases only, not {value}")
        match = " ".join(_OPERATORS.get(token, token) for token in _TOKEN.findall(value)) or value
        rows = self._texts.execute("SELECT entry_id, -rank FROM texts WHERE text MATCH ?", [match]).fetchall()
        best = max((score for _, score in rows), default=1.0)
        return {name: score / best for name, score in rows}

    def _sequence(self, value: str, sequence_type: str, evalue_cutoff: float, identity_cutoff: float) -> Scores:
        """Return entries with a protein that shares the query's sequence at the requested identity."""
        if sequence_type != "protein" or evalue_cutoff <= 0:
            raise ValueError(sequence_type)
        words = {value[k : k + _WORD] for k in range(len(value) - _WORD + 1)}
        found: Scores = {}
        for name, document in self._documents.items():
            for sequence in values(document.data, "polymer_entities.entity_poly.pdbx_seq_one_letter_code_can"):
                if any(word in sequence for word in words):
                    blocks = SequenceMatcher(None, value, sequence, autojunk=False).get_matching_blocks()
                    identity = sum(block.size for block in blocks) / min(len(value), len(sequence))
                    if identity >= identity_cutoff:
                        found[name] = max(identity, found.get(name, 0.0))
        return found


def suggestions(documents: Mapping[str, Document], body: Any) -> Json:
    """Return the answer with the names that complete a text, by attribute; the text in them is marked."""
    asked = body["suggest"] if isinstance(body, dict) and body.get("type") == "term" else {}
    names = [item.get("attribute") for item in asked.get("completion", [])]
    if not asked.get("text") or not names or not set(names) <= set(SUGGESTED):
        raise RefusedError("suggest has no text, or an attribute without suggestions")
    marked = re.compile(rf"\b{re.escape(asked['text'])}", re.IGNORECASE)
    found: Json = {}
    for name in names:
        known = {str(value) for one in documents.values() for value in values(one.data, SUGGESTED[name])}
        hits = sorted(value for value in known if marked.search(value))[: asked.get("size", 10)]
        if hits:
            found[name] = [{"text": marked.sub(r"<em>\g<0></em>", value), "score": 1.0} for value in hits]
    return {"suggestions": found}


def values(data: Any, path: str) -> Iterable[Any]:
    """Yield all values at a dotted path, through lists."""
    if isinstance(data, list):
        for item in data:
            yield from values(item, path)
    elif not path:
        yield data
    elif isinstance(data, dict):
        head, _, rest = path.partition(".")
        if head in data:
            yield from values(data[head], rest)
