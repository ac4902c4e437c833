"""The OpenAPI document is valid and true: responses to generated requests match it."""

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from service.app import create_app, endpoints
from service.http.openapi import document, words
from service.runs.lifecycle import build_parts
from tests.service.answers import DEFAULTS
from tests.service.core import settings_in
from tests.tools.patience import patience
from tests.tools.runs import ROOT
from tethermap.base.column_words import column_words

pytestmark = pytest.mark.process

MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
CASES = int(os.environ.get("TETHERMAP_TEST_CASES", "3"))
"""Cases of each operation and mode; operations without parameters have fewer. 16 make two thousand requests."""

NOT_THERE = "exambrd4"
"""An example that is configured and not shipped: it answers 200 to all requests."""

REAL: dict[str, list[str]] = {
    "job_id": ["exam1hpv", "exam4cup", "exam1gbt", NOT_THERE, "00000000"],
    "pdb_id": ["1hpv", "4CUP", "1gbt", "pdb_00001hpv"],
    "chain": ["A", "a", "B"],
    "ligand": ["478", "ZYB", "gbs"],
    "name": ["1hpv_A_478.pdb", "4cup_A_ZYB_2971.pdb", "1gbt.pdb"],
    "path": ["Results_Display.csv", "Ligand_Metadata.csv", "TARGET_RESULTS/report.html", "../x.csv", "search"],
}
"""Frequent values of a generated path parameter, so that cases pass the first 404."""

JOB = {"target_name": "HIV protease", "search_query": "1HPV"}
BATCH = {"jobs": [JOB, {"pdb_id": "4cup"}], "delay_seconds": 0.5}
GOOD: dict[str, list[dict[str, Any]]] = {
    "/api/jobs": [JOB, {**JOB, "options": {"max_entries": 5}}, {"pdb_id": "1HPV", "ligand": "478"}],
    "/api/batches": [BATCH],
    "/api/jobs/{job_id}/sasa/bulk": [{"requests": [{"pdb_id": "1hpv", "chain": "A", "residue_id": "200"}, {}]}],
}
"""Frequent values of a generated valid body, which rarely is an acceptable job."""


def test_document_is_valid_and_lists_every_route() -> None:
    api = document(endpoints(), DEFAULTS)
    OpenAPIV31SpecValidator(api).validate()
    listed = {(method.upper(), path) for path, methods in api["paths"].items() for method in methods}
    assert listed == {(endpoint.method, endpoint.plain_path) for endpoint in endpoints()}
    names = [operation["operationId"] for methods in api["paths"].values() for operation in methods.values()]
    assert max(Counter(names).values()) == 1


def fields_of(schema: Any, owner: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and schema of each field, those of fields without a schema of their own included."""
    for name, part in schema.get("properties", {}).items():
        yield f"{owner}.{name}", part
        yield from fields_of(part, f"{owner}.{name}")


def test_everything_has_a_description_and_values_have_a_valid_example() -> None:
    api = document(endpoints(), DEFAULTS)
    operations = [operation for methods in api["paths"].values() for operation in methods.values()]
    for operation in operations:
        assert operation["summary"].strip(), operation
        assert operation["description"].strip(), operation
    assert all(tag["description"] for tag in api["tags"])
    described = {
        f"{operation['operationId']}.{parameter['name']}": (parameter, parameter["schema"], [parameter["example"]])
        for operation in operations
        for parameter in operation["parameters"]
    }
    for name, schema in api["components"]["schemas"].items():
        for field, part in fields_of(schema, name):
            described[field] = (part, part, part.get("examples", []) if "$ref" in str(part) else part["examples"])
    assert len(described) > 1000
    for name, (text, schema, examples) in described.items():
        assert len(text["description"]) > 3, name
        validator = Draft202012Validator({**schema, "components": api["components"]})
        for example in examples:
            assert validator.is_valid(example), (name, example)


def test_words_of_the_document_are_all_in_use() -> None:
    api = document(endpoints(), DEFAULTS)
    operations = [operation for methods in api["paths"].values() for operation in methods.values()]
    fields = [name for key, schema in api["components"]["schemas"].items() for name, _ in fields_of(schema, key)]
    parameters = [f"{one['operationId']}.{item['name']}" for one in operations for item in one["parameters"]]
    used = {
        "groups": {tag["name"] for tag in api["tags"]},
        "operations": {operation["operationId"] for operation in operations},
        "parameters": {name for full in parameters for name in (full, full.partition(".")[2])},
        "fields": {name for full in fields for name in (full, full.rpartition(".")[2])},
    }
    lines = (ROOT / "service/http/words.yaml").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("  ") for line in lines) == sum(map(len, words().values())), "a name occurs twice"
    assert {kind: set(texts) - used[kind] for kind, texts in words().items()} == {kind: set() for kind in used}


def test_words_of_columns_are_in_the_document() -> None:
    api = document(endpoints(), DEFAULTS)
    assert column_words()["RSCC"].meaning in api["paths"]["/api/jobs/{job_id}/rows"]["get"]["description"]
    described = api["components"]["schemas"]["ExitVector"]["properties"]["lysine_angles_deg"]
    assert described["description"] == column_words()["lysine_angles_deg"].meaning
    answer = api["components"]["schemas"]["ExitAnswer"]
    assert set(answer["properties"]) >= {"value_nM", "affinity_type", "confidence", "stems"}
    assert answer["required"] == []  # a client may choose any columns


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service over the shipped examples whose jobs fail at once, as thousands will be submitted."""
    values = settings_in(tmp_path, examples_dirs=(ROOT / "data/examples",), max_queued_jobs=20)
    app = create_app(build_parts(values, snakemake=("false",)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(patience(20))


def can_be_wrong(operation: Any) -> bool:
    """Return whether a request can miss an operation's schema: any text is a path or the value of a form's field.

    Hypothesis would search for such requests without success, half a second for each of these operations.
    """
    declared = operation.definition.raw
    bodies = declared.get("requestBody", {}).get("content", {})
    return "application/json" in bodies or any(one["in"] != "path" for one in declared.get("parameters", []))


def test_generated_requests_get_only_declared_answers_and_wrong_ones_are_refused(address: str) -> None:
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    chance = random.Random(7)
    statuses: Counter[int] = Counter()
    refused: Counter[bool] = Counter()
    checks: list[Any] = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]

    def ask(case: Any) -> None:
        for name in case.path_parameters or {}:
            if name in REAL and chance.random() < 0.7:
                case.path_parameters[name] = chance.choice(REAL[name])
        wrong = case.meta.generation.mode is schemathesis.GenerationMode.NEGATIVE
        if case.path in GOOD and not wrong and chance.random() < 0.5:
            case.body = chance.choice(GOOD[case.path])
        answer = case.call(timeout=patience(20), allow_redirects=False)
        statuses[answer.status_code] += 1
        if answer.status_code == 503 and answer.json()["error"]["code"] == "QUEUE_FULL":
            case.validate_response(answer, checks=checks[1:])  # declared, and not an error of the server
            return
        refused.update([wrong and 400 <= answer.status_code < 500])
        there = NOT_THERE not in (case.path_parameters or {}).values()
        case.validate_response(answer, checks=[*checks, negative_data_rejection] if there else checks)

    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        if operation.path.endswith("/events"):
            continue
        for mode in MODES if can_be_wrong(operation) else MODES[:1]:
            run = given(case=operation.as_strategy(generation_mode=mode))(ask)
            settings(
                max_examples=CASES,
                derandomize=True,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )(run)()
    assert statuses.total() >= 75 * CASES, statuses
    assert not [status for status in statuses if status >= 500 and status != 503], statuses
    assert statuses[200] > 7 * CASES, statuses
    assert statuses[202] > 1, statuses
    assert refused[True] > 20 * CASES, refused
