"""Query parameters and headers: each parses itself by the rules in the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import quote, urlencode

from starlette.requests import Request

from service.addresses import address
from service.errors import MissingField, wrong_parameter, wrong_value
from service.jobs.artifacts import KINDS
from tethermap.base.contexts import HEADLINE_FIRST

_INTEGER = re.compile(r"[+-]?[0-9]{1,1000}")
_LARGEST = 10**18
_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST = 1000
_TOO_LONG = f"is longer than {_LONGEST} characters or contains control characters"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its own reader; kinds that parse themselves are below.

    Parameters
    ----------
    name, says : str
        Its name and its purpose.
    aliases : tuple of str
        Alternative names, in order of precedence.
    required : bool
        Whether a request without it is refused.
    location : str
        ``query`` or ``header``.
    schema : mapping
        JSON Schema of its value.
    """

    name: str
    says: str = ""
    aliases: tuple[str, ...] = ()
    required: bool = False
    location: str = "query"
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})

    may_be_empty: ClassVar[bool] = False
    """Whether an empty value, which its schema would not have, means that it is not given; blanks are a wrong one."""

    @property
    def optional(self) -> Self:
        """The same parameter as an optional one."""
        return replace(self, required=False)

    def documented(self) -> Iterator[dict[str, Any]]:
        """Yield the OpenAPI description of the parameter and of its alternative names."""
        for name in (self.name, *self.aliases):
            yield {
                "name": name,
                "in": self.location,
                "required": self.required,
                "schema": dict(self.schema),
                "description": (self.says or name) if name == self.name else f"The same as {self.name}.",
                **({"allowEmptyValue": True} if self.may_be_empty and not self.required else {}),
            }

    def _texts(self, request: Request) -> Iterator[tuple[str, str]]:
        """Yield the values that are given, trimmed, each with its name."""
        for name in (self.name, *self.aliases):
            raw = request.query_params.get(name, "")
            value = raw.strip()
            if not value and not (raw and self.may_be_empty):
                continue
            if _UNPRINTABLE.search(raw) or len(value) > _LONGEST:
                raise wrong_parameter(name, _TOO_LONG, maximum=_LONGEST)
            yield name, value

    def _text(self, request: Request) -> tuple[str, str | None]:
        """Return the first value that is not blank, trimmed, with its name."""
        for name, value in self._texts(request):
            return name, value
        if self.required:
            raise MissingField(f"The query parameter {self.name} is missing.", field=self.name)
        return self.name, None


class Text(Parameter):
    """Text of at most 1,000 printable characters."""

    def of(self, request: Request) -> str | None:
        """Return it trimmed; None when it is absent or blank.

        Raises
        ------
        InvalidParameter, MissingField
            If it contains control characters or is too long; if it is required and missing.
        """
        return self._text(request)[1]

    def needed(self, request: Request) -> str:
        """Return it where it must be there; otherwise as `of`."""
        return replace(self, required=True).of(request) or ""


class JobId(Text):
    """Id of a job or example, read unchanged: a trimmed text would be another id."""

    def _texts(self, request: Request) -> Iterator[tuple[str, str]]:
        for name in (self.name, *self.aliases):
            if (given := request.query_params.get(name, "")).strip():
                yield name, given


@dataclass(frozen=True, slots=True)
class Texts(Parameter):
    """A text that may be repeated, at most `maximum` times; with `blanks` every value counts, in its place."""

    maximum: int = 1
    blanks: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", {"type": "array", "items": {"type": "string"}, "maxItems": self.maximum})

    def of(self, request: Request) -> list[str]:
        """Return all its distinct values, without blank ones; all values with `blanks`.

        Raises
        ------
        InvalidParameter
            If there are too many, or one contains control characters or is too long.
        """
        texts = request.query_params.getlist(self.name)
        values = [text.strip() for text in texts]
        if not self.blanks:
            values = list(dict.fromkeys(filter(None, values)))
        seen = values if self.blanks else texts
        if len(texts) > self.maximum or any(_UNPRINTABLE.search(text) or len(text) > _LONGEST for text in seen):
            reason = f"is given more than {self.maximum} times, {_TOO_LONG}"
            raise wrong_parameter(self.name, reason, maximum=self.maximum)
        return values


@dataclass(frozen=True, slots=True)
class Whole(Parameter):
    """A whole number from `minimum` on; above `maximum` it is lowered to it."""

    minimum: int = 0
    maximum: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", {"type": "integer", "minimum": self.minimum})

    def of(self, request: Request) -> int | None:
        """Return it; None when it is absent.

        Raises
        ------
        InvalidParameter
            If it can't be parsed or is below `minimum`.
        """
        value = request.query_params.get(self.name)
        if value is None:
            return None
        stripped = value.strip(" ")
        if not _INTEGER.fullmatch(stripped) or int(stripped) < self.minimum:
            wanted = f"a whole number of at least {self.minimum}"
            raise wrong_value(self.name, value, wanted, minimum=self.minimum, maximum=self.maximum)
        return min(int(stripped), _LARGEST if self.maximum is None else self.maximum)


@dataclass(frozen=True, slots=True)
class Flag(Parameter):
    """True or false, or another word for them."""

    may_be_empty: ClassVar[bool] = True
    words: Mapping[str, bool] = field(default_factory=dict)
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "boolean"})

    def of(self, request: Request) -> bool | None:
        """Return it; None when it is absent or blank.

        Raises
        ------
        InvalidParameter
            If it is neither, under any of its names.
        """
        values, words = [], {**_YES, **self.words}
        for name, value in self._texts(request):
            if value.lower() not in words:
                raise wrong_value(name, value, "true or false", known=["true", "false", *self.words])
            values.append(words[value.lower()])
        return next(iter(values), None)


@dataclass(frozen=True, slots=True)
class Choice(Parameter):
    """One of several values, in any case; the first by default."""

    may_be_empty: ClassVar[bool] = True
    known: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", {"type": "string", "enum": list(self.known)})

    def given(self, request: Request) -> str | None:
        """Return it; None when it is absent or blank.

        Raises
        ------
        InvalidParameter
            If it is not one of them.
        """
        name, value = self._text(request)
        spelled = {one.lower(): one for one in self.known}
        if value is not None and value.lower() not in spelled:
            raise wrong_value(name, value, f"one of {', '.join(self.known)}", known=list(self.known))
        return None if value is None else spelled[value.lower()]

    def of(self, request: Request) -> str:
        """Return it, or the first of the known values; otherwise as `given`."""
        return self.given(request) or self.known[0]


class Moment(Parameter):
    """An ISO date or time; a time without zone is UTC."""

    def of(self, request: Request) -> str | None:
        """Return it in UTC as ``2026-05-30T10:00:00Z``; None when it is absent or blank.

        Raises
        ------
        InvalidParameter
            If it is invalid.
        """
        name, value = self._text(request)
        if value is None:
            return None
        try:
            if len(value) == len("2026-05-30"):
                return f"{date.fromisoformat(value).isoformat()}T00:00:00Z"
            time = datetime.fromisoformat(value.replace(" ", "+") if re.search(r" \d\d:\d\d$", value[10:]) else value)
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):
            wanted = "a date or time such as 2026-05-30 or 2026-05-30T10:00:00Z"
            raise wrong_value(name, value, wanted) from None
        return time.isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Paging:
    """The parameters ``limit`` and ``offset`` of a list: `default` rows a page, at most `maximum`."""

    default: int
    maximum: int

    def __iter__(self) -> Iterator[Whole]:
        about = f"Maximum number of rows (default {self.default}, at most {self.maximum})."
        return iter(
            (Whole("limit", about, minimum=1, maximum=self.maximum), Whole("offset", "Number of rows to skip."))
        )

    def of(self, request: Request) -> Page:
        """Return the page that a request selects."""
        limit, offset = (parameter.of(request) for parameter in self)
        return Page(self.default if limit is None else limit, offset or 0)


class Page(NamedTuple):
    """The requested part of a list."""

    limit: int
    offset: int

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
        others = [(key, value) for key, value in request.query_params.multi_items() if key not in ("limit", "offset")]
        path = quote(address(request.scope["path"]))
        return f"{path}?{urlencode([*others, ('limit', self.limit), ('offset', offset)])}"


def refuse_unknown(request: Request, known: Sequence[str]) -> None:
    """Reject unknown query parameters: a misspelled filter must not return everything.

    Raises
    ------
    InvalidParameter
        If there is one.
    """
    for name in request.query_params:
        if name not in known:
            reason = f"is not a parameter of this address, which has {', '.join(known) or 'none'}"
            raise wrong_parameter(name[:64], reason, known=list(known))


MAX_STEMS = 200
"""Maximum number of ligands that one ZIP can name; use all files for more."""

DRY_RUN = Flag("dry_run", "Preview only: return the entries and the cost, create no job.")
IDEMPOTENCY_KEY = Text(
    "Idempotency-Key",
    "Any key: a repeated request with the same key and body returns the same job, for a day.",
    location="header",
    schema={"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
)
KIND = Text("kind", f"Only files of this kind: all, {', '.join(KINDS)}.")
FOLDER = Text("folder", "Only files below this folder, in upper or lower case, such as WAR_PDB.")
CONTEXT = Choice("context", "Atoms around the ligand that count for its exposure.", known=HEADLINE_FIRST)
RESID = Text("resid", "Author residue number with insertion code.", aliases=("residue_id",))
PDB_ID = Text("pdb_id", "PDB id of the entry, in upper or lower case.", required=True)
CHAIN = Text("chain", "Author chain id.", required=True)
LIGAND = Text("ligand", "Component code of the ligand.", required=True)
RESIDUE_ID = Text("residue_id", "Author residue number with insertion code.", required=True)
STEM = Texts("stem", f"Only the files of this ligand; may be repeated, at most {MAX_STEMS} times.", maximum=MAX_STEMS)
