"""Words of JSON Schema, from which the schemas of the service are put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.jobs import STATES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
ANY: Schema = {}
YES: Schema = {"const": True}
TIME: Schema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}
STATE: Schema = {"enum": list(STATES)}
MAP: Schema = {"type": "object"}
URL: Schema = {"type": "string", "pattern": "^/"}


def ref(name: str) -> Schema:
    """Return a reference to a schema by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def null(schema: Mapping[str, Any]) -> Schema:
    """Return a schema that null fits as well."""
    return {"anyOf": [dict(schema), {"type": "null"}]}


def many(schema: Mapping[str, Any]) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": dict(schema)}


def counts() -> Schema:
    """Return the schema of counts by name."""
    return {"type": "object", "additionalProperties": COUNT}


def fields(**properties: Mapping[str, Any]) -> Schema:
    """Return the schema of an object that has at least these fields."""
    return {"type": "object", "properties": dict(properties), "required": list(properties)}
