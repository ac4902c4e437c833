"""Submissions that a client may repeat: which key made which job, kept over restarts."""

import contextlib
import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from service.jobs.durable import read_json, write_json

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A client's key for one route, and the fingerprint of the body that came with it; each owner has own keys."""

    route: str
    key: str
    fingerprint: str
    owner: str | None = None

    @property
    def name(self) -> str:
        """File name that stands for the route and the key."""
        parts = (self.route, self.key, *([self.owner] if self.owner else []))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """Use of a key: the body's fingerprint and the id of the job or batch made."""

    fingerprint: str
    made: str
    time: str


def find_key(folder: Path, key: Idempotency, now: datetime) -> KeyRecord | None:
    """Return the use of a key in the last 24 hours."""
    return _unexpired(folder / f"{key.name}.json", now)


def put_key(folder: Path, key: Idempotency, made: str, now: datetime) -> None:
    """Remember what a key was used for, in a folder that is created if missing."""
    folder.mkdir(exist_ok=True)
    record = KeyRecord(key.fingerprint, made, now.astimezone(UTC).isoformat())
    write_json(folder / f"{key.name}.json", asdict(record))


def prune_keys(folder: Path, now: datetime) -> None:
    """Remove keys older than 24 hours."""
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError):
            if _unexpired(path, now) is None:
                path.unlink()


def _unexpired(path: Path, now: datetime) -> KeyRecord | None:
    try:
        record = KeyRecord(**read_json(path))
        return record if now - datetime.fromisoformat(record.time) <= KEPT else None
    except (TypeError, ValueError):  # there is no file, or it has another format
        return None
