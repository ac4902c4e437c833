"""Read query parameters: what can't be parsed is refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request

from service.errors import InvalidParameter, MissingField

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST = 1000


def text(request: Request, *names: str) -> str | None:
    """Return the first of some parameters that is not blank, trimmed; None when there is none.

    Raises
    ------
    InvalidParameter
        If it holds control characters or is too long.
    """
    for name in names:
        value = request.query_params.get(name, "").strip()
        if not value:
            continue
        if _UNPRINTABLE.search(value) or len(value) > _LONGEST:
            raise InvalidParameter(
                f"{name} is too long or holds control characters.", details={"parameter": name, "maximum": _LONGEST}
            )
        return value
    return None


def required(request: Request, name: str) -> str:
    """Return a parameter that must be there.

    Raises
    ------
    MissingField
        If it is absent or blank.
    """
    value = text(request, name)
    if value is None:
        raise MissingField(f"The query parameter {name} is missing.", details={"field": name})
    return value


def several(request: Request, name: str, maximum: int) -> list[str]:
    """Return all values of a parameter that may be repeated, blank ones left out, each once.

    Raises
    ------
    InvalidParameter
        If there are more than `maximum` or one holds control characters or is too long.
    """
    values = list(dict.fromkeys(value for text in request.query_params.getlist(name) if (value := text.strip())))
    if len(values) > maximum or any(_UNPRINTABLE.search(value) or len(value) > _LONGEST for value in values):
        raise InvalidParameter(
            f"{name} is given more than {maximum} times, or is too long or holds control characters.",
            details={"parameter": name, "maximum": maximum},
        )
    return values


def integer(request: Request, name: str, default: int, *, minimum: int = 0, maximum: int | None = None) -> int:
    """Return a whole number; above `maximum` it is lowered to it.

    Raises
    ------
    InvalidParameter
        If it can't be parsed or is below `minimum`.
    """
    value = request.query_params.get(name)
    if value is None:
        return default
    stripped = value.strip()
    if not _INTEGER.fullmatch(stripped) or int(stripped) < minimum:
        raise InvalidParameter(
            f"{name} must be a whole number of at least {minimum}.",
            details={"parameter": name, "minimum": minimum, "maximum": maximum},
        )
    number = int(stripped)
    return number if maximum is None else min(number, maximum)


def flag(request: Request, name: str, default: bool | None = None) -> bool | None:
    """Return true or false; `default` when absent or blank."""
    value = text(request, name)
    if value is None:
        return default
    if value.lower() not in _YES:
        raise InvalidParameter(f"{name} must be true or false.", details={"parameter": name})
    return _YES[value.lower()]


def choice(request: Request, name: str, known: Sequence[str], default: str | None = None) -> str | None:
    """Return one of the `known` values, any case; `default` when absent or blank."""
    value = text(request, name)
    if value is None:
        return default
    if value.lower() not in known:
        raise InvalidParameter(f"{name} must be one of {', '.join(known)}.", details={"parameter": name})
    return value.lower()


def moment(request: Request, name: str) -> str | None:
    """Return an ISO date or time in UTC as ``2026-05-30T10:00:00Z``; a time without zone is UTC."""
    value = text(request, name)
    if value is None:
        return None
    try:
        if len(value) == len("2026-05-30"):
            day = date.fromisoformat(value)
            return f"{day.isoformat()}T00:00:00Z"
        time = datetime.fromisoformat(value.replace(" ", "+") if re.search(r" \d\d:\d\d$", value[10:]) else value)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidParameter(
            f"{name} must be a date or time as 2026-05-30 or 2026-05-30T10:00:00Z.", details={"parameter": name}
        ) from None
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is asked for."""

    limit: int
    offset: int

    @classmethod
    def of(cls, request: Request, default: int, maximum: int) -> Page:
        """Return the page that a request asks for."""
        limit = integer(request, "limit", default, minimum=1, maximum=maximum)
        return cls(limit, integer(request, "offset", 0))

    def links(self, request: Request, total: int) -> tuple[dict[str, Any], Mapping[str, str]]:
        """Return ``total``, ``limit``, ``offset``, ``next``, ``prev`` and the Link header."""
        pages: dict[str, str | None] = {"next": None, "prev": None}
        if self.offset + self.limit < total:
            pages["next"] = self._url(request, self.offset + self.limit)
        if self.offset > 0:
            pages["prev"] = self._url(request, max(0, min(self.offset, total) - self.limit))
        link = ", ".join(f'<{url}>; rel="{name}"' for name, url in pages.items() if url)
        body = {"total": total, "limit": self.limit, "offset": self.offset, **pages}
        return body, {"Link": link} if link else {}

    def _url(self, request: Request, offset: int) -> str:
        kept = [(key, value) for key, value in request.query_params.multi_items() if key not in ("limit", "offset")]
        path = quote(request.scope["path"])
        return f"{path}?{urlencode([*kept, ('limit', self.limit), ('offset', offset)])}"
