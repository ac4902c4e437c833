"""The stand-in behaves like the services, by their schemas and by recordings of their responses."""

import gzip
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from graphql import build_client_schema, find_breaking_changes
from jsonschema import Draft4Validator

from tests.standin import StandIn
from tests.standin.documents import load_documents
from tests.standin.search import ATTRIBUTES, SUGGESTED
from tests.standin.server import SCHEMA
from tethermap.sources import rcsb_queries as queries

WORDS = queries.text_node(["egfr"], [], any_term=False)


def _search(standin: StandIn, body: Any) -> httpx2.Response:
    return httpx2.post(f"{standin.url}/rcsbsearch/v2/query", json=body)


def _recorded(folder: Path, name: str) -> Any:
    return json.loads((folder / "recorded" / name).read_text())


def _schema(folder: Path, name: str) -> Any:
    return json.loads(gzip.decompress((folder / "schemas" / f"{name}.json.gz").read_bytes()))


def test_counts_and_values_have_no_hits(standin: StandIn) -> None:
    counting = {"query": WORDS, "return_type": "entry", "request_options": {"return_counts": True}}
    assert _search(standin, counting).json() == {"total_count": 5}
    answer = _search(standin, queries.accession_values(WORDS)).json()
    assert answer["result_set"] == []
    assert answer["facets"] == [{"name": "values", "groups": [{"identifier": "P00533", "population": 5}]}]


@pytest.mark.parametrize(
    "body",
    [
        {**queries.page(WORDS, 0, 10), "return_type": "none"},
        {"return_type": "entry"},
        queries.page({"type": "terminal", "service": "none"}, 0, 10),
        queries.page({**queries.accession_node(["P00533"]), "logical_operator": "not"}, 0, 10),
        queries.page({**WORDS, "parameters": {"value": "bare words"}}, 0, 10),
        queries.page({**WORDS, "service": "text"}, 0, 10),
        queries.page(WORDS, 0, 10_001),
        {**queries.page(WORDS, 0, 10), "request_options": {"pager": {"rows": 1}}},
        {**queries.page(WORDS, 0, 10), "request_options": {"results_content_type": []}},
        "not an object",
    ],
)
def test_request_that_violates_the_schema_is_rejected(standin: StandIn, body: Any) -> None:
    response = _search(standin, body)
    assert response.status_code == 400
    assert response.json().keys() == {"status", "message", "link"}


# Against the schemas and recordings of the services themselves.


def test_objects_validate_against_the_data_schemas(archive: Path, rcsb_recordings: Path) -> None:
    kinds = {"polymer_entity": "polymer_entities", "nonpolymer_entity": "nonpolymer_entities"}
    documents = load_documents(archive)
    for entry_id in ("4cup", "1hpv", "4zhl"):
        data = documents[entry_id].data
        entry = {name: value for name, value in data.items() if name not in kinds.values()}
        objects = [("entry", entry), *((kind, one) for kind, name in kinds.items() for one in data.get(name, ()))]
        for kind, one in objects:
            assert list(Draft4Validator(_schema(rcsb_recordings, f"data_{kind}")).iter_errors(one)) == []


def test_graphql_fields_are_those_of_the_service(rcsb_recordings: Path) -> None:
    recorded = _schema(rcsb_recordings, "data_graphql_introspection")
    changes = find_breaking_changes(SCHEMA, build_client_schema(recorded.get("data", recorded)))
    assert [change for change in changes if "DIRECTIVE" not in change.type.name] == []


def test_searchable_attributes_are_those_of_the_service(rcsb_recordings: Path) -> None:
    known: dict[str, Any] = {}

    def collect(path: str, node: Any) -> None:
        if "properties" in node:
            for name, child in node["properties"].items():
                collect(f"{path}.{name}" if path else name, child)
        elif "items" in node:
            collect(path, node["items"])
        else:
            known[path] = node

    collect("", _schema(rcsb_recordings, "search_structure_attributes"))
    assert all("suggest" in known[attribute]["rcsb_search_context"] for attribute in SUGGESTED)
    assert all("exact-match" in known[attribute]["rcsb_search_context"] for attribute in ATTRIBUTES)


def test_answers_have_the_shapes_of_recorded_ones(standin: StandIn, rcsb_recordings: Path) -> None:
    minimal = _recorded(rcsb_recordings, "search_documented_minimal.response.json")
    answer = _search(standin, {"query": WORDS, "return_type": "entry"}).json()
    assert answer.keys() == minimal.keys()
    assert answer["result_set"][0].keys() == minimal["result_set"][0].keys()
    refused = _recorded(rcsb_recordings, "search_error_400.response.json")
    assert _search(standin, {"return_type": "none"}).json().keys() == refused.keys()
