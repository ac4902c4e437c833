"""Resources that a job needs before it is launched: disk, source of structures, descriptors, memory, processes.

A job without a resource remains queued; the queue checks again until the resource is back.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2

from service.jobs.clock import Clock
from service.jobs.durable import FULL_BELOW_BYTES, free_bytes, is_shortage, raise_shortage
from service.jobs.record import ErrorKind, JobRecord
from service.settings import Settings
from tethermap.base.links import Addresses

SHORTAGE_SECONDS = 5.0
"""Pause after the machine had no descriptors, memory or processes left."""

_PROBE_SECONDS = 15.0
_ANSWER_SECONDS = 5.0
_EXPLAINS: Mapping[ErrorKind, str] = {
    "disk_full": "disk_low",
    "upstream": "source_unavailable",
    "input": "source_unavailable",  # the pipeline's word for a mirror that does not exist
    "pipeline": "source_unavailable",  # a file of the mirror that could not be read any more
}
"""Kinds of failures with the missing resource that explains them."""


@dataclass(frozen=True, slots=True)
class Lack:
    """A resource that is missing: its name in health, and a sentence for the notes of a job."""

    reason: str
    note: str


class Resources:
    """Watches the resources of all jobs.

    Parameters
    ----------
    settings : Settings
        Folders, source of structures, least free disk space.
    clock : Clock
        Measures the pauses.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._folders = (settings.jobs_dir, settings.cache_dir)
        self._least = max(settings.min_free_bytes, FULL_BELOW_BYTES)
        self._mirror = settings.mirror if settings.source in ("auto", "mirror") else None
        self._online = settings.source == "rcsb" or (settings.source == "auto" and settings.mirror is None)
        self._clock = clock
        self._free = self._least
        self._needs: dict[str, int] = {}
        self._no_mirror = self._no_answer = False
        self._next_probe = 0.0
        self._machine: tuple[float, str] = (0.0, "")

    async def check(self) -> None:
        """Check all resources; retry a service that did not answer."""
        try:
            await asyncio.to_thread(self.look)
            if self._no_answer and self._clock.monotonic() >= self._next_probe:
                await self._probe()
        except (OSError, MemoryError, RuntimeError) as error:
            self.short(error)

    def look(self) -> None:
        """Look at the disks and at the mirror; blocks."""
        try:
            self._free = min(free_bytes(folder) for folder in self._folders)
            self._no_mirror = self._mirror is not None and _is_absent(self._mirror)
        except OSError as error:
            self.short(error)

    def short(self, error: BaseException) -> None:
        """Note that the machine lacked descriptors, memory or processes just now; raise all other errors."""
        if not is_shortage(error):
            raise error
        reason = (error.strerror if isinstance(error, OSError) else None) or "out of memory or processes"
        self._machine = self._clock.monotonic() + SHORTAGE_SECONDS, reason

    def lacks(self) -> list[Lack]:
        """Return the resources that were missing at the last check."""
        lacks = []
        if self._free < self._least:
            lacks.append(Lack("disk_low", f"Waits for disk space: {_size(self._least)} must be free."))
        if self._no_mirror:
            lacks.append(Lack("source_unavailable", "Waits for the structures: the mirror is missing or empty."))
        if self._no_answer:
            lacks.append(Lack("source_unavailable", "Waits for the structures: RCSB does not answer."))
        until, reason = self._machine
        if self._clock.monotonic() < until:
            lacks.append(Lack("resources_short", f"Waits for resources of the machine: {reason}."))
        return lacks

    def lack(self, record: JobRecord) -> Lack | None:
        """Return the resource that keeps a job from being launched, None if it has all."""
        if lacks := self._lacks_of(record):
            return lacks[0]
        if self._free < (needs := self._needs.get(record.job_id, 0)):
            return Lack("disk_low", f"Waits for disk space: it filled the disk, {_size(needs)} must be free.")
        return None

    async def behind(self, kind: ErrorKind, record: JobRecord) -> Lack | None:
        """Return the missing resource for which a run has failed, None if the failure is its own."""
        if kind == "upstream" and self._online:
            await self._probe()
        await self.check()
        return next((lack for lack in self._lacks_of(record) if lack.reason == _EXPLAINS.get(kind)), None)

    def filled_disk(self, job_id: str) -> None:
        """Let a job that filled the disk wait until there is more room than it left."""
        self._needs[job_id] = self._free + FULL_BELOW_BYTES

    def forget(self, job_id: str) -> None:
        """Forget what a job needs that has ended."""
        self._needs.pop(job_id, None)

    def _lacks_of(self, record: JobRecord) -> list[Lack]:
        own_files = bool(record.request.get("structures"))
        return [lack for lack in self.lacks() if not (own_files and lack.reason == "source_unavailable")]

    async def _probe(self) -> None:
        """Send a request to the services of RCSB: any status below 500 means that they are available."""
        addresses = Addresses.from_environment()
        services = (addresses.search, addresses.data, addresses.files)
        try:
            async with httpx2.AsyncClient(timeout=_ANSWER_SECONDS) as http:
                answers = await asyncio.gather(*(http.get(address) for address in services))
            self._no_answer = any(answer.status_code >= 500 or answer.status_code == 429 for answer in answers)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            self._no_answer = True
        self._next_probe = self._clock.monotonic() + _PROBE_SECONDS


def _is_absent(folder: Path) -> bool:
    """Return whether a folder is missing or, like a mount point without its disk, empty."""
    try:
        with os.scandir(folder) as names:
            return next(names, None) is None
    except OSError as error:
        raise_shortage(error)
        return True


def _size(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
