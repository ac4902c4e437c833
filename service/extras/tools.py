"""What agents can do: tools over the API, each one request of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from service.jobs.record import STATES
from tethermap.base.contexts import CONTEXTS

_KNOWN = {"status": list(STATES), "context": list(CONTEXTS)}
"""Values of arguments that have a closed list."""


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
        JSON Schemas of its arguments.
    required : sequence of str
        Arguments that must be given, those of the path included.
    method : str
        ``GET``: arguments beside the path are query parameters; ``POST``: they are the body.
    fixed : mapping
        Query parameters that are always sent.
    """

    name: str
    says: str
    path: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    required: Sequence[str] = ()
    method: str = "GET"
    fixed: Mapping[str, str] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return what clients are told of it."""
        schema = {"type": "object", "properties": dict(self.arguments), "additionalProperties": False}
        return {
            "name": self.name,
            "description": self.says,
            "inputSchema": {**schema, "required": list(self.required)},
            "annotations": {"readOnlyHint": self.method == "GET" or bool(self.fixed), "destructiveHint": False},
        }

    def request(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request of the API that some arguments mean.

        Raises
        ------
        ValueError
            If one is unknown or lacks.
        """
        unknown = sorted(given.keys() - self.arguments.keys())
        lacking = [name for name in self.required if given.get(name) in (None, "")]
        if unknown or lacking:
            wrong = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(lacking)}"
            raise ValueError(f"{self.name} has other arguments ({wrong}); it knows {', '.join(self.arguments)}.")
        used = set(re.findall(r"\{(\w+)\}", self.path))
        path = re.sub(r"\{(\w+)\}", lambda match: _part(str(given[match[1]]), whole=match[1] != "path"), self.path)
        filters = given.get("filters")
        others = {name: value for name, value in given.items() if name not in {*used, "filters"} and value is not None}
        if self.method == "POST":
            return {"method": "POST", "url": path, "json": others, "params": dict(self.fixed)}
        others = {**filters, **others} if isinstance(filters, Mapping) else others
        return {"method": "GET", "url": path, "params": {**others, **self.fixed}}


def _part(text: str, *, whole: bool) -> str:
    return quote(text, safe="" if whole else "/")


def _read(path: Path) -> tuple[Tool, ...]:
    tools = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, known in _KNOWN.items():
        for tool in tools:
            if name in tool["arguments"]:
                tool["arguments"][name] = {"enum": known}
    return tuple(Tool(**tool) for tool in tools)


TOOLS = _read(Path(__file__).with_name("tools.yaml"))
