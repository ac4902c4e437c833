"""The search API, version 2: valid requests, hits, format of the response."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.standin.documents import Document
from tests.standin.fulltext import compile_query, split
from tests.standin.sequences import similar

Json = dict[str, Any]
Scores = dict[str, float]

MOST_ROWS = 10_000
RETURN_TYPES = ("entry", "assembly", "polymer_entity", "non_polymer_entity", "polymer_instance", "mol_definition")
_OPTIONS = {
    "paginate", "return_all_hits", "return_counts", "results_verbosity", "sort", "scoring_strategy",
    "results_content_type", "facets", "group_by", "group_by_return_type",
}  # fmt: skip
_STRATEGIES = ("combined", "text", "sequence", "seqmotif", "strucmotif", "structure", "chemical")
_TEXT = frozenset({"exact_match", "in", "exists"})
_WORDS = frozenset({"contains_words", "contains_phrase", "exists"})
_NUMBERS = frozenset({"equals", "greater", "greater_or_equal", "less", "less_or_equal", "range", "exists"})

_REFERENCE = "rcsb_polymer_entity_container_identifiers.reference_sequence_identifiers"

ATTRIBUTES: dict[str, tuple[frozenset[str], str]] = {
    "struct.title": (_WORDS, ""),
    "exptl.method": (_TEXT, ""),
    "rcsb_entry_info.resolution_combined": (_NUMBERS, ""),
    "rcsb_entry_info.nonpolymer_entity_count": (_NUMBERS, ""),
    "rcsb_accession_info.initial_release_date": (_NUMBERS, ""),
    "rcsb_entry_container_identifiers.entry_id": (_TEXT, ""),
    "rcsb_polymer_entity.pdbx_description": (_WORDS, "polymer_entities."),
    "rcsb_entity_source_organism.rcsb_gene_name.value": (_TEXT, "polymer_entities."),
    "rcsb_entity_source_organism.ncbi_scientific_name": (_TEXT, "polymer_entities."),
    f"{_REFERENCE}.database_accession": (_TEXT, "polymer_entities."),
    f"{_REFERENCE}.database_name": (_TEXT, "polymer_entities."),
}
"""Searchable attributes: their operators, and the prefix of their path in an entry's object."""


class RefusedError(Exception):
    """A request that the service refuses with 400."""


class SearchEngine:
    """Answers search requests over documents.

    Parameters
    ----------
    documents : mapping
        All entries.

    Attributes
    ----------
    extra_hits : int
        Additional invented entries in every search, to exceed the size of a page.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.extra_hits = 0

    def answer(self, body: Any) -> Json | None:
        """Return the answer to a request; None stands for 204."""
        try:
            options = _checked(body)
            scores = self._scores(body["query"]) if "query" in body else {}
        except RefusedError as error:
            shown = json.dumps(body)[:200]
            raise RefusedError(f"JSON schema validation failed for query: {shown}. Errors: {error}") from error
        named = _identifiers(scores, self._documents, body["return_type"])
        for number in range(self.extra_hits):
            named[f"X{number:05d}"] = 1e-6
        if not named and not options.get("facets"):
            return None
        frame: Json = {
            "query_id": body.get("request_info", {}).get("query_id", "stand-in"),
            "result_type": body["return_type"],
            "total_count": len(named),
        }
        if options.get("return_counts"):
            return {"total_count": len(named)}
        ordered = self._ordered(named, options.get("sort") or [{"sort_by": "score", "direction": "desc"}])
        if not options.get("return_all_hits"):
            paginate = options.get("paginate", {})
            start, rows = paginate.get("start", 0), paginate.get("rows", 10)
            ordered = ordered[start : start + rows]
            if not ordered and rows:
                return None
        if facets := options.get("facets"):
            frame["facets"] = [self._facet(facet, scores) for facet in facets]
        frame["result_set"] = [_hit(name, score, options) for name, score in ordered]
        return frame

    def _facet(self, facet: Json, scores: Scores) -> Json:
        """Return the number of hits for each value of an attribute, up to the requested number."""
        if facet.get("aggregation_type") != "terms" or facet.get("attribute") not in ATTRIBUTES:
            raise RefusedError(f"facet {json.dumps(facet)} is not known")
        path = ATTRIBUTES[facet["attribute"]][1] + facet["attribute"]
        counts: dict[str, int] = {}
        for name in scores:
            for value in values(self._documents[name].data, path):
                counts[value] = counts.get(value, 0) + 1
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: facet.get("max_num_intervals", 100)]
        return {"name": facet["name"], "groups": [{"identifier": name, "population": n} for name, n in ranked]}

    def _ordered(self, named: Scores, sort: list[Json]) -> list[tuple[str, float]]:
        rows = list(named.items())
        for rule in reversed(sort):
            down = rule.get("direction", "desc") == "desc"
            if rule["sort_by"] == "score":
                rows.sort(key=lambda row: row[1], reverse=down)
            else:
                rows.sort(key=lambda row: self._sort_value(row[0], rule["sort_by"]), reverse=down)
        return rows

    def _sort_value(self, name: str, attribute: str) -> str:
        document = self._documents.get(name[:4].lower())
        if document is None:
            return name
        return " ".join(map(str, values(document.data, ATTRIBUTES[attribute][1] + attribute)))

    def _scores(self, node: Any) -> Scores:
        """Return the entries that a node finds."""
        if not isinstance(node, dict) or node.get("type") not in ("terminal", "group"):
            raise RefusedError('object has missing required properties (["type"])')
        if node["type"] == "group":
            if node.get("logical_operator") not in ("and", "or") or not isinstance(node.get("nodes"), list):
                raise RefusedError(f"instance value ({json.dumps(node.get('logical_operator'))}) not found in enum")
            parts = [self._scores(child) for child in node["nodes"]]
            names = set.intersection(*map(set, parts)) if node["logical_operator"] == "and" else set().union(*parts)
            return {name: sum(part.get(name, 0.0) for part in parts) for name in names}
        service, parameters = node.get("service"), node.get("parameters")
        if service not in (
            "text",
            "text_chem",
            "full_text",
            "sequence",
            "seqmotif",
            "structure",
            "strucmotif",
            "chemical",
        ):
            raise RefusedError(f"instance value ({json.dumps(service)}) not found in enum")
        if parameters is None:
            return dict.fromkeys(self._documents, 1.0)
        if service == "full_text":
            return self._full_text(parameters)
        if service == "sequence":
            return similar(self._documents.values(), parameters)
        if service == "text":
            return self._attribute(parameters)
        raise RefusedError(f"the stand-in has no service {service}")

    def _full_text(self, parameters: Json) -> Scores:
        if not isinstance(parameters.get("value"), str) or not parameters["value"].strip():
            raise RefusedError("value is missing")
        match = compile_query(parameters["value"])
        raw = {name: score for name, document in self._documents.items() if (score := match(document.text)) > 0}
        best = max(raw.values(), default=1.0)
        return {name: score / best for name, score in raw.items()}

    def _attribute(self, parameters: Json) -> Scores:
        attribute, operator = parameters.get("attribute"), parameters.get("operator")
        if attribute not in ATTRIBUTES:
            raise RefusedError(f"attribute {attribute} is not searchable")
        operators, prefix = ATTRIBUTES[attribute]
        if operator not in operators:
            raise RefusedError(f"operator {operator} is not allowed for {attribute}")
        matches = _comparison(parameters)
        negated = bool(parameters.get("negation"))
        found = {}
        for name, document in self._documents.items():
            if any(matches(value) for value in values(document.data, prefix + attribute)) != negated:
                found[name] = 1.0
        return found


SUGGESTED = {
    "rcsb_entity_source_organism.rcsb_gene_name.value": (
        "polymer_entities.rcsb_entity_source_organism.rcsb_gene_name.value"
    ),
    f"{_REFERENCE}.database_accession": f"polymer_entities.{_REFERENCE}.database_accession",
    "rcsb_uniprot_protein.name.value": "polymer_entities.rcsb_polymer_entity.pdbx_description",
    "chem_comp.name": "nonpolymer_entities.pdbx_entity_nonpoly.name",
    "rcsb_chem_comp_synonyms.name": "nonpolymer_entities.pdbx_entity_nonpoly.name",
}
"""Attributes with the context ``suggest`` of the published schemas: their path in an entry's object here."""


def suggestions(documents: Mapping[str, Document], body: Any) -> Json:
    """Return the names that complete a text, by attribute; the text in them is marked."""
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
    return found


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


def _comparison(parameters: Json) -> Callable[[Any], bool]:
    operator, wanted = parameters["operator"], parameters.get("value")
    if operator == "exists":
        return lambda _: True
    if wanted is None:
        raise RefusedError("value is missing")
    if operator == "exact_match":
        if parameters.get("case_sensitive"):
            return lambda value: bool(value == wanted)
        return lambda value: str(value).lower() == str(wanted).lower()
    if operator == "in":
        return lambda value: value in wanted
    if operator == "contains_words":
        return lambda value: bool(set(split(value)) & set(split(wanted)))
    if operator == "contains_phrase":
        phrase = " ".join(split(wanted.strip('"')))
        return lambda value: f" {phrase} " in f" {' '.join(split(value))} "
    if operator == "range":
        low, high = _comparable(wanted.get("from")), _comparable(wanted.get("to"))
        lower, upper = wanted.get("include_lower", False), wanted.get("include_upper", False)
        return lambda value: _inside(_comparable(value), low, high, lower, upper)
    number = _comparable(wanted)
    tests: dict[str, Callable[[Any], bool]] = {
        "equals": lambda value: _comparable(value) == number,
        "greater": lambda value: _comparable(value) > number,
        "greater_or_equal": lambda value: _comparable(value) >= number,
        "less": lambda value: _comparable(value) < number,
        "less_or_equal": lambda value: _comparable(value) <= number,
    }
    return tests[operator]


def _inside(value: Any, low: Any, high: Any, lower: bool, upper: bool) -> bool:
    above = low is None or value > low or (lower and value == low)
    below = high is None or value < high or (upper and value == high)
    return bool(above and below)


def _comparable(value: Any) -> Any:
    """Return a number unchanged and a date as ISO text, with ``now-1w`` and ``2020-06-01

    -12M`` evaluated.
    """
    if not isinstance(value, str):
        return value
    match = re.fullmatch(
        r"(now|\d{4}-\d\d-\d\d)(?:\|\|)?(?:([+-])(\d+)([yMwd]))?", value[:10] if "T" in value else value
    )
    if match is None:
        raise RefusedError(f"{value} is no date")
    day = datetime.datetime.now(datetime.UTC).date() if match[1] == "now" else datetime.date.fromisoformat(match[1])
    if match[2]:
        days = int(match[3]) * {"y": 365, "M": 30, "w": 7, "d": 1}[match[4]]
        day += datetime.timedelta(days=days if match[2] == "+" else -days)
    return day.isoformat()


def _checked(body: Any) -> Json:
    """Return the request's options; refuse what the schema doesn't allow."""
    if not isinstance(body, dict):
        raise RefusedError("not an object")
    if body.get("return_type") not in RETURN_TYPES:
        raise RefusedError(
            f"instance value ({json.dumps(body.get('return_type'))}) not found in enum {list(RETURN_TYPES)}"
        )
    if unknown := body.keys() - {"query", "return_type", "request_options", "request_info"}:
        raise RefusedError(f"additional properties {sorted(unknown)} are not allowed")
    options: Json = body.get("request_options", {})
    if unknown := options.keys() - _OPTIONS:
        raise RefusedError(f"additional properties {sorted(unknown)} are not allowed")
    if "query" not in body and not (options.get("facets") or options.get("return_counts")):
        raise RefusedError("query is missing")
    rows = options.get("paginate", {}).get("rows", 10)
    if not isinstance(rows, int) or not 0 <= rows <= MOST_ROWS:
        raise RefusedError(f"rows is {rows}, more than {MOST_ROWS}")
    if "paginate" in options and "return_all_hits" in options:
        raise RefusedError("paginate and return_all_hits exclude each other")
    if options.get("results_content_type") == []:
        raise RefusedError("results_content_type is empty")
    if options.get("scoring_strategy", "combined") not in _STRATEGIES:
        raise RefusedError(f"instance value ({json.dumps(options['scoring_strategy'])}) not found in enum")
    for rule in options.get("sort", []):
        if rule.get("sort_by") != "score" and rule.get("sort_by") not in ATTRIBUTES:
            raise RefusedError(f"attribute {rule.get('sort_by')} is not sortable")
    return options


def _identifiers(scores: Scores, documents: Mapping[str, Document], return_type: str) -> Scores:
    """Return the hits as identifiers of the return type."""
    named: Scores = {}
    for name, score in scores.items():
        upper = name.upper()
        data = documents[name].data
        if return_type == "entry":
            ids = [upper]
        elif return_type == "assembly":
            ids = [f"{upper}-1"]
        elif return_type == "polymer_entity":
            ids = [item["rcsb_id"] for item in data.get("polymer_entities", [])]
        elif return_type == "non_polymer_entity":
            ids = [item["rcsb_id"] for item in data.get("nonpolymer_entities", [])]
        elif return_type == "polymer_instance":
            path = "polymer_entities.rcsb_polymer_entity_container_identifiers.asym_ids"
            ids = [f"{upper}.{chain}" for chain in values(data, path)]
        else:
            ids = list(values(data, "nonpolymer_entities.pdbx_entity_nonpoly.comp_id"))
        named.update(dict.fromkeys(ids, round(score, 6)))
    return named


def _hit(name: str, score: float, options: Json) -> Any:
    verbosity = options.get("results_verbosity", "minimal")
    if verbosity == "compact":
        return name
    hit: Json = {"identifier": name, "score": score}
    if verbosity == "verbose":
        hit["services"] = [
            {"service_type": "text", "nodes": [{"node_id": 0, "original_score": score, "norm_score": score}]}
        ]
    return hit
