"""The settings of a job: defaults, validation against the schema, and the recorded form."""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tethermap.base import recorded_search
from tethermap.base.errors import UserError
from tethermap.base.fasta import SHORTEST_SEQUENCE, read_fasta
from tethermap.base.identifiers import is_utf8
from tethermap.base.root import ROOT, cache_home, expanded

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Settings = dict[str, Any]
"""Settings as nested plain values: text, numbers, booleans, None, lists and dicts of them."""

FOLDER = ROOT / "config"
"""Folder of the defaults and the schema."""

_UPPER_CASE = ("methods", "only_ligands", "always_keep")
_PRIVATE = ("mirror", "files", "components", "affinity", "degraders")
_ADDED = ("affinity", "degraders")
"""Settings of the source that are recorded only if given: records of jobs without them remain unchanged."""

NO_PATH = ("auto", "off")
"""Values of ``source.validation`` that are not paths."""

NOT_COMPARED = ("cache_dir", "force", "resources", "result_cache_mb")
"""Settings that cannot change results."""
DIVISION = ("shards",)
"""Settings for the division of the work; they affect the set of working files, but no results."""


class ConfigError(UserError):
    """A setting that is missing, unknown or out of range; names the key, the value and the remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="input")


def load_schema() -> Settings:
    """Return the JSON Schema of the settings (draft 2020-12)."""
    return load_yaml(FOLDER / "config.schema.yaml")


def load_defaults() -> Settings:
    """Return the default of every setting."""
    return load_yaml(FOLDER / "config.yaml")


def resolve(raw: Mapping[str, Any]) -> Settings:
    """Return complete, valid settings from a user's settings.

    Parameters
    ----------
    raw : mapping
        Any part of the settings; a section that is None counts as missing. Dates may be
        `datetime.date` (YAML reads them so); ids and codes may have any case.

    Returns
    -------
    dict
        Every setting, with `source.kind` never ``auto`` and paths absolute; the argument is unchanged.

    Raises
    ------
    ConfigError
        If a setting is unknown, of the wrong type, out of range or inconsistent with another.
    """
    # Imported on use: every script of a run imports this module, but only the Snakefile resolves settings.
    from jsonschema import Draft202012Validator, FormatChecker

    schema = load_schema()
    settings = _completed(raw)
    _normalise(settings)
    _take_flags(settings, schema)
    validator = Draft202012Validator(schema, format_checker=FormatChecker(["date"]))
    if errors := list(validator.iter_errors(settings)):  # in the order of the schema
        # A misspelled setting is reported before the missing one that it stands for.
        misspelled = [error for error in errors if error.validator == "additionalProperties"]
        raise ConfigError(_message([*misspelled, *errors][0], schema))
    _check_values(settings)
    after, before = (settings["filters"][f"released_{word}"] for word in ("after", "before"))
    if after and before and after > before:
        raise ConfigError(f"filters.released_after ({after}) is later than filters.released_before ({before}).")
    _check_sequence(settings["fasta_seq"])
    _take_recorded_search(settings)
    _resolve_source(settings)
    _resolve_paths(settings)
    return settings


def recorded(settings: Mapping[str, Any]) -> Settings:
    """Return the settings as results show them: labels instead of paths, nothing of this machine.

    A recorded search is omitted: its results are those of the job that searched.
    """
    source = dict(settings["source"])
    label = source["label"]
    for name in _PRIVATE:
        if source.get(name) is not None:
            source[name] = label if label and name == source["kind"] else name
    if source["validation"] not in NO_PATH:
        source["validation"] = "folder"
    source = {key: value for key, value in source.items() if key not in _ADDED or value is not None}
    kept = {key: value for key, value in settings.items() if key not in (recorded_search.KEY, *NOT_COMPARED)}
    return {**kept, "source": source, "cache_dir": None, "force": False}


def shown(settings: Mapping[str, Any]) -> Settings:
    """Return the settings that report and manifest show: as recorded, those on which results depend."""
    return {key: value for key, value in recorded(settings).items() if key not in (*NOT_COMPARED, *DIVISION)}


def changed_keys(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the settings that differ between two runs and can change results, as dotted keys.

    The cache folder, cluster resources and `force` itself don't count. A setting that an earlier version did
    not have counts as its default; a recorded search counts as one setting.
    """
    old, new = (
        dict(leaves({key: value for key, value in _completed(settings).items() if key not in NOT_COMPARED}))
        for settings in (before, now)
    )
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    return sorted({recorded_search.KEY if key.startswith(f"{recorded_search.KEY}.") else key for key in changed})


def cache_folder(cache_dir: str | None) -> Path:
    """Return the folder of the structure cache: as set, else in the user's cache folder (XDG)."""
    return cache_home() / "tethermap" if cache_dir is None else Path(cache_dir)


def load_yaml(path: Path) -> Settings:
    """Return the content of a YAML file."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # written in C where available: ten times faster
    content: Settings = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    return content


def _completed(raw: Mapping[str, Any]) -> Settings:
    """Return the defaults overlaid by given settings, without the retired ones."""
    settings = _merge(load_defaults(), raw)
    if isinstance(inputs := settings["protac_inputs"], dict):
        inputs.pop("open_babel", None)  # of earlier versions: accepted, so that recorded jobs run again, and ignored
    return settings


def _merge(defaults: Mapping[str, Any], raw: Mapping[str, Any]) -> Settings:
    """Return the defaults overlaid by the given settings, section by section."""
    merged = dict(defaults)
    for key, value in raw.items():
        default = defaults.get(key)
        if isinstance(default, dict):
            merged[key] = _merge(default, value) if isinstance(value, Mapping) else default if value is None else value
        else:
            merged[key] = value
    return merged


def _normalise(settings: Settings) -> None:
    """Trim texts and normalise dates, ids and codes of the right type."""
    for key in ("target_name", "search_query"):
        if isinstance(settings[key], str):
            settings[key] = settings[key].strip()
    source = settings["source"]
    if isinstance(source, dict) and source["validation"] in (False, None):  # YAML reads a bare off as false
        source["validation"] = "off" if source["validation"] is False else "auto"
    filters = settings["filters"]
    if not isinstance(filters, dict):
        return
    for key, value in filters.items():
        if isinstance(value, datetime.date):
            filters[key] = value.isoformat()[:10]
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            items = [item.strip().upper() if key in _UPPER_CASE else item.strip() for item in value]
            filters[key] = list(dict.fromkeys(items))


def _take_flags(settings: Settings, schema: Settings) -> None:
    """Convert the texts ``true`` and ``false`` of flags to booleans, as in Snakemake's ``--config force=true``."""
    for key, part in all_settings(schema).items():
        section, _, name = key.rpartition(".")
        values = settings.get(section) if section else settings
        if part.get("type") == "boolean" and isinstance(values, dict) and isinstance(values.get(name), str):
            values[name] = {"true": True, "false": False}.get(values[name].lower(), values[name])


def _unknown(key: str, schema: Settings, sections: Sequence[str]) -> str:
    """Return the sentence for a misspelled setting; `sections` are compared with it first."""
    keys = list(all_settings(schema))
    close = [one for names in (sections, keys) for one in difflib.get_close_matches(key, names, 1, 0.6)]
    close = [one for one in close if difflib.get_close_matches(_last(key), [_last(one)], 1, 0.6)]
    below = [one for one in keys if _last(one) == _last(key)]
    hint = f"did you mean {[*close, *below][0]}?" if close or below else "config/README.md lists all settings."
    return f"{key} is not a setting: {hint}"


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _check_values(settings: Settings) -> None:
    """Reject NaN, which the schema's comparisons never reject, and texts that no file of a job can contain."""
    for key, value in leaves(settings):
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{key} is {value}: give a number.")
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not is_utf8(text):
                raise ConfigError(f"{key} is {_shown(text)}, which is not in UTF-8: change the name.")


def _check_sequence(fasta: str | None) -> None:
    """Reject a text without a usable sequence: the job would otherwise accept every chain."""
    if fasta is None or not fasta.strip():
        return
    try:
        sequences = read_fasta(fasta)
    except ValueError as error:
        raise ConfigError(f"fasta_seq: {error}.") from None
    if not sequences:
        raise ConfigError(
            f"fasta_seq is {_shown(fasta)}: give a sequence of at least {SHORTEST_SEQUENCE} residues, or leave it out."
        )


def _take_recorded_search(settings: Settings) -> None:
    """Check a recorded search and adopt the settings that it was made with."""
    recorded = settings[recorded_search.KEY]
    if recorded is None:
        return
    if wrong := recorded_search.fault(recorded):
        raise ConfigError(
            f"{recorded_search.KEY} can't be used: {wrong}. Copy it from the response of /reproduce of a job."
        )
    filters = settings["filters"]
    if filters["entries"] not in ([], recorded["asked"], recorded_search.taken(recorded)):
        raise ConfigError(f"filters.entries differs from the entries of {recorded_search.KEY}: remove one of the two.")
    filters["entries"] = list(recorded["asked"])


def _resolve_source(settings: Settings) -> None:
    """Replace the source `auto` by a real one and check that its settings are complete."""
    source = settings["source"]
    if source["kind"] == "auto":
        if source["files"] is not None:
            raise ConfigError("source.files is set but source.kind is auto: set source.kind to files.")
        source["kind"] = "rcsb" if source["mirror"] is None else "mirror"
    kind = source["kind"]
    if kind in ("mirror", "files") and source[kind] is None:
        raise ConfigError(f"source.{kind} is missing: source.kind {kind} needs a path there.")
    entries = settings["filters"]["entries"] or settings[recorded_search.KEY]
    if not settings["search_query"].strip() and not entries and kind != "files":
        raise ConfigError("search_query is empty: give words or PDB ids, or pin entries in filters.entries.")
    if settings["sequence_search"] and not (settings["fasta_seq"] or "").strip():
        raise ConfigError("sequence_search is on but fasta_seq is empty: give the sequence to search with.")


def _resolve_paths(settings: Settings) -> None:
    """Expand ``~`` and refuse relative paths, which would mean another place in each folder."""
    source = settings["source"]
    settings["cache_dir"] = _absolute("cache_dir", settings["cache_dir"])
    for name in (*_PRIVATE, "validation"):
        value = source[name]
        if name == "validation" and value in NO_PATH:
            continue
        if isinstance(value, list):
            source[name] = [_absolute(f"source.{name}", item) for item in value]
        else:
            source[name] = _absolute(f"source.{name}", value)
    for name in _ADDED:
        paths = source[name] or []
        for path in [paths] if isinstance(paths, str) else paths:
            if not Path(path).is_file():
                raise ConfigError(f"source.{name}: there is no file {path}.")


def _absolute(key: str, text: str | None) -> str | None:
    if text is None:
        return None
    path = expanded(text)
    if not path.is_absolute():
        raise ConfigError(f"{key} is {text!r}: give an absolute path, because each job runs in a separate folder.")
    return str(path)


def leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all settings by dotted keys, with `prefix` before them."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _key(path: Any) -> str:
    """Return a dotted key: ``filters.kinds[0]``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _message(error: ValidationError, schema: Settings) -> str:
    """Return one sentence with the fault of a setting and the remedy."""
    key = _key(error.absolute_path)
    violated: Mapping[str, Any] = error.schema  # type: ignore[assignment]
    if error.validator == "additionalProperties":
        section = f"{key}." if key else ""
        given: Mapping[str, Any] = error.instance  # type: ignore[assignment]
        unknown = next(name for name in given if name not in violated["properties"])
        return _unknown(f"{section}{unknown}", schema, [] if key else list(violated["properties"]))
    if error.instance is None and key in schema["required"]:
        return f"{key} is missing: every job needs it in its configuration file."
    advice = f"give {expected(violated)}".replace("`", "")
    if error.validator == "type" and not isinstance(error.instance, (str, list, dict, type(None))):
        types = violated["type"]
        if "string" in ([types] if isinstance(types, str) else types):
            advice += ", in quotes (YAML reads bare numbers, NO and ON as other values)"
    return f"{key} is {_shown(error.instance)}: {advice}."


def _shown(value: Any) -> str:
    """Format a value for a message."""
    return repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "…"


def expected(schema: Mapping[str, Any]) -> str:
    """Describe the values that the schema of a setting allows.

    >>> expected({"type": "integer", "minimum": 1, "maximum": 50})
    'a whole number from 1 to 50'
    """
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    types = [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
    return " or ".join(_expected_type(name, schema) for name in types)


def _expected_type(name: str, schema: Mapping[str, Any]) -> str:
    if name in ("integer", "number"):
        noun = "a whole number" if name == "integer" else "a number"
        return f"{noun} from {schema['minimum']} to {schema['maximum']}"
    if name == "string":
        text = schema.get("x-expected", "a path" if schema.get("format") == "path" else "text")
        return f"{text} of at most {schema['maxLength']} characters" if "maxLength" in schema else str(text)
    if name == "array":
        return "a list of at least one" if schema.get("minItems") else "a list"
    return {"null": "null", "boolean": "true or false", "object": "a section of settings"}[name]


def all_settings(schema: Mapping[str, Any], prefix: str = "") -> dict[str, Mapping[str, Any]]:
    """Return the schema of every setting, but not of sections, by its dotted key, in the order of the schema."""
    settings: dict[str, Mapping[str, Any]] = {}
    for name, part in schema["properties"].items():
        settings |= all_settings(part, f"{prefix}{name}.") if "properties" in part else {f"{prefix}{name}": part}
    return settings
