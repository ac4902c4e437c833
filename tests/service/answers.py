"""Checks every JSON response in a test against the schema that the service publishes for it, without additions."""

import re
from functools import cache
from typing import Any

import httpx2
from jsonschema import Draft202012Validator
from starlette.routing import compile_path

from service.app import endpoints
from service.http.endpoint import Endpoint
from service.http.openapi import document
from service.settings import Settings

DEFAULTS = Settings.from_environment({})

UNKNOWN = {"$ref": "#/components/schemas/ErrorAnswer"}


def closed(schema: Any) -> Any:
    """Return a schema that an object with further fields doesn't fit."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    values = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        values.setdefault("additionalProperties", False)
    return values


@cache
def _published() -> dict[str, Any]:
    return dict(closed(document(endpoints(), DEFAULTS)))


@cache
def _patterns() -> list[tuple[re.Pattern[str], Endpoint]]:
    return [(compile_path(endpoint.path)[0], endpoint) for endpoint in endpoints()]


@cache
def _validator(path: str, method: str, status: int) -> Draft202012Validator:
    methods = _published()["paths"][path] if path else {}
    responses = methods.get(method, {}).get("responses", {})
    content = responses.get(str(status), {}).get("content", {})
    schema = UNKNOWN if status >= 400 and str(status) not in responses else content["application/json"]["schema"]
    return Draft202012Validator({"components": _published()["components"], **schema})


def check(method: str, path: str, status: int, body: Any) -> None:
    """Fail unless a JSON response matches its route and status in the OpenAPI document."""
    method = "GET" if method == "HEAD" else method
    routes = [endpoint for pattern, endpoint in _patterns() if pattern.match(path)]
    own = next((endpoint for endpoint in routes if endpoint.method == method), None)
    validator = _validator(own.plain_path if own else "", method.lower(), status)
    if own is None and path.startswith("/ga4gh/"):
        validator = Draft202012Validator({"required": ["msg", "status_code"]})
    errors = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(body)]
    assert errors == [], (method, path, status, errors[:5])


def checked(response: httpx2.Response) -> None:
    """Check an answer as a client gets it."""
    if response.headers.get("content-type") == "application/json" and response.request.method != "HEAD":
        response.read()
        if response.status_code not in (206, 304):
            check(response.request.method, response.request.url.path, response.status_code, response.json())
