"""The service's settings: `TETHERMAP_*` variables, read once at the start; a wrong value stops it by name."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import ipaddress
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

PREFIX = "TETHERMAP_"
UPLOADS = ".uploads"
"""Folder of uploads, next to the jobs."""
SESSIONS = ".sessions.json"
"""File of the browsers' sessions, next to the jobs."""

REPOSITORY = Path(__file__).resolve().parents[1]

LOCAL_PROFILE = REPOSITORY / "config" / "profiles" / "local"
"""The Snakemake profile that runs all steps on this machine."""
SOURCES = ("auto", "rcsb", "mirror", "archive")
WEBHOOKS = "webhooks"
WES = "wes"
EXTRAS = ("compare", "degraders", WES, "agents", WEBHOOKS)
"""Optional parts of the service, modules of `service.extras`."""

USUAL_EXTRAS = ("compare", "agents", WEBHOOKS)
"""Optional parts in use by default; the others must be named."""

OTHER_VARIABLES = (
    "BENCH_BASE", "COMPONENTS", "CONTACT", "HTTP_ATTEMPTS", "HTTP_BACKOFF", "HTTP_READ", "KUBE_CLAIM", "KUBE_IMAGE",
    "KUBE_MOUNT", "PDBE_FILES_URL", "RCSB_DATA_URL", "RCSB_FILES_URL", "RCSB_SEARCH_URL", "README_PICTURES", "ROOT",
    "RUN", "RUN_FOLDER", "SCREENSHOTS", "SOAK_JOBS", "SOURCE_DIGEST", "TOKEN", "URL",
)  # fmt: skip
"""Variables of the pipeline, the client and the tools, which are not settings of the service; also `TEST_*`."""

OPERATOR = "operator"
"""Name of the token that may do all; a token without a name is such a one."""

BY_OWNER = "owner"
"""Value of `Settings.private` with which each token reads only its own jobs."""

OPEN_RATE = "60/minute"
"""Limit of rate of a service that anyone may use, unless another is set."""

_PER = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class SettingsError(ValueError):
    """A setting that can't be used; the message names it, its value and the remedy."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` requests of one client in `seconds` seconds."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Token:
    """A token for changes: the name that jobs are recorded under, and the secret, which is never shown."""

    name: str
    secret: str = field(repr=False)


def _form(
    pattern: str, reason: str, read: Callable[[re.Match[str]], Any] = lambda match: match[0]
) -> Callable[[str], Any]:
    """Return a parser for text of one form, in any case."""

    def parse(text: str) -> Any:
        if (match := re.fullmatch(pattern, text, re.ASCII | re.IGNORECASE)) is None:
            raise ValueError(reason)
        return read(match)

    return parse


def _within(parse: Callable[[str], Any], reason: str, least: int = 0, most: float = math.inf) -> Callable[[str], Any]:
    """Return a parser for numbers in a range: not for "no limit"."""

    def parse_within(text: str) -> Any:
        number = parse(text)
        if number is None or not least <= number <= most:
            raise ValueError(reason)
        return number

    return parse_within


def _whole(minimum: int, maximum: int) -> Callable[[str], Any]:
    reason = f"is not a whole number from {minimum} to {maximum}"
    return _within(_form(r"\d{1,18}", reason, lambda match: int(match[0])), reason, minimum, maximum)


_positive = _form(
    r"(\d{1,12}(\.\d{1,6})?)?", "is not a positive number (0: no limit)", lambda match: float(match[0] or 0) or None
)
"""Parser of a positive number; ``0`` or nothing is None, no limit."""

_size = _form(
    r"(?:(\d{1,15})([kmgt]?)(?:i?b)?)?",
    "is not a size as 500M or 20G (0: no limit)",
    lambda match: int(match[1] or 0) * _SIZE_UNITS[(match[2] or "").lower()] or None,
)
"""Parser of bytes, with ``K M G T`` as powers of 1024; ``0`` or nothing is None."""

_body_size = _within(_size, "is not a size from 1K to 1G", 1024, 1 << 30)
_room = _within(_size, "is not a size as 500M or 20G")
_above_zero = _within(_positive, "is not a positive number")

_TRUE, _FALSE = "1|true|yes|on", "0|false|no|off"
_flag = _form(f"({_TRUE})|{_FALSE}", "is not true or false", lambda match: match[1] is not None)
_privacy = _form(
    f"({_TRUE})|{_FALSE}|({BY_OWNER})", f"is not true, false or {BY_OWNER}",
    lambda match: BY_OWNER if match[2] else match[1] is not None,
)  # fmt: skip
_source = _form("|".join(SOURCES), f"is not one of {', '.join(SOURCES)}", lambda match: match[0].lower())
_secret = _form(r"[\x21-\x7e]{16,255}", "is not 16 to 255 visible ASCII characters")
_label = _form("[A-Z0-9][A-Z0-9 ._-]{0,63}", "is not a name of letters, digits, spaces, dots and dashes")
_host = _form(r"[A-Z0-9.:\[\]_%-]{1,253}", "is not a host name or address", lambda match: match[0].strip("[]"))
_prefix = _form("((?:/[A-Z0-9._~-]+)*)/*", "is not a path as /tethermap", lambda match: match[1])
_rate = _form(
    r"(?:([1-9]\d{0,8})/(second|minute|hour))?", "is not a rate as 60/minute, 5/second or 1000/hour",
    lambda match: Rate(int(match[1]), _PER[match[2].lower()]) if match[0] else None,
)  # fmt: skip


def _path(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise ValueError("is not an absolute path")
    return path


def _existing_folder(text: str) -> Path:
    path = _path(text)
    if not path.is_dir():
        raise ValueError("is not a folder that exists")
    return path


def _profile(text: str) -> Path:
    path = Path(text).expanduser()
    path = path if path.is_absolute() else REPOSITORY / path
    if not (path / "config.yaml").is_file():
        raise ValueError("is not the folder of a Snakemake profile (it has no config.yaml)")
    executor = cluster_executor(path)
    if executor and importlib.util.find_spec(f"snakemake_executor_plugin_{executor.replace('-', '_')}") is None:
        remedy = "make setup-slurm installs it" if executor == "slurm" else "install its plugin"
        raise ValueError(f"needs Snakemake's executor {executor}, which is not installed: {remedy}")
    return path


def cluster_executor(profile: Path) -> str:
    """Return the executor by which a Snakemake profile hands steps to a cluster; empty if they run here."""
    try:
        content = yaml.safe_load((profile / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return ""
    executor = str(content.get("executor", "")) if isinstance(content, dict) else ""
    return "" if executor in ("local", "dryrun", "touch") else executor


def _extras(text: str) -> tuple[str, ...]:
    words = () if text == "none" else _words(text)
    if not text or not set(words) <= set(EXTRAS):
        raise ValueError(f"is neither none nor a list of {', '.join(EXTRAS)}")
    return tuple(name for name in EXTRAS if name in words)


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word for word in re.split(r"[,\s]+", text) if word)
    if any(not word.isascii() or not word.isprintable() for word in words):
        raise ValueError("has characters that are not allowed in a header")
    return words


def _tokens(text: str) -> tuple[Token, ...]:
    tokens = []
    for word in _words(text):
        name, named, secret = word.rpartition(":")
        if named and not (secret and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}", name)):
            raise ValueError("is not a list as name:token,name:token")
        tokens.append(Token(name or OPERATOR, secret))
    return tuple(tokens)


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(_host(word) for word in _words(text))


def _origins(text: str) -> tuple[str, ...]:
    for word in (words := _words(text)):
        if word != "*" and (not urlsplit(word).netloc or _url(word) != word or urlsplit(word).path):
            raise ValueError("is not a list of origins as https://example.org")
    return words


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("is not a URL that begins with http:// or https://")
    return text.rstrip("/")


def _by(parse: Callable[[str], Any]) -> BeforeValidator:
    """Return a reader for the text of a variable; other values are returned unchanged."""
    return BeforeValidator(lambda value: parse(value) if isinstance(value, str) else value)


def _folders(given: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the given folders and, by the rules of XDG, the missing ones."""
    home = Path(environ.get("HOME") or Path.home())
    data = _xdg(environ, "XDG_DATA_HOME", home / ".local/share") / "tethermap"
    cache = _xdg(environ, "XDG_CACHE_HOME", home / ".cache") / "tethermap"
    jobs = Path(given.get("jobs_dir", data / "jobs")).expanduser()
    # Each jobs folder has a separate index; the index of the default folder has a simple name.
    suffix = "" if jobs == data / "jobs" else "-" + hashlib.sha256(str(jobs).encode()).hexdigest()[:8]
    index = Path(given.get("cache_dir", cache)).expanduser() / f"index{suffix}"
    examples = (REPOSITORY / "data" / "examples", data / "examples")
    return {"jobs_dir": jobs, "cache_dir": cache, "index_dir": index, "examples_dirs": examples, **given}


def _xdg(environ: Mapping[str, str], name: str, default: Path) -> Path:
    path = Path(environ.get(name, ""))
    return path if path.is_absolute() else default


_EMPTY_MEANS_NONE = {"job_timeout_s", "rate_limit"}
_NO_VARIABLES = {"examples_dirs"}
_SECRET = ("api_tokens", "webhook_secret")


class Settings(BaseModel):
    """Settings of the service; one field for each `TETHERMAP_<NAME>`.

    Parameters
    ----------
    jobs_dir, cache_dir, index_dir : Path
        Folders of jobs, of the structure cache, and of the index.
    examples_dirs : tuple of Path
        Folders of curated examples, the first that has one wins; not a variable.
    source, mirror, affinity, degraders, profile : str, Path or None, Path or None, Path or None, Path
        Source of structures, folders of tables of affinities and of published degraders of all jobs; Snakemake profile.
    job_timeout_s : float or None
        Wall time of one run in seconds; None for no limit.
    allowed_hosts : tuple of str
        Accepted host names, in addition to loopback and those of `host` and the base addresses.
    api_tokens : tuple of Token
        Tokens for changes; empty if no token is needed.
    extras : tuple of str
        Optional parts in use, those of `USUAL_EXTRAS` by default; `none` for none.
    wes : bool
        Whether the Workflow Execution Service is one of them too.
    webhook_secret, webhook_private : str, bool
        Key of the signature of notices, without which none are sent; whether they may go to private addresses.
    private : bool or str
        Whether reading needs a token too; with ``owner`` a token reads only its own jobs, batches and uploads.
    open : bool
        Whether a service on a public address is open to everyone.
    root_path : str
        Path below which a proxy serves it, without a slash at the end.
    max_queued_per_token : int
        Jobs that may wait for one token, dry runs included.
    keep_days, max_jobs_bytes : float or None, int or None
        Final jobs that are older, or the oldest beyond this size, are removed; None keeps all.
    body_timeout_s : float
        Time limit in seconds for the body of a request; uploads have `http.bodies.UPLOAD_SECONDS`.
    max_upload_bytes_per_token : int or None
        Bytes of all uploads of one token that are kept at a time; None for no limit.
    min_free_bytes : int
        Free space of the disks of jobs and cache below which no job is launched.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs_dir: Annotated[Path, _by(_path)]
    cache_dir: Annotated[Path, _by(_path)]
    index_dir: Annotated[Path, _by(_path)]
    examples_dirs: tuple[Path, ...] = ()
    host: Annotated[str, _by(_host)] = "127.0.0.1"
    port: Annotated[int, _by(_whole(0, 65535))] = 8000
    source: Annotated[str, _by(_source)] = "auto"
    mirror: Annotated[Path | None, _by(_existing_folder)] = None
    affinity: Annotated[Path | None, _by(_existing_folder)] = None
    degraders: Annotated[Path | None, _by(_existing_folder)] = None
    profile: Annotated[Path, _by(_profile)] = LOCAL_PROFILE
    cores_per_job: Annotated[int, _by(_whole(1, 1024))] = 2
    max_running_jobs: Annotated[int, _by(_whole(1, 256))] = 2
    job_timeout_s: Annotated[float | None, _by(_positive)] = 24 * 3600.0
    keep_days: Annotated[float | None, _by(_positive)] = None
    max_jobs_bytes: Annotated[int | None, _by(_size)] = None
    min_free_bytes: Annotated[int, _by(_room)] = 1 << 30
    metrics: Annotated[bool, _by(_flag)] = False
    api_tokens: Annotated[tuple[Token, ...], _by(_tokens)] = ()
    extras: Annotated[tuple[str, ...], _by(_extras)] = USUAL_EXTRAS
    wes: Annotated[bool, _by(_flag)] = False
    webhook_secret: Annotated[str, _by(_secret)] = ""
    webhook_private: Annotated[bool, _by(_flag)] = False
    max_queued_per_token: Annotated[int, _by(_whole(1, 1_000_000))] = 100
    private: Annotated[bool | Literal["owner"], _by(_privacy)] = False
    open: Annotated[bool, _by(_flag)] = False
    allowed_hosts: Annotated[tuple[str, ...], _by(_hosts)] = ()
    root_path: Annotated[str, _by(_prefix)] = ""
    cors_origins: Annotated[tuple[str, ...], _by(_origins)] = ()
    environment: Annotated[str, _by(_label)] = "production"
    base_url_primary: Annotated[str, _by(_url)] = ""
    base_url_secondary: Annotated[str, _by(_url)] = ""
    max_body_bytes: Annotated[int, _by(_body_size)] = 1 << 20
    body_timeout_s: Annotated[float, _by(_above_zero)] = 60.0
    max_queued_jobs: Annotated[int, _by(_whole(1, 1_000_000))] = 1000
    max_upload_file_bytes: Annotated[int, _by(_body_size)] = 50 << 20
    max_upload_bytes: Annotated[int, _by(_body_size)] = 200 << 20
    max_upload_files: Annotated[int, _by(_whole(1, 1000))] = 50
    max_uploads_bytes: Annotated[int, _by(_room)] = 20 << 30
    max_upload_bytes_per_token: Annotated[int | None, _by(_size)] = 2 << 30
    keep_uploads_hours: Annotated[float, _by(_above_zero)] = 24.0
    max_batch: Annotated[int, _by(_whole(1, 10_000))] = 100
    max_target_chars: Annotated[int, _by(_whole(1, 200))] = 64
    max_query_chars: Annotated[int, _by(_whole(1, 10_000))] = 1000
    max_entries: Annotated[int, _by(_whole(1, 1_000_000))] = 2000
    max_fasta_residues: Annotated[int, _by(_whole(10, 1_000_000))] = 20_000
    rate_limit: Annotated[Rate | None, _by(_rate)] = None

    @property
    def webhooks(self) -> bool:
        """Whether jobs can have a webhook."""
        return WEBHOOKS in self.extras and bool(self.webhook_secret)

    @property
    def source_kind(self) -> str:
        """Kind of the source of jobs without files: ``rcsb``, ``mirror`` or ``archive``."""
        return ("mirror" if self.mirror else "rcsb") if self.source == "auto" else self.source

    def upload_folder(self, upload_id: str) -> Path:
        """Return the folder of an upload's files."""
        return self.jobs_dir / UPLOADS / upload_id / "files"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Return the settings in an environment; missing ones have their defaults.

        Raises
        ------
        SettingsError
            If a value can't be used.
        """
        _refuse_unknown(environ)
        given: dict[str, Any] = {}
        for name in cls.model_fields.keys() - _NO_VARIABLES:
            variable = PREFIX + name.upper()
            text = environ.get(variable, "").strip()
            if text or (name in _EMPTY_MEANS_NONE and variable in environ):
                given[name] = text
        if given.get("source", "").lower() == "mirror" and "mirror" not in given:
            raise SettingsError(f"{PREFIX}MIRROR is missing: {PREFIX}SOURCE=mirror needs the folder of the mirror.")
        try:
            return _safe(cls(**_folders(given, environ)), given)
        except ValidationError as error:
            wrong = min(error.errors(), key=lambda one: list(cls.model_fields).index(str(one["loc"][0])))
            name = str(wrong["loc"][0])
            shown = "its value" if name in _SECRET else repr(given[name])
            reason = wrong["msg"].removeprefix("Value error, ")
            raise SettingsError(f"{PREFIX}{name.upper()} is not usable: {shown} {reason}.") from None


def is_loopback(host: str) -> bool:
    """Return whether an address or name is reachable only from this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _safe(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """Return the settings, with a rate limit if no token is needed.

    Raises
    ------
    SettingsError
        If jobs would be open to everyone without `open`.
    """
    if settings.wes and WES not in settings.extras:
        settings = settings.model_copy(update={"extras": (*settings.extras, WES)})
    if settings.private and not settings.api_tokens:
        raise SettingsError(f"{PREFIX}PRIVATE needs {PREFIX}API_TOKENS: without a token no client could read anything.")
    if settings.api_tokens or is_loopback(settings.host):
        return settings
    if not settings.open:
        raise SettingsError(
            f"{PREFIX}HOST is {settings.host}, a public address: set {PREFIX}API_TOKENS,"
            f" or {PREFIX}OPEN=true to open this service to everyone."
        )
    return settings if "rate_limit" in given else settings.model_copy(update={"rate_limit": _rate(OPEN_RATE)})


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """Reject unknown variables: a misspelled one must not start an open service."""
    known = {*VARIABLES, *(PREFIX + name for name in OTHER_VARIABLES)}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known and not variable.startswith(f"{PREFIX}TEST_"):
            nearest = difflib.get_close_matches(variable, VARIABLES, n=1, cutoff=0)
            raise SettingsError(f"{variable} is not a setting: did you mean {nearest[0]}?")


VARIABLES = tuple(PREFIX + name.upper() for name in Settings.model_fields if name not in _NO_VARIABLES)
"""Names of all variables, in the order of the documentation."""
