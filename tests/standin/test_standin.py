"""The stand-in behaves like the services, by their schemas and by recordings of their responses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from jsonschema import Draft4Validator

from tests.standin import StandIn, graphql
from tests.standin.search import ATTRIBUTES, SUGGESTED
from tethermap.sources.rcsb_queries import ENTRIES_QUERY, accession_node, page, sequence_node, text_node

_SUPPORTED = {"text", "full_text", "sequence"}


def _post(standin: StandIn, path: str, body: Any) -> httpx2.Response:
    return httpx2.post(f"{standin.url}{path}", json=body)


def _search(standin: StandIn, body: Any) -> httpx2.Response:
    return _post(standin, "/rcsbsearch/v2/query", body)


def _terminal(service: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "terminal", "service": service, "parameters": parameters}


def _ids(standin: StandIn, query: dict[str, Any], **options: Any) -> list[str]:
    body = {
        "query": query,
        "return_type": "entry",
        "request_options": {"paginate": {"start": 0, "rows": 100}, **options},
    }
    response = _search(standin, body)
    return [hit["identifier"] for hit in response.json()["result_set"]] if response.status_code == 200 else []


def _recorded(folder: Path, name: str) -> Any:
    return json.loads((folder / "recorded" / name).read_text())


def _schema(folder: Path, name: str) -> Any:
    return json.loads(gzip.decompress((folder / "schemas" / f"{name}.json.gz").read_bytes()))


EGFR = ["1ABC", "2ABC", "3ABC", "4ABC", "5ABC"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("egfr ligase", [*EGFR, "6ABC"]),
        ("egfr + ligase", []),
        ("egfr + kinase", EGFR),
        ('"kinase number"', EGFR),
        ('"number kinase"', []),
        ("ligase | ( egfr + 3 )", ["3ABC", "6ABC"]),
        ("kinase + -egfr", []),
    ],
)
def test_full_text_joins_bare_words_by_or(standin: StandIn, value: str, found: list[str]) -> None:
    assert sorted(_ids(standin, _terminal("full_text", value=value))) == found


def test_attributes_compare_as_documented(standin: StandIn) -> None:
    attribute = "rcsb_entry_info.resolution_combined"
    assert _ids(standin, _terminal("text", attribute=attribute, operator="less", value=2.0)) == []
    assert len(_ids(standin, _terminal("text", attribute=attribute, operator="less_or_equal", value=2.0))) == 5
    method = {"attribute": "exptl.method", "value": "x-ray diffraction"}
    assert len(_ids(standin, _terminal("text", operator="exact_match", **method))) == 5
    assert _ids(standin, _terminal("text", operator="exact_match", case_sensitive=True, **method)) == []
    assert _ids(standin, _terminal("text", operator="exact_match", negation=True, **method)) == ["6ABC"]
    date = {"from": "2010-05-05", "to": "2010-05-06"}
    released = {"attribute": "rcsb_accession_info.initial_release_date", "operator": "range"}
    assert _ids(standin, _terminal("text", value=date, **released)) == []
    assert len(_ids(standin, _terminal("text", value={**date, "include_lower": True}, **released))) == 6


def test_answers_come_in_pages(standin: StandIn) -> None:
    node = text_node(["egfr"], [], any_term=False)
    found = [_search(standin, page(node, start, 2)).json() for start in (0, 2, 4)]
    assert [answer["total_count"] for answer in found] == [5, 5, 5]
    assert [len(answer["result_set"]) for answer in found] == [2, 2, 1]
    assert _search(standin, page(node, 6, 2)).status_code == 204


def test_counts_have_no_hits(standin: StandIn) -> None:
    body = {
        "query": _terminal("full_text", value="egfr"),
        "return_type": "entry",
        "request_options": {"return_counts": True},
    }
    assert _search(standin, body).json() == {"total_count": 5}


def test_other_return_types_and_verbosities(standin: StandIn) -> None:
    query = _terminal("full_text", value="1abc")
    expected = {"entry": "1ABC", "assembly": "1ABC-1", "polymer_entity": "1ABC_1", "non_polymer_entity": "1ABC_2"}
    for kind, name in expected.items():
        body = {"query": query, "return_type": kind, "request_options": {"results_verbosity": "compact"}}
        assert _search(standin, body).json()["result_set"] == [name]
    body = {"query": query, "return_type": "entry", "request_options": {"results_verbosity": "verbose"}}
    assert _search(standin, body).json()["result_set"][0]["services"]


def test_a_get_request_gives_the_same_result(standin: StandIn) -> None:
    body = json.dumps({"query": _terminal("full_text", value="ligase"), "return_type": "entry"})
    response = httpx2.get(f"{standin.url}/rcsbsearch/v2/query?json={quote(body)}")
    assert response.json()["total_count"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {"return_type": "none", "query": _terminal("full_text", value="x")},
        {"return_type": "entry"},
        {"return_type": "entry", "query": {"type": "terminal", "service": "none"}},
        {
            "return_type": "entry",
            "query": _terminal("text", attribute="nothing.at_all", operator="exact_match", value="x"),
        },
        {"return_type": "entry", "query": _terminal("text", attribute="struct.title", operator="greater", value="x")},
        {
            "return_type": "entry",
            "query": _terminal("full_text", value="x"),
            "request_options": {"paginate": {"rows": 10_001}},
        },
        {"return_type": "entry", "query": _terminal("full_text", value="x"), "request_options": {"pager": {"rows": 1}}},
        {
            "return_type": "entry",
            "query": _terminal("full_text", value="x"),
            "request_options": {"results_content_type": []},
        },
        "not an object",
    ],
)
def test_request_that_violates_the_schema_is_rejected(standin: StandIn, body: Any) -> None:
    response = _search(standin, body)
    assert response.status_code == 400
    assert response.json().keys() == {"status", "message", "link"}
    assert response.json()["message"].startswith("JSON schema validation failed for query: ")


def test_graphql_gives_null_for_missing_fields_and_skips_unknown_entries(standin: StandIn) -> None:
    body = {"query": ENTRIES_QUERY, "variables": {"ids": ["6ABC", "9ZZZ"]}}
    (row,) = _post(standin, "/data/graphql", body).json()["data"]["entries"]
    assert row["rcsb_id"] == "6ABC"
    assert row["branched_entities"] is None
    assert _post(standin, "/data/graphql", {"query": '{entry(entry_id:"9ZZZ"){rcsb_id}}'}).json() == {
        "data": {"entry": None}
    }


def test_files_are_sent_as_gzip_and_unknown_ones_give_404(standin: StandIn) -> None:
    assert gzip.decompress(httpx2.get(f"{standin.url}/download/1ABC.cif.gz").content).startswith(b"data_1ABC")
    assert httpx2.get(f"{standin.url}/download/1abc.cif").text.startswith("data_1ABC")
    assert httpx2.get(f"{standin.url}/download/1ABC.pdb.gz").status_code == 404
    assert httpx2.get(f"{standin.url}/pdbe/entry-files/download/1abc.cif").text.startswith("data_1ABC")
    assert gzip.decompress(httpx2.get(f"{standin.url}/download/6ABC.cif.gz").content).startswith(b"data_6ABC")
    assert httpx2.get(f"{standin.url}/nowhere").status_code == 404


def test_component_definitions_are_served_from_their_folder(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "ZYB.cif").write_text("data_ZYB\n")
    with StandIn(archive, components=tmp_path) as running:
        assert httpx2.get(f"{running.url}/ligands/download/ZYB.cif").text == "data_ZYB\n"
        assert httpx2.get(f"{running.url}/ligands/download/XXX.cif").status_code == 404
        assert running.count("components", "zyb") == 1


def test_removed_entries_name_their_successors(standin: StandIn) -> None:
    url = f"{standin.url}/data/rest/v1/holdings/removed"
    holdings = httpx2.get(f"{url}/1OLD").json()["rcsb_repository_holdings_removed"]
    assert holdings["id_codes_replaced_by"] == ["2OLD"]
    assert "id_codes_replaced_by" not in httpx2.get(f"{url}/1GON").json()["rcsb_repository_holdings_removed"]
    assert httpx2.get(f"{url}/1ABC").status_code == 404


# Against the schemas and recordings of the services themselves.


def test_objects_validate_against_the_data_schemas(archive: Path, rcsb_recordings: Path) -> None:
    with StandIn(archive) as running:
        for entry_id in ("4CUP", "1HPV", "4ZHL"):
            identifiers = httpx2.get(f"{running.url}/data/rest/v1/core/entry/{entry_id}").json()[
                "rcsb_entry_container_identifiers"
            ]
            paths = [("entry", entry_id)]
            paths += [("polymer_entity", f"{entry_id}/{n}") for n in identifiers["polymer_entity_ids"]]
            paths += [("nonpolymer_entity", f"{entry_id}/{n}") for n in identifiers.get("non_polymer_entity_ids", [])]
            for kind, path in paths:
                data = httpx2.get(f"{running.url}/data/rest/v1/core/{kind}/{path}").json()
                errors = list(Draft4Validator(_schema(rcsb_recordings, f"data_{kind}")).iter_errors(data))
                assert errors == []


def test_graphql_fields_are_those_of_the_service(rcsb_recordings: Path) -> None:
    document = _schema(rcsb_recordings, "data_graphql_introspection")
    types = {item["name"]: item for item in document.get("data", document)["__schema"]["types"]}
    for name, fields in graphql.TYPES.items():
        if name == "Query":
            continue
        known = {field["name"]: field["type"] for field in types[name]["fields"]}
        for field, kind in fields.items():
            inner = known[field]
            while inner.get("ofType"):
                inner = inner["ofType"]
            assert inner["name"] == kind or (not kind and inner["kind"] in ("SCALAR", "ENUM")), (name, field)


def test_searchable_attributes_and_operators_are_those_of_the_service(rcsb_recordings: Path) -> None:
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
    for attribute, (operators, _) in ATTRIBUTES.items():
        context = known[attribute]["rcsb_search_context"]
        assert "exact_match" not in operators or "exact-match" in context, attribute
        assert "contains_words" not in operators or "full-text" in context, attribute
        assert "range" not in operators or "default-match" in context, attribute


def test_our_own_requests_use_known_attributes_only(standin: StandIn) -> None:
    for node in (
        text_node(["a", "b c"], ["P00533", "P04626"], any_term=True),
        accession_node(["P00533"]),
        sequence_node("A" * 30, 0.9),
    ):
        assert _search(standin, page(node, 0, 10)).status_code in (200, 204)


def test_documented_requests_are_accepted_or_beyond_it(standin: StandIn, rcsb_recordings: Path) -> None:
    accepted = 0
    for path in sorted((rcsb_recordings / "requests").glob("*.json")):
        body = json.loads(path.read_text())
        if "return_type" not in body:
            continue
        response = _search(standin, body)
        assert response.status_code in (200, 204, 400), path.name
        accepted += response.status_code != 400
        if "v1" in path.name:
            assert response.status_code == 400
    assert accepted >= 12


def test_answers_have_the_shapes_of_recorded_ones(standin: StandIn, rcsb_recordings: Path) -> None:
    minimal = _recorded(rcsb_recordings, "search_documented_minimal.response.json")
    answer = _search(standin, {"query": _terminal("full_text", value="egfr"), "return_type": "entry"}).json()
    assert answer.keys() == minimal.keys()
    assert answer["result_set"][0].keys() == minimal["result_set"][0].keys()
    refused = _recorded(rcsb_recordings, "search_error_400.response.json")
    assert _search(standin, {"return_type": "none"}).json().keys() == refused.keys()
    undefined = _recorded(rcsb_recordings, "graphql_undefined_field.response.json")
    query = {"query": '{entry(entry_id:"1ABC"){exptl{foo}}}'}
    answer = _post(standin, "/data/graphql", query).json()
    assert answer["data"] is None
    assert answer["errors"][0]["message"] == undefined["errors"][0]["message"]
    assert answer["errors"][0]["queryPath"] == undefined["errors"][0]["queryPath"]
    one = {"query": '{entry(entry_id:"1ABC"){exptl{method}}}'}
    assert _post(standin, "/data/graphql", one).json() == _recorded(rcsb_recordings, "graphql_entry_4hhb.response.json")
