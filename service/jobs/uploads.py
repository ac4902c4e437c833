"""Structures that clients send: checked on arrival, kept outside job folders, removed after some hours."""

import asyncio
import contextlib
import json
import re
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile

from service.errors import InvalidField, NotFound, PayloadTooLarge, QueueFull, RateLimited
from service.jobs.child import output_of
from service.jobs.durable import is_full, read_json, write_json
from service.jobs.record import utc_text
from service.settings import UPLOADS, Settings
from tethermap.base.packed import GZIP, DamagedGzip, unpacked_size
from tethermap.sources.own.archives import ArchiveError, members_size

UPLOAD_ID = "^upload_[0-9a-f]{16}$"
_ID = re.compile(UPLOAD_ID[1:-1])
_LONGEST_NAME = 200
"""Bytes of a file's name."""

_MOST_EXPANDED = 10
"""A packed file may unpack to this many times the size of a plain one, and all files of an upload together."""

_SECONDS = 120.0
_RETRY = 600
"""Header if there is no room."""
_CHECKS_AT_ONCE = 2
_RECORD = "upload.json"
_FILES = "files"


@dataclass(frozen=True, slots=True)
class Upload:
    """Files that were sent together.

    Parameters
    ----------
    upload_id : str
        Id of the upload.
    files : sequence of dict
        ``name, size_bytes, kind, entry_id, notes`` of each.
    expires_at : str
        When it is removed, UTC.
    owner : str or None
        Name of the token that sent it.
    """

    upload_id: str
    files: Sequence[dict[str, Any]]
    expires_at: str
    owner: str | None = None


class UploadStore:
    """The uploads of a service.

    Parameters
    ----------
    settings : Settings
        Folder and limits.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.jobs_dir / UPLOADS
        self._checking = asyncio.Semaphore(_CHECKS_AT_ONCE)
        self._arriving: Counter[str | None] = Counter()

    async def add(self, files: Sequence[UploadFile], now: datetime, owner: str | None) -> Upload:
        """Store the files of an upload; none if one of them can't be used.

        Raises
        ------
        InvalidField
            If a file can't be used; it is named with the reason.
        PayloadTooLarge
            If one is too large.
        QueueFull
            If there is no room for more uploads.
        RateLimited
            If the uploads of this owner would be larger than its quota.
        """
        upload_id = f"upload_{secrets.token_hex(8)}"
        building = self._folder / f"{upload_id}.part"
        total = sum(file.size or 0 for file in files)
        self._arriving[owner] += total
        try:
            # The quota also counts uploads in progress: an upload that ends meanwhile may be counted twice.
            await asyncio.to_thread(self._check_room, owner, self._arriving[owner])
            sizes = await asyncio.to_thread(self._write, files, building / _FILES)
            async with self._checking:
                try:
                    inspected = await self._inspect(building)
                except InvalidField:
                    if is_full(building):  # no fault of the files
                        raise QueueFull("The disk of the uploads is full.", retry_after=_RETRY) from None
                    raise
            described = [{**file, "size_bytes": sizes[file["name"]]} for file in inspected]
            expires_at = utc_text(now + timedelta(hours=self._settings.keep_uploads_hours))
            upload = Upload(upload_id, described, expires_at, owner)
            await asyncio.to_thread(write_json, building / _RECORD, asdict(upload))
            await asyncio.to_thread(building.rename, self._folder / upload_id)
        finally:
            self._arriving[owner] -= total
            await asyncio.to_thread(shutil.rmtree, building, ignore_errors=True)
        return upload

    def get(self, upload_id: str, may_see: Callable[[str | None], bool] = lambda _: True) -> Upload:
        """Return an upload.

        Parameters
        ----------
        upload_id : str
            Id of the upload.
        may_see : callable
            Whether the client may see the uploads of an owner.

        Raises
        ------
        NotFound
            If no upload of this id exists that the client may see.
        """
        record = read_json(self._folder / upload_id / _RECORD) if _ID.fullmatch(upload_id) else None
        if not isinstance(record, dict) or not may_see(record.get("owner")):
            hours = f"{self._settings.keep_uploads_hours:g}"
            raise NotFound(f"No upload has this id; uploads are kept for {hours} hours.")
        return Upload(upload_id, record["files"], record["expires_at"], record.get("owner"))

    def remove(self, upload_id: str) -> None:
        """Remove an upload if it exists."""
        if _ID.fullmatch(upload_id):
            gone = self._folder / f"{upload_id}.{secrets.token_hex(4)}.gone"
            with contextlib.suppress(OSError):
                (self._folder / upload_id).rename(gone)
                shutil.rmtree(gone, ignore_errors=True)

    def remove_of(self, owner: str | None, upload_id: str) -> None:
        """Remove an upload if it exists and belongs to this owner."""
        with contextlib.suppress(NotFound):
            if self.get(upload_id).owner == owner:
                self.remove(upload_id)

    def prune(self, in_use: Collection[str], now: datetime) -> None:
        """Remove expired uploads that no unfinished job uses, and the remains of a crashed service."""
        if not self._folder.is_dir():
            return
        moment = utc_text(now)
        for path in self._folder.iterdir():
            if not _ID.fullmatch(path.name):
                if now.timestamp() - path.stat().st_mtime > _SECONDS * 2:
                    shutil.rmtree(path, ignore_errors=True)
                continue
            record = read_json(path / _RECORD)
            if path.name not in in_use and (not isinstance(record, dict) or str(record.get("expires_at")) < moment):
                self.remove(path.name)

    def check_quota(self, owner: str | None, size: int) -> None:
        """Reject an upload of this size before it is read if it exceeds its owner's quota.

        Raises
        ------
        RateLimited
            If the uploads of this owner would be larger than its quota.
        """
        quota = self._settings.max_upload_bytes_per_token
        if owner is None or quota is None:
            return
        records = [read_json(path) for path in self._folder.glob(f"upload_*/{_RECORD}")]
        own = [one["files"] for one in records if isinstance(one, dict) and one.get("owner") == owner]
        used = sum(file["size_bytes"] for files in own for file in files)
        if used + size > quota:
            message = f"The uploads of one token may have {quota} bytes together: delete some or try again later."
            raise RateLimited(message, maximum=quota, used=used, retry_after=_RETRY)

    def _check_room(self, owner: str | None, size: int) -> None:
        used = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        if used + self._settings.max_upload_bytes > self._settings.max_uploads_bytes:
            raise QueueFull("There is no room for more uploads: try again later.", retry_after=_RETRY)
        self.check_quota(owner, size)

    def _write(self, files: Sequence[UploadFile], folder: Path) -> dict[str, int]:
        """Write the files under safe names; return the size of each."""
        folder.mkdir(parents=True)
        sizes: dict[str, int] = {}
        room = self._settings.max_upload_bytes * _MOST_EXPANDED
        for file in files:
            name = _label(file.filename or "", {name_in_use.lower() for name_in_use in sizes})
            largest = self._settings.max_upload_file_bytes
            sizes[name] = file.size or 0
            if sizes[name] > largest:
                raise _too_large(name, largest)
            with (folder / name).open("xb") as stream:
                shutil.copyfileobj(file.file, stream)
            expanded = _unpacked(folder / name, largest * _MOST_EXPANDED)
            room -= expanded
            if expanded > largest * _MOST_EXPANDED:
                raise _too_large(name, largest * _MOST_EXPANDED, " unpacked")
            if room < 0:
                raise _too_large("The upload", self._settings.max_upload_bytes * _MOST_EXPANDED, " unpacked")
        return sizes

    async def _inspect(self, building: Path) -> list[dict[str, Any]]:
        """Return the content of the files; a separate process reads them, because they come from anyone."""
        cache = building / "cache"
        command = (sys.executable, "-m", "scripts.inspect_files", str(building / _FILES), str(cache))
        try:
            _, output, _ = await output_of(command, _SECONDS)
            inspected: list[dict[str, Any]] = json.loads(output)
        except (TimeoutError, ValueError):
            raise _invalid("", "can't be read: the files are damaged, or too much for this service") from None
        finally:
            await asyncio.to_thread(shutil.rmtree, cache, ignore_errors=True)
        if wrong := [file for file in inspected if file["error"]]:
            first = wrong[0]
            verb = "is " if first["kind"] == "other" else ""
            raise _invalid(first["name"], verb + str(first["error"]).rstrip("."), wrong)
        return [{key: value for key, value in file.items() if key != "error"} for file in inspected]


def _label(filename: str, taken: Collection[str]) -> str:
    """Return a file's name without path; its content decides what it is.

    Raises
    ------
    InvalidField
        If it is not a valid file name, or has an unsupported format.
    """
    name = re.split(r"[\\/]", filename.replace("%22", '"'))[-1].strip()  # browsers send a quote as %22
    shown = "".join(sign for sign in name[:80] if sign.isprintable())
    if not 0 < len(name.encode("utf-8", "replace")) <= _LONGEST_NAME or name[0] == "." or not name.isprintable():
        raise _invalid(shown, f"is not a file name: use printable characters, at most {_LONGEST_NAME} bytes")
    if name.lower() in taken:
        raise _invalid(shown, "has a file name that another part already has")
    return name


def _unpacked(path: Path, most: int) -> int:
    """Return the unpacked size of a file over all gzip members and entries of an archive; it may stop above `most`."""
    with path.open("rb") as stream:
        if path.suffix.lower() == ".gz" and stream.read(len(GZIP)) != GZIP:
            raise _invalid(path.name, "is not a gzip file")
    try:
        size = unpacked_size(path, most)
        return max(size, members_size(path, most)) if size <= most else size
    except DamagedGzip as error:
        raise _invalid(path.name, "is damaged: it can't be unpacked") from error
    except ArchiveError as error:
        raise _invalid(path.name, f"can't be used: {error}") from error


def _too_large(name: str, most: int, how: str = "") -> PayloadTooLarge:
    return PayloadTooLarge(f"{name} is larger than {most} bytes{how}.", field="files", file=name, maximum=most)


def _invalid(name: str, reason: str, wrong: Sequence[dict[str, Any]] = ()) -> InvalidField:
    details: dict[str, Any] = {"field": "files", "reason": f"{name} {reason}".strip(), "file": name}
    if wrong:
        details["files"] = [{"name": file["name"], "reason": file["error"]} for file in wrong]
        return InvalidField(f"{name}{' ' if reason.startswith('is ') else ': '}{reason}.", **details)
    return InvalidField(f"{name or 'files'} {reason}.", **details)
