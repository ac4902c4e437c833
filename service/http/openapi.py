"""The OpenAPI 3.1 document, made from the table of routes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from service.addresses import WES
from service.errors import STATUSES
from service.http.answer import ErrorAnswer, WesErrorAnswer
from service.http.discovery_answers import API_VERSION, UnavailableExampleAnswer
from service.http.endpoint import PAGE, Endpoint
from service.http.responses import BYTES, is_binary
from service.jobs.submission import MAX_DELAY_SECONDS, MAX_ITEMS, SERVER_FILES, public_settings
from service.jobs.uploads import UPLOAD_ID
from service.settings import Settings
from tethermap.base.config import load_yaml
from tethermap.base.root import __version__
from tethermap.base.tables import by_key

MAX_BULK = 500
"""Ligands that one request for exposure may name."""

Schema = dict[str, Any]
Words = dict[str, Any]
"""`description` and `example` of a field or parameter."""

_NOT_MODIFIED = 304
_MEDIA = {"Form": "application/x-www-form-urlencoded", "Files": "multipart/form-data", "NewRun": "multipart/form-data"}
_COMPONENTS = "#/components/schemas/{model}"


def document(endpoints: Sequence[Endpoint], settings: Settings) -> Schema:
    """Return the document of routes for a service with these settings."""
    answers, components = _answer_schemas(endpoints)
    paths: dict[str, Schema] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.plain_path, {})[endpoint.method.lower()] = _operation(endpoint, answers)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tethermap",
            "version": API_VERSION,
            "summary": "From a target name to cleaned, ligand-bound PDB structures.",
            "description": f"Served by Tethermap {__version__}. GET answers HEAD too, and never writes.",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": settings.root_path or "/"}],
        "tags": [
            {"name": name, **words()["groups"][name]}
            for name in dict.fromkeys(endpoint.group for endpoint in endpoints)
        ],
        "paths": paths,
        "components": {
            "schemas": {
                name: _worded(schema, f"{name}.") for name, schema in {**_bodies(settings), **components}.items()
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


@cache
def words() -> Words:
    """Return the texts of the document by name, for each of groups, operations, parameters and fields."""
    return load_yaml(Path(__file__).with_name("words.yaml"))


def _word(kind: str, owner: str, name: str) -> Words:
    """Return the words of a parameter or field, those of its owner first."""
    return {**words()[kind].get(name, {}), **words()[kind].get(owner + name, {})}


def _worded(schema: Any, owner: str) -> Any:
    """Return a schema whose fields have descriptions and, if they are values and not models, examples."""
    if not isinstance(schema, dict) or "properties" not in schema:
        return schema
    fields = {}
    for name, part in schema["properties"].items():
        word = _word("fields", owner, name)
        example = {"examples": [word.pop("example")]} if "example" in word else {}
        fields[name] = {**word, **_worded(part, ""), **({} if "$ref" in str(part) else example)}
    return {**schema, "properties": fields}


def _answer_schemas(endpoints: Sequence[Endpoint]) -> tuple[dict[Any, Schema], dict[str, Schema]]:
    """Return the schema of each type of answer, and the named schemas that they refer to."""
    types: dict[Any, TypeAdapter[Any]] = {}
    of_routes = (answer for endpoint in endpoints for answer in endpoint.all_answers)
    for answer in (ErrorAnswer, WesErrorAnswer, UnavailableExampleAnswer, *of_routes):
        if not isinstance(answer, str):
            types.setdefault(answer, TypeAdapter(answer))
    inputs = [(str(number), "serialization", adapter) for number, adapter in enumerate(types.values())]
    schema_of, named = TypeAdapter.json_schemas(inputs, ref_template=_COMPONENTS)  # type: ignore[arg-type]
    schemas = {answer: _plain(schema_of[str(number), "serialization"]) for number, answer in enumerate(types)}
    return schemas, _plain(named.get("$defs", {}))


def _plain(schema: Any) -> Any:
    """Return a schema without parts for internal programs: titles, defaults of responses."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            plain[key] = {name: _plain(item) for name, item in value.items()}
        elif key not in ("title", "default"):
            plain[key] = _plain(value)
    return plain


def _bodies(settings: Settings) -> dict[str, Schema]:
    """Return the schemas of request bodies."""
    schemas: dict[str, Schema] = load_yaml(Path(__file__).with_name("bodies.yaml"))
    schemas["NewJob"]["not"] = {"anyOf": [{"required": [name]} for name in SERVER_FILES]}
    job, batch = schemas["NewJob"]["properties"], schemas["NewBatch"]["properties"]
    for name in ("target_name", "protein", "target"):
        job[name]["maxLength"] = settings.max_target_chars
    for name in ("search_query", "query"):
        job[name]["maxLength"] = settings.max_query_chars
    options = {
        name: {**schema, **({"maxItems": MAX_ITEMS} if schema.get("type") == "array" else {})}
        for name, (_, schema) in public_settings().items()
    }
    options["entries"]["maxItems"] = settings.max_entries
    job["options"]["properties"] = options
    job["structures"]["pattern"] = UPLOAD_ID
    batch["jobs"]["maxItems"], batch["delay_seconds"]["maximum"] = settings.max_batch, MAX_DELAY_SECONDS
    schemas["WantedLigands"]["properties"]["requests"]["maxItems"] = MAX_BULK
    return schemas


def _operation(endpoint: Endpoint, answers: Mapping[Any, Schema]) -> Schema:
    names = re.findall(r"\{(\w+)\}", endpoint.plain_path)
    always = {"in": "path", "required": True, "schema": {"type": "string"}}
    owner = f"{endpoint.operation}."
    path = [{"name": name, **always, **_word("parameters", owner, name)} for name in names]
    others = [
        {**_word("parameters", owner, item["name"]), **item}
        for parameter in endpoint.parameters
        for item in parameter.documented()
    ]
    operation: Schema = {
        "operationId": endpoint.operation,
        "summary": endpoint.note,
        "description": endpoint.says
        or words()["operations"].get(endpoint.operation, {}).get("description", endpoint.note),
        "tags": [endpoint.group],
        "parameters": [*path, *others],
        "responses": _responses(endpoint, answers),
    }
    if endpoint.body:
        media = _MEDIA.get(endpoint.body, "application/json")
        schema = {"$ref": _COMPONENTS.format(model=endpoint.body)}
        operation["requestBody"] = {"required": True, "content": {media: {"schema": schema}}}
    if endpoint.changes:
        operation["security"] = [{}, {"token": []}]
    return operation


def _responses(endpoint: Endpoint, answers: Mapping[Any, Schema]) -> Schema:
    """Return all responses of a route by status: its own, its errors, and those common to all routes."""
    contents: dict[int, dict[str, list[Schema]]] = {}
    codes = by_key((STATUSES[code], code) for code in endpoint.codes)
    for status, media, schema in _contents(endpoint, answers):
        schemas = contents.setdefault(status, {})
        if media and schema not in schemas.setdefault(media, []):
            schemas[media].append(schema)
    return {str(status): _response(status, contents[status], codes.get(status, [])) for status in sorted(contents)}


def _contents(endpoint: Endpoint, answers: Mapping[Any, Schema]) -> Iterator[tuple[int, str, Schema]]:
    """Yield status, media type, empty for no body, and schema of all that a route can answer."""
    page, wes = endpoint.for_people, endpoint.path.startswith(WES)
    for status, several in endpoint.answers.items():
        each = several if isinstance(several, tuple) else (several,)
        if endpoint.is_file and any(map(is_binary, each)):
            yield status, BYTES, _file(BYTES)  # first, as generated clients use the first known type
        for answer in each:
            if isinstance(answer, str):
                yield status, answer, _file(answer)
            else:
                yield status, "application/json", answers[answer]
    if endpoint.method == "GET" and 200 in endpoint.answers:
        yield _NOT_MODIFIED, "", {}
    if endpoint.reads_job and page:
        yield 200, PAGE, {"type": "string"}
    elif endpoint.reads_job:
        yield 200, "application/json", answers[UnavailableExampleAnswer]
    conflict = [HTTPStatus.CONFLICT] if "IDEMPOTENCY_CONFLICT" in endpoint.errors else []
    for status in [*(STATUSES[code] for code in endpoint.codes), *conflict]:
        if page:
            yield status, PAGE, {"type": "string"}
        if not page or endpoint.method != "GET":  # a program that sends a form is answered like one
            yield status, "application/json", answers[WesErrorAnswer if wes else ErrorAnswer]


def _file(media: str) -> Schema:
    """Return the schema of a file: any value where it is JSON, else text or bytes."""
    if media == "application/json":
        return {}
    return {"type": "string", "format": "binary"} if is_binary(media) else {"type": "string"}


def _response(status: int, content: Mapping[str, list[Schema]], codes: Sequence[str]) -> Schema:
    media = {
        name: {"schema": {} if {} in schemas else schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
        for name, schemas in content.items()
    }
    description = HTTPStatus(status).phrase + (f": {', '.join(codes)}" if codes else "")
    return {"description": description, **({"content": media} if media else {})}
