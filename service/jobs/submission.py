"""Submissions of clients: checked, trimmed and converted into the pipeline's settings."""

import difflib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from pydantic import BaseModel, ConfigDict, Field

from service.errors import InvalidField, MissingField, ServiceError, UnsupportedInput, invalid_field
from service.hosts import is_public, literal_address
from service.jobs.uploads import UPLOAD_ID
from service.settings import Settings
from tethermap.base.config import all_settings, expected, load_schema
from tethermap.base.fasta import SHORTEST_SEQUENCE, read_records, sequence_notes
from tethermap.base.identifiers import COMPONENT_CODE, ENTRY_ID
from tethermap.sources.query import NO_BRACKETS, parse_query

ALIASES: Mapping[str, tuple[str, ...]] = {
    "target_name": ("protein", "target"),
    "search_query": ("query",),
    "fasta_seq": ("fasta", "sequence"),
}
"""Other names of a field; the field itself wins."""

SERVER_FILES = ("structure_path", "structure_file", "input_path", "upload_path")
"""Fields that would name a file of the server."""

MAX_DELAY_SECONDS = 30.0
MAX_ITEMS = 1000
"""Items of an option that is a list; of entries there may be more, which polls do not repeat."""
MAX_SEQUENCES = 100
"""Sequences of a job, each of which is searched and compared with every entry."""

_FORMATS = FormatChecker(["date"])
_FIELDS = {"target_name", "search_query", "fasta_seq", "options", "pdb_id", "ligand", "structures", "webhook"}
_OWN_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_SHOWN_NAMES = 20
_LONGEST_ADDRESS = 500
_LAST_PORT = 65535
_PRIVATE = "leads to an address outside the public internet, to which this service sends no notifications"
_NO_ADDRESS = f"is not an http or https address of at most {_LONGEST_ADDRESS} ASCII characters without a user name"
_ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?(?:/[\x21-\x7e]*)?")


class Submission(BaseModel):
    """One job as accepted."""

    model_config = ConfigDict(frozen=True)

    target_name: str
    search_query: str
    fasta_seq: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    pdb_id: str | None = None
    ligand: str | None = None
    structures: str | None = None
    webhook: str | None = None
    run: dict[str, Any] | None = None
    """Fields of a run of GA4GH WES, except its parameters."""
    notes: tuple[str, ...] = ()

    def request(self) -> dict[str, Any]:
        """Return the accepted submission for the job's record, with `structures` and `run` if there are any."""
        absent = {name for name in ("structures", "run") if not getattr(self, name)}
        return self.model_dump(mode="json", exclude={"notes", "webhook", *absent})

    def settings(self) -> dict[str, Any]:
        """Return the pipeline's settings, nested; source and cache are the service's to add."""
        settings: dict[str, Any] = {"target_name": self.target_name, "search_query": self.search_query}
        if self.fasta_seq is not None:
            settings["fasta_seq"] = self.fasta_seq
        for key, value in self.options.items():
            _set(settings, public_settings()[key][0], value)
        if self.structures is not None:
            _set(settings, "source.upload", self.structures)
        if self.pdb_id is not None:
            _set(settings, "filters.entries", [self.pdb_id])
        if self.ligand is not None:
            _set(settings, "filters.only_ligands", [self.ligand])
            always_keep = [*settings["filters"].get("always_keep", []), self.ligand]
            _set(settings, "filters.always_keep", list(dict.fromkeys(always_keep)))
        return settings


@cache
def public_settings() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return the settings that a client may set: name in `options` → dotted key and schema."""
    return {
        key.rpartition(".")[2]: (key, schema)
        for key, schema in all_settings(load_schema()).items()
        if schema.get("x-public")
    }


def parse_submission(body: Mapping[str, Any], settings: Settings) -> Submission:
    """Return the job of a JSON object.

    Raises
    ------
    UnsupportedInput, MissingField, InvalidField
        If a field is invalid; the first such field is named.
    """
    for name in SERVER_FILES:
        if name in body:
            raise UnsupportedInput(f"{name} names a file of the server, which is not read.", field=name)
    structures = _pattern(body, "structures", UPLOAD_ID, "the id of an upload")
    form = (ENTRY_ID, "a PDB id: 4 characters, or pdb_ and 8")
    pdb_id = _pattern(body, "pdb_id", *((_OWN_ID, "the name of an entry of the upload") if structures else form))
    ligand = _pattern(body, "ligand", COMPONENT_CODE, "a component code of 1 to 5 letters and digits")
    pdb_id, ligand = pdb_id and pdb_id.lower(), ligand and ligand.upper()
    target = _text(body, "target_name", settings.max_target_chars) or pdb_id
    query = _text(body, "search_query", settings.max_query_chars) or (None if structures else pdb_id)
    if not target:
        raise MissingField("Give the target's name (target_name).", field="target_name")
    if not query and not structures:
        message = "Give a query: words, PDB ids or accessions (search_query)."
        raise MissingField(message, field="search_query")
    if query and parse_query(query).has_brackets:
        raise invalid_field("search_query", NO_BRACKETS)
    if not any(map(str.isalnum, target)):
        raise invalid_field("target_name", "has no letter or digit")
    fasta, notes = _sequence(body, settings.max_fasta_residues)
    options = _options(body.get("options"), settings.max_entries)
    if pdb_id and "entries" in options:
        del options["entries"]
        notes.append("options.entries was ignored: pdb_id names the entry.")
    if options.get("sequence_search") and fasta is None:
        raise invalid_field("options.sequence_search", "needs fasta_seq")
    notes += _ignored(body, {*_FIELDS, *(alias for aliases in ALIASES.values() for alias in aliases)})
    return Submission(
        target_name=target,
        search_query=query or "",
        fasta_seq=fasta,
        options=options,
        pdb_id=pdb_id,
        ligand=ligand,
        structures=structures,
        webhook=_webhook(body.get("webhook"), settings),
        notes=tuple(notes),
    )


def parse_batch(body: Mapping[str, Any], settings: Settings) -> tuple[list[Submission], float]:
    """Return the jobs of a batch in the order in which they run, and the pause in seconds between them.

    One invalid job rejects all, with a message for each invalid one.
    """
    jobs = body.get("jobs")
    if jobs is None:
        raise MissingField("jobs is missing.", field="jobs")
    if not isinstance(jobs, list):
        raise invalid_field("jobs", "is not a list")
    if not 1 <= len(jobs) <= settings.max_batch:
        raise invalid_field("jobs", f"holds {len(jobs)} jobs: give 1 to {settings.max_batch}")
    delay = 0 if body.get("delay_seconds") is None else body["delay_seconds"]
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay <= MAX_DELAY_SECONDS:
        raise invalid_field("delay_seconds", f"is not a number from 0 to {MAX_DELAY_SECONDS:.0f}")
    accepted: list[Submission] = []
    refused: list[dict[str, Any]] = []
    for index, item in enumerate(jobs):
        try:
            if not isinstance(item, dict):
                raise invalid_field("jobs", "is not an object")
            accepted.append(parse_submission(item, settings))
        except ServiceError as error:
            refused.append(refused_item(index, error))
    if refused:
        raise refused_batch(refused, len(jobs))
    return accepted, float(delay)


def refused_item(index: int, error: ServiceError) -> dict[str, Any]:
    """Return how a batch names one of its jobs that can't be accepted."""
    return {"index": index, "code": error.code, "field": error.details.get("field"), "message": error.message}


def refused_batch(items: Sequence[dict[str, Any]], count: int) -> InvalidField:
    """Return the error for a batch of `count` jobs of which some can't be accepted."""
    reason = f"{len(items)} of {count} jobs can't be accepted; nothing was started"
    return InvalidField(f"jobs: {reason}.", field="jobs", reason=reason, items=list(items))


def _set(settings: dict[str, Any], key: str, value: Any) -> None:
    section, _, name = key.rpartition(".")
    (settings.setdefault(section, {}) if section else settings)[name] = value


def _given(body: Mapping[str, Any], field: str) -> tuple[str, str | None]:
    """Return the first of a field and its aliases that is neither absent nor blank; it must be text."""
    for name in (field, *ALIASES.get(field, ())):
        value = body.get(name)
        if value is not None and not isinstance(value, str):
            raise invalid_field(name, "is not text")
        if value and value.strip():
            return name, value
    return field, None


def _text(body: Mapping[str, Any], field: str, longest: int) -> str | None:
    """Return a field of free text, trimmed, in one line; None when absent or blank."""
    name, value = _given(body, field)
    if value is None:
        return None
    text = value.strip()
    if field == "search_query":
        text = re.sub(r"\r\n|[\r\n\u2028\u2029]", " ", text)
    if len(text) > longest:
        raise invalid_field(name, f"is longer than {longest} characters")
    _refuse_control_characters(name, text)
    return text


def _refuse_control_characters(field: str, text: str) -> None:
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text):
        raise invalid_field(field, "contains control characters or line breaks")


def _pattern(body: Mapping[str, Any], field: str, pattern: str, wanted: str) -> str | None:
    value = body.get(field)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str) or not re.fullmatch(pattern, value.strip()):
        raise invalid_field(field, f"is not {wanted}")
    return value.strip()


def _sequence(body: Mapping[str, Any], longest: int) -> tuple[str | None, list[str]]:
    """Return the sequence as clean FASTA text, and notes on the changes."""
    name, value = _given(body, "fasta_seq")
    if value is None:
        return None, []
    records: list[str] = []
    notes: list[str] = []
    total = 0
    try:
        for header, residues in read_records(value):
            total += len(residues)
            if total > longest:
                raise invalid_field(name, f"is longer than {longest} residues")
            if len(residues) < SHORTEST_SEQUENCE:
                counts = f"a sequence of {len(residues)} residues was ignored; {SHORTEST_SEQUENCE} are needed"
                notes.append(f"Sequence: {counts}.")
            else:
                if len(records) == MAX_SEQUENCES:
                    raise invalid_field(name, f"has more than {MAX_SEQUENCES} sequences")
                printable = "".join(c for c in header if unicodedata.category(c) not in ("Cc", "Cs")).strip()
                records.append(f">{printable[:200] or 'sequence'}\n{residues}")
        notes += sequence_notes(value)
    except ValueError as error:
        raise invalid_field(name, f"is not a protein sequence: {error}") from None
    return "\n".join(records) + "\n" if records else None, list(dict.fromkeys(notes))


def _options(value: Any, most_entries: int) -> dict[str, Any]:
    """Return the options, each checked against the schema of its setting."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid_field("options", "is not an object")
    settings = public_settings()
    options = {}
    for name, option in value.items():
        if name not in settings:
            close = [f" (did you mean {one}?)" for one in difflib.get_close_matches(name[:64], settings, 1)]
            raise invalid_field(f"options.{name[:64]}", "".join(["is not an option that a client may set", *close]))
        schema = settings[name][1]
        most, items = (most_entries, "entries") if name == "entries" else (MAX_ITEMS, "items")
        if isinstance(option, list) and len(option) > most:
            raise invalid_field(f"options.{name}", f"has {len(option)} {items}: at most {most}")
        for part in option if isinstance(option, list) else [option]:
            if isinstance(part, str):
                _refuse_control_characters(f"options.{name}", part)
        _validate(name, option, schema)
        options[name] = int(option) if schema.get("type") == "integer" else option  # JSON's 5.0
    after, before = options.get("released_after"), options.get("released_before")
    if after and before and after > before:
        raise invalid_field("options.released_after", "is later than released_before")
    return options


def _webhook(value: Any, settings: Settings) -> str | None:
    """Return the address for the notification of the job's end."""
    if value in (None, ""):
        return None
    if not settings.webhooks:
        raise invalid_field("webhook", "is not offered: this service sends no notices")
    url = value if isinstance(value, str) and len(value) <= _LONGEST_ADDRESS else ""
    match = _ADDRESS.fullmatch(url)
    if match is None or not 0 < int(match["port"] or 80) <= _LAST_PORT:
        raise invalid_field("webhook", _NO_ADDRESS)
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = "[]"
    address = literal_address(host)
    if address is None and ("[" in host or host.rstrip(".").rpartition(".")[2].isdecimal()):
        raise invalid_field("webhook", "has a host that is neither a name nor an address")
    is_local = f".{host.rstrip('.')}".endswith(".localhost")  # RFC 6761, 6.3: not looked up
    if (address is not None or is_local) and not settings.webhook_private and not is_public(host):
        raise private_receiver()
    return url


def private_receiver() -> InvalidField:
    """Return the error for a webhook to an address outside the public internet."""
    return invalid_field("webhook", _PRIVATE)


def _validate(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    """Refuse a value that its setting can't have; of a list the first wrong item is named."""
    error = next(Draft202012Validator(schema, format_checker=_FORMATS).iter_errors(value), None)
    if error is None:
        return
    reason = f"is not {expected(schema)}"
    if isinstance(value, list) and error.path:
        number = int(error.path[0])
        reason = f"has as item {number + 1} {str(value[number])[:64]!r}, which is not {expected(schema['items'])}"
    raise invalid_field(f"options.{name}", reason)


def _ignored(body: Mapping[str, Any], fields: set[str]) -> list[str]:
    names = ["".join(c for c in name[:64] if c.isprintable()) for name in body if name not in fields]
    if not names:
        return []
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return [f"Fields that are not known were ignored: {', '.join(names[:_SHOWN_NAMES])}{more}."]
