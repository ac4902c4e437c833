"""The service's settings: `TETHERMAP_*` variables, read once at the start; a wrong value stops it by name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PREFIX = "TETHERMAP_"
REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = ("auto", "rcsb", "mirror", "archive")

_PER = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class SettingsError(ValueError):
    """A setting that can't be used; the message names it, its value and the remedy."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `count` requests of one client in `seconds` seconds."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the service runs; one field for each `TETHERMAP_<NAME>`.

    Parameters
    ----------
    jobs_dir, cache_dir, index_dir : Path
        Folders of jobs, of the structure cache, and of the index with its snapshot.
    examples_dirs : tuple of Path
        Folders of curated examples, the first that has one wins; not a variable.
    source, mirror, profile : str, Path or None, Path or None
        Source of structures of all jobs; Snakemake profile, None for the local one.
    job_timeout_s : float or None
        Wall time of one run in seconds; None for no limit.
    keep_days, max_jobs_bytes : float or None, int or None
        Final jobs that are older, or the oldest beyond this size, are removed; None keeps all.
    """

    jobs_dir: Path
    cache_dir: Path
    index_dir: Path
    examples_dirs: tuple[Path, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    source: str = "auto"
    mirror: Path | None = None
    profile: Path | None = None
    cores_per_job: int = 2
    max_running_jobs: int = 2
    job_timeout_s: float | None = 24 * 3600.0
    keep_days: float | None = None
    max_jobs_bytes: int | None = None
    metrics: bool = False
    api_tokens: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    environment: str = "production"
    base_url_primary: str = ""
    base_url_secondary: str = ""
    max_body_bytes: int = 1 << 20
    max_queued_jobs: int = 1000
    max_batch: int = 100
    max_target_chars: int = 64
    max_query_chars: int = 1000
    max_fasta_residues: int = 20_000
    rate_limit: RateLimit | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Return the settings that an environment gives; what is not given has its default.

        Raises
        ------
        SettingsError
            If a value can't be used.
        """
        given: dict[str, Any] = {}
        for name, parse in _PARSERS.items():
            text = environ.get(PREFIX + name.upper(), "").strip()
            emptied = name in _EMPTY_MEANS_NONE and PREFIX + name.upper() in environ
            if text or emptied:
                given[name] = _parsed(name, text, parse)
        if given.get("source") == "mirror" and given.get("mirror") is None:
            raise SettingsError(f"{PREFIX}MIRROR is missing: {PREFIX}SOURCE=mirror needs the folder of the mirror.")
        return cls(**_folders(given, environ), **given)


def _folders(given: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Take the folders out of `given` and fill in those that are not set, by the rules of XDG."""
    home = Path(environ.get("HOME") or Path.home())
    data = _xdg(environ, "XDG_DATA_HOME", home / ".local/share") / "tethermap"
    jobs = given.pop("jobs_dir", data / "jobs")
    cache = given.pop("cache_dir", _xdg(environ, "XDG_CACHE_HOME", home / ".cache") / "tethermap")
    # Each jobs folder has an index of its own; that of the default one has a name to remember.
    suffix = "" if jobs == data / "jobs" else "-" + hashlib.sha256(str(jobs).encode()).hexdigest()[:8]
    index = given.pop("index_dir", cache / f"index{suffix}")
    examples = (REPOSITORY / "data" / "examples", data / "examples")
    return {"jobs_dir": jobs, "cache_dir": cache, "index_dir": index, "examples_dirs": examples}


def _xdg(environ: Mapping[str, str], name: str, default: Path) -> Path:
    path = Path(environ.get(name, ""))
    return path if path.is_absolute() else default


def _parsed(name: str, text: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        shown = "its value" if name == "api_tokens" else repr(text)
        raise SettingsError(f"{PREFIX}{name.upper()} is not usable: {shown} {error}.") from None


def _whole(minimum: int, maximum: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,18}", text) or not minimum <= int(text) <= maximum:
            raise ValueError(f"is not a whole number from {minimum} to {maximum}")
        return int(text)

    return parse


def _positive(text: str) -> float | None:
    """Parse a positive number; ``0`` or nothing is None, no limit."""
    if not text:
        return None
    if not re.fullmatch(r"\d{1,12}(\.\d{1,6})?", text):
        raise ValueError("is not a positive number (0: no limit)")
    return float(text) or None


def _size(text: str) -> int | None:
    """Parse bytes, with ``K M G T`` as powers of 1024; ``0`` or nothing is None."""
    match = re.fullmatch(r"(\d{0,15})([kmgt]?)(i?b)?", text.lower())
    if not match or (text and not match[1]):
        raise ValueError("is not a size as 500M or 20G (0: no limit)")
    return int(match[1] or 0) * _SIZE_UNITS[match[2]] or None


def _body_size(text: str) -> int:
    size = _size(text)
    if size is None or not 1024 <= size <= 1 << 30:
        raise ValueError("is not a size from 1K to 1G")
    return size


def _flag(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError("is not true or false")


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
    return path


def _choice(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in allowed:
            raise ValueError(f"is not one of {', '.join(allowed)}")
        return text.lower()

    return parse


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word for word in re.split(r"[,\s]+", text) if word)
    if any(not word.isascii() or not word.isprintable() for word in words):
        raise ValueError("holds characters that no header can have")
    return words


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


def _label(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}", text):
        raise ValueError("is not a name of letters, digits, spaces, dots and dashes")
    return text


def _host(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]_%-]{1,253}", text):
        raise ValueError("is not a host name or address")
    return text.strip("[]")


def _rate(text: str) -> RateLimit | None:
    if not text:
        return None
    match = re.fullmatch(r"([1-9]\d{0,8})/(second|minute|hour)", text)
    if not match:
        raise ValueError("is not a rate as 60/minute, 5/second or 1000/hour")
    return RateLimit(int(match[1]), _PER[match[2]])


_PARSERS: dict[str, Callable[[str], Any]] = {
    "jobs_dir": _path,
    "cache_dir": _path,
    "index_dir": _path,
    "host": _host,
    "port": _whole(0, 65535),
    "source": _choice(*SOURCES),
    "mirror": _existing_folder,
    "profile": _profile,
    "cores_per_job": _whole(1, 1024),
    "max_running_jobs": _whole(1, 256),
    "job_timeout_s": _positive,
    "keep_days": _positive,
    "max_jobs_bytes": _size,
    "metrics": _flag,
    "api_tokens": _words,
    "cors_origins": _origins,
    "environment": _label,
    "base_url_primary": _url,
    "base_url_secondary": _url,
    "max_body_bytes": _body_size,
    "max_queued_jobs": _whole(1, 1_000_000),
    "max_batch": _whole(1, 10_000),
    "max_target_chars": _whole(1, 200),
    "max_query_chars": _whole(1, 10_000),
    "max_fasta_residues": _whole(10, 1_000_000),
    "rate_limit": _rate,
}
_EMPTY_MEANS_NONE = {"job_timeout_s", "rate_limit"}

VARIABLES = tuple(PREFIX + name.upper() for name in _PARSERS)
"""Names of all variables, in the order of the documentation."""

assert {*_PARSERS, "examples_dirs"} == {field.name for field in fields(Settings)}
