"""Tools for agents over the API, each with one request."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from service.jobs.record import STATES
from tethermap.base.contexts import CONTEXTS
from tethermap.base.tables import TABLES

_KNOWN = {"status": list(STATES), "context": list(CONTEXTS), "table": list(TABLES)}
"""Values of arguments that have a closed list."""

_SHOWN = 20
"""Names in an error."""


class ToolError(Exception):
    """Arguments of a call that a tool can't use."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Parameters
    ----------
    name, says : str
        Its name, and when to use it.
    path : str
        Path of the API with its arguments in braces.
    arguments : mapping
        JSON Schemas of its arguments; a default is sent with each request.
    required : sequence of str
        Arguments that must be given, those of the path included.
    method : str
        ``GET``: arguments outside the path are query parameters; ``POST``: they are the body; ``FILE``: a file.
    fixed : mapping
        Query parameters that are always sent.
    rows : str
        Field of the response with the rows whose `columns` can be chosen; empty if it is not a list.
    omit : sequence of str
        Fields of the response that are left out.
    """

    name: str
    says: str
    path: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    required: Sequence[str] = ()
    method: str = "GET"
    fixed: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    omit: Sequence[str] = ()

    def described(self) -> dict[str, Any]:
        """Return the description for clients."""
        schema = {"type": "object", "properties": dict(self.arguments), "additionalProperties": False}
        return {
            "name": self.name,
            "description": self.says,
            "inputSchema": {**schema, "required": list(self.required)},
            "annotations": {
                "readOnlyHint": self.method == "GET" or bool(self.fixed),
                "destructiveHint": self.path.endswith("/cancel"),
            },
        }

    def request(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request of the API that some arguments mean.

        Raises
        ------
        ToolError
            If one is unknown, lacks or is of another type.
        """
        unknown = sorted(name[:64] for name in given.keys() - self.arguments.keys())
        lacking = [name for name in self.required if given.get(name) in (None, "")]
        if unknown or lacking:
            wrong = f"unknown: {', '.join(unknown[:_SHOWN])}" if unknown else f"missing: {', '.join(lacking)}"
            raise ToolError(f"{self.name} has unknown arguments ({wrong}); known are {', '.join(self.arguments)}.")
        for name, value in given.items():
            kind = self.arguments[name].get("type", "string")
            is_object, is_list = isinstance(value, Mapping), isinstance(value, list)
            if value is not None and (is_object != (kind == "object") or (is_list and kind != "array")):
                raise ToolError(f"{name} must be of the type {kind}.")
        given = {**{name: one["default"] for name, one in self.arguments.items() if "default" in one}, **given}
        used = re.findall(r"\{(\w+)\}", self.path)
        path = self.path.format_map({name: quote(str(given[name]), safe="/" * (name == "path")) for name in used})
        filters, left_out = given.get("filters"), (*used, "filters", "columns")
        others = {name: value for name, value in given.items() if name not in left_out and value is not None}
        if self.method == "FILE":
            return {"method": "POST", "url": path, "files": [("files", _file(given))]}
        if self.method == "POST":
            return {"method": "POST", "url": path, "json": others, "params": dict(self.fixed)}
        others = {**filters, **others} if isinstance(filters, Mapping) else others
        return {"method": "GET", "url": path, "params": {**others, **self.fixed}}

    def shown(self, body: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a response with the requested columns, or the default ones.

        Raises
        ------
        ToolError
            If there is no such column.
        """
        body = {name: value for name, value in body.items() if name not in (*self.omit, "next", "prev")}
        rows: list[dict[str, Any]] = body.get(self.rows) or []
        asked = given.get("columns") or []
        names = [str(name) for name in asked] if isinstance(asked, list) else str(asked).split(",")
        if not rows or not (names or self.arguments["columns"].get("default")):
            return body
        known = _flat(rows[0])
        if unknown := [name for name in names if name not in known]:
            raise ToolError(f"There is no column {', '.join(unknown)}; there are {', '.join(known)}.")
        names = names or [name for name in self.arguments["columns"]["default"] if name in known]
        body.pop("columns", None)
        return {**body, self.rows: [{name: flat.get(name) for name in names} for flat in map(_flat, rows)]}


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row and, as ``a.Warhead``, those of objects in it."""
    inner = ((f"{name}.{one}", value) for name, part in row.items() if isinstance(part, Mapping)
             for one, value in part.items())  # fmt: skip
    return {**row, **dict(inner)}


def _file(given: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return name and content of a file."""
    if not given.get("base64"):
        return str(given["name"]), str(given.get("text") or "").encode()
    try:
        return str(given["name"]), base64.b64decode(str(given["base64"]), validate=True)
    except ValueError:
        raise ToolError("base64 is not valid base64.") from None


def _read(path: Path) -> tuple[Tool, ...]:
    tools = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, known in _KNOWN.items():
        for tool in tools:
            if tool["arguments"].get(name) == {}:
                tool["arguments"][name] = {"enum": known}
    return tuple(Tool(**tool) for tool in tools)


TOOLS = _read(Path(__file__).with_name("tools.yaml"))
