"""Read a JSON body strictly: input that parsers could interpret differently is rejected."""

import json
import math
import re
from collections import Counter
from typing import Any

import anyio.to_thread
from starlette.requests import Request

from service.errors import InvalidJson, UnsupportedMediaType

MAX_DEPTH = 32
"""Levels of lists and objects, the outermost included."""

_SMALL = 1 << 14
"""Bytes that are parsed at once; more are not, as all other requests would wait."""

_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
"""A string, also one without an end, so that no character is matched twice."""


async def read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request carries.

    Raises
    ------
    UnsupportedMediaType
        If the content type is not JSON.
    InvalidJson
        If the body is not one JSON object in UTF-8 with unique keys, finite numbers and at
        most `MAX_DEPTH` levels.
    """
    body = await request.body()
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media_type and not body:
        raise InvalidJson("The body is missing: send a JSON object.")
    if media_type != "application/json":
        raise UnsupportedMediaType("The body must be JSON: send Content-Type: application/json.")
    if len(body) < _SMALL:
        return parse_object(body)
    return await anyio.to_thread.run_sync(parse_object, body)


def parse_object(body: bytes, name: str = "The body") -> dict[str, Any]:
    """Return the JSON object in `body`, which errors call `name`; see `read_json`."""
    if not body.strip():
        raise InvalidJson(f"{name} is empty: send a JSON object.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidJson(f"{name} is not UTF-8 (byte {error.start}).") from None
    if _depth(text) > MAX_DEPTH:
        raise InvalidJson(f"{name} is nested deeper than {MAX_DEPTH} levels.")
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite, parse_int=_whole
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidJson(f"{name} contains an unpaired surrogate.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidJson(f"{name} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InvalidJson(f"{name} must be a JSON object.")
    return value


def _depth(text: str) -> int:
    """Return the maximum nesting depth of brackets outside strings."""
    depth = deepest = 0
    for character in re.sub(r"[^\[\]{}]+", "", _STRINGS.sub("", text)):
        depth += 1 if character in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:64]!r} occurs twice")
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _whole(text: str) -> int:
    _finite(text)  # other readers of JSON know no larger numbers
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:32]} is too large a number")
    return value
