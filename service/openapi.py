"""The OpenAPI 3.1 document, made from the table of routes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from scripts.lib.version import __version__
from service.endpoint import Endpoint
from service.json_schema import ref
from service.openapi_schemas import error_statuses, schemas
from service.schemas import Limits

API_VERSION = "0.1"

_EVERYWHERE = ("INTERNAL_ERROR", "RATE_LIMITED")
_NOT_MODIFIED = 304


def document(endpoints: Sequence[Endpoint], limits: Limits) -> dict[str, Any]:
    """Return the document.

    Parameters
    ----------
    endpoints : sequence of Endpoint
        All routes.
    limits : Limits
        What a client may send.
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.plain_path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tethermap",
            "version": API_VERSION,
            "summary": "From a target name to cleaned, ligand-bound PDB structures.",
            "description": f"Served by Tethermap {__version__}. GET answers HEAD too, and never writes.",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in dict.fromkeys(endpoint.group for endpoint in endpoints)],
        "paths": paths,
        "components": {
            "schemas": schemas(limits),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    name = re.sub(r"[^A-Za-z0-9]+", "_", f"{endpoint.method.lower()}{endpoint.plain_path}").strip("_")
    operation: dict[str, Any] = {
        "operationId": name or "get_root",
        "summary": endpoint.note,
        "tags": [endpoint.group],
        "parameters": [*_path_parameters(endpoint), *_parameters(endpoint)],
        "responses": _responses(endpoint),
    }
    if endpoint.body:
        media = "application/x-www-form-urlencoded" if endpoint.body == "Form" else "application/json"
        operation["requestBody"] = {"required": True, "content": {media: {"schema": ref(endpoint.body)}}}
    if endpoint.changes:
        operation["security"] = [{}, {"token": []}]
    return operation


def _path_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)\}", endpoint.plain_path)
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": name.replace("_", " "),
        }
        for name in names
    ]


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "in": one.place,
            "required": one.required,
            "schema": dict(one.schema),
            "description": one.says or one.name,
        }
        for one in endpoint.parameters
    ]


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    """Return all answers of a route by status: its own, its errors, what any route can answer."""
    contents: dict[int, dict[str, Any]] = {}
    codes: dict[int, list[str]] = {}
    for status, answers in endpoint.answers.items():
        for answer in (answers,) if isinstance(answers, str) else answers:
            contents.setdefault(status, {}).update(_content(answer))
    if endpoint.method == "GET" and 200 in endpoint.answers:
        contents.setdefault(_NOT_MODIFIED, {})
    is_page = not endpoint.path.startswith("/api/") and endpoint.path not in ("/openapi.json", "/metrics")
    if "{job_id}" in endpoint.path and is_page:
        contents.setdefault(200, {}).update(_content("text/html; charset=utf-8"))
    elif ("{job_id}" in endpoint.path and endpoint.method == "GET") or endpoint.path.endswith("/bulk"):
        _also(contents, 200, "application/json", "UnavailableExample")
    errors = [*endpoint.errors, *_EVERYWHERE, *(("UNAUTHORIZED",) if endpoint.changes else ())]
    statuses = error_statuses()
    for code in errors:
        status = statuses[code]
        codes.setdefault(status, []).append(code)
        if is_page:
            contents.setdefault(status, {})["text/html; charset=utf-8"] = {"schema": {"type": "string"}}
        if not is_page or endpoint.method != "GET":  # a program that sends a form is answered like one
            _also(contents, status, "application/json", "Error")
    if "IDEMPOTENCY_CONFLICT" in endpoint.errors:
        _also(contents, HTTPStatus.CONFLICT, "application/json", "Error")
    return {str(status): _response(status, contents[status], codes.get(status, [])) for status in sorted(contents)}


def _also(contents: dict[int, dict[str, Any]], status: int, media: str, name: str) -> None:
    """Add a schema to those that an answer can have."""
    known = contents.setdefault(status, {}).setdefault(media, {"schema": {"anyOf": []}})
    schema = known["schema"]
    if not schema:  # anything, a job's own JSON files
        return
    options = schema.get("anyOf", [schema])
    if ref(name) not in options:
        options = [*options, ref(name)]
    known["schema"] = {"anyOf": options}


def _content(answer: str) -> dict[str, Any]:
    if not answer:
        return {}
    if "/" in answer:
        schema: Mapping[str, Any] = {"type": "string"} if answer.startswith("text/") else {}
        return {answer: {"schema": dict(schema)}}
    return {"application/json": {"schema": ref(answer)}}


def _response(status: int, content: Mapping[str, Any], codes: Sequence[str]) -> dict[str, Any]:
    said = HTTPStatus(status).phrase + (f": {', '.join(codes)}" if codes else "")
    return {"description": said, **({"content": dict(content)} if content else {})}
