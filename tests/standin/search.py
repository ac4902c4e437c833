"""The search API, version 2, as far as our own requests go: any other request is refused."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any

from jsonschema import Draft4Validator

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


def _object(required: str, **properties: Json) -> Json:
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": properties}


def _terminal(service: str, parameters: Json) -> Json:
    kinds = {"type": {"enum": ["terminal"]}, "service": {"enum": [service]}}
    return _object("type service parameters", **kinds, parameters=parameters)


_TEXT: Json = {"type": "string", "minLength": 1}
_COUNT: Json = {"type": "integer", "minimum": 0, "maximum": 10_000}
_ATTRIBUTE: Json = {"enum": list(ATTRIBUTES)}
_VALUE = _object("attribute operator value", attribute=_ATTRIBUTE, operator={"enum": ["exact_match"]}, value=_TEXT)
_ALIKE = _object(
    "value", value=_TEXT, sequence_type={"enum": ["protein"]}, evalue_cutoff={"type": "number"},
    identity_cutoff={"type": "number"},
)  # fmt: skip
_NODE: Json = {"$ref": "#/definitions/node"}
_FACET = _object(
    "name aggregation_type attribute", name=_TEXT, aggregation_type={"enum": ["terms"]}, attribute=_ATTRIBUTE,
    max_num_intervals=_COUNT,
)  # fmt: skip
_OPTIONS = _object(
    "",
    paginate=_object("start rows", start={"type": "integer", "minimum": 0}, rows=_COUNT),
    return_counts={"type": "boolean"},
    results_content_type={"type": "array", "minItems": 1, "items": {"enum": ["experimental", "computational"]}},
    scoring_strategy={"enum": ["combined", "text", "sequence"]},
    sort={"type": "array", "items": _object("sort_by direction", direction={"enum": ["asc", "desc"]},
                                            sort_by={"enum": ["score", *ATTRIBUTES]})},
    facets={"type": "array", "items": _FACET},
)  # fmt: skip
_REQUEST = _object(
    "query return_type", query=_NODE, return_type={"enum": ["entry", "polymer_entity"]}, request_options=_OPTIONS
)
_OPERATOR, _CHILDREN = {"enum": ["and", "or"]}, {"type": "array", "items": _NODE}
_NODES = [
    _object("type logical_operator nodes", type={"enum": ["group"]}, logical_operator=_OPERATOR, nodes=_CHILDREN),
    _terminal("full_text", _object("value", value=_TEXT)), _terminal("text", _VALUE), _terminal("sequence", _ALIKE),
]  # fmt: skip
_VALID = Draft4Validator({**_REQUEST, "definitions": {"node": {"oneOf": _NODES}}})

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
        """Return the answer to a request; None stands for 204."""
        problem = next(_VALID.iter_errors(body), None)
        if problem is not None:
            told = f"JSON schema validation failed for query: {json.dumps(body)[:200]}. Errors: {problem.message}"
            raise RefusedError(told)
        options = body.get("request_options", {})
        found = self._scores(body["query"])
        suffix = "_1" if body["return_type"] == "polymer_entity" else ""
        hits = [(f"{name.upper()}{suffix}", round(score, 6)) for name, score in found.items()]
        if options.get("return_counts") and hits:
            return {"total_count": len(hits)}
        pages = options.get("paginate", {"start": 0, "rows": 10})
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        shown = hits[pages["start"] : pages["start"] + pages["rows"]]
        facets = [self._facet(facet, found) for facet in options.get("facets", ())]
        if not shown and not facets:
            return None
        answer: Json = {"query_id": "stand-in", "result_type": body["return_type"], "total_count": len(hits)}
        answer["result_set"] = [{"identifier": name, "score": score} for name, score in shown]
        return {**answer, "facets": facets} if facets else answer

    def _facet(self, facet: Json, found: Iterable[str]) -> Json:
        """Return the number of hits for each value of an attribute."""
        path = ATTRIBUTES[facet["attribute"]]
        counts = Counter(value for name in found for value in values(self._documents[name].data, path))
        groups = [{"identifier": name, "population": number} for name, number in counts.most_common()]
        return {"name": facet["name"], "groups": groups}

    def _scores(self, node: Json) -> Scores:
        """Return the entries that a node finds."""
        if node["type"] == "group":
            parts = [self._scores(child) for child in node["nodes"]]
            names = set.intersection(*map(set, parts)) if node["logical_operator"] == "and" else set().union(*parts)
            return {name: sum(part.get(name, 0.0) for part in parts) for name in names}
        parameters = node["parameters"]
        if node["service"] == "full_text":
            return self._full_text(parameters["value"])
        if node["service"] == "sequence":
            return self._alike(parameters["value"], parameters.get("identity_cutoff", 0.0))
        path, wanted = ATTRIBUTES[parameters["attribute"]], parameters["value"].lower()
        return {name: 1.0 for name, one in self._documents.items()
                if any(str(value).lower() == wanted for value in values(one.data, path))}  # fmt: skip

    def _full_text(self, value: str) -> Scores:
        """Return the entries whose text has a word, or phrases joined by ``+`` (and), ``|`` (or) and brackets."""
        if _TOKEN.sub("", value).strip() and not value.isalnum():
            raise RefusedError(f"the stand-in knows one word and quoted phrases only, not {value}")
        match = " ".join(_OPERATORS.get(token, token) for token in _TOKEN.findall(value)) or value
        rows = self._texts.execute("SELECT entry_id, -rank FROM texts WHERE text MATCH ?", [match]).fetchall()
        best = max((score for _, score in rows), default=1.0)
        return {name: score / best for name, score in rows}

    def _alike(self, query: str, cutoff: float) -> Scores:
        """Return entries with a protein that shares the query's sequence at the requested identity."""
        words = {query[k : k + _WORD] for k in range(len(query) - _WORD + 1)}
        found: Scores = {}
        for name, document in self._documents.items():
            for sequence in values(document.data, "polymer_entities.entity_poly.pdbx_seq_one_letter_code_can"):
                if any(word in sequence for word in words):
                    blocks = SequenceMatcher(None, query, sequence, autojunk=False).get_matching_blocks()
                    identity = sum(block.size for block in blocks) / min(len(query), len(sequence))
                    if identity >= cutoff:
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
