"""Periodic tasks of the service: folders deleted by hand, full disks, the operator's requests."""

import asyncio
import contextlib
import logging
import os
import secrets
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb

from service.errors import ServiceError
from service.index.query import JobFilters
from service.jobs.durable import read_json, write_json
from service.jobs.record import RECORD
from service.jobs.uploads import UploadStore
from service.runs.idempotency import prune_keys
from service.runs.queue import JobQueue
from service.runs.reconcile import reconcile
from service.runs.retention import prune
from service.settings import Settings
from tethermap.base.atomic import replacing

LOOK_SECONDS = 1.0
TIDY_SECONDS = 3600.0
REPAIR_SECONDS = 15.0
COUNT_SECONDS = 5.0

_CLOCK_JUMP = timedelta(hours=1)
_ANSWER = ".answer.json"
_EXPORT = "jobs.csv"
"""File of the operator's export, in the folder of the index."""
_LOG = logging.getLogger(__name__)


class Housekeeping:
    """Looks after everything once a second, and tidies up once an hour.

    Parameters
    ----------
    queue : JobQueue
        The jobs, with their folders and their index.
    settings : Settings
        Retention settings.
    """

    def __init__(self, queue: JobQueue, settings: Settings) -> None:
        self._store, self._index, self._clock = queue.ledger.store, queue.ledger.index, queue.ledger.clock
        self._queue = queue
        self._settings = settings
        self._begun = (self._clock.utc(), self._clock.monotonic())
        self._next: dict[str, float] = {}
        self._jobs_dir_changed = 0

    async def keep(self) -> None:
        """Continue until canceled; errors are logged and end nothing."""
        while True:
            try:
                await self.look()
            except (OSError, ServiceError, duckdb.Error) as error:
                _LOG.warning("housekeeping: %s", error)
            except Exception:  # noqa: BLE001 - a defect: it must not end all looking after
                _LOG.exception("housekeeping: unexpected error")
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Look once."""
        for job_id in self._queue.unfinished():
            if not os.path.exists(f"{self._store.jobs_dir}/{job_id}/{RECORD}"):  # noqa: ASYNC240, PTH110 - one stat
                await self._queue.forget(job_id)
        if self._is_due("count", COUNT_SECONDS):
            await self._drop_deleted()
        await self._queue.ledger.flush()
        await self._queue.notices.look()
        if self._index.failed and self._is_due("repair", REPAIR_SECONDS):
            await self._index.in_writer(lambda: reconcile(self._store, self._index))
        for path in await asyncio.to_thread(_requests, self._store.requests):
            await self._serve(path)
        if self._is_due("tidy", TIDY_SECONDS):
            await self._tidy()

    def _is_due(self, task: str, seconds: float) -> bool:
        """Return whether a task's pause is over, and begin the next pause."""
        now = self._clock.monotonic()
        if now < self._next.get(task, now):
            return False
        self._next[task] = now + seconds
        return True

    async def _drop_deleted(self) -> None:
        """Remove finished jobs whose folders were deleted by hand from the index."""
        changed = self._store.jobs_dir.stat().st_mtime_ns
        if changed == self._jobs_dir_changed:
            return
        indexed = await self._index.in_writer(self._index.known)  # first: a job that is new is on disk by then
        for job_id in indexed.keys() - await asyncio.to_thread(self._store.names):
            if not self._store.is_example(job_id):
                self._index.remove(job_id)
        self._jobs_dir_changed = changed

    async def _tidy(self) -> None:
        now = self._clock.utc()
        await asyncio.to_thread(prune_keys, self._store.keys, now)
        await asyncio.to_thread(self._store.keep_reserve)
        await asyncio.to_thread(UploadStore(self._settings).prune, self._queue.uploads_in_use(), now)
        expected = self._begun[0] + timedelta(seconds=self._clock.monotonic() - self._begun[1])
        if abs(now - expected) > _CLOCK_JUMP:  # ages mean nothing now; the operator's `prune` still works
            _LOG.warning("the clock has jumped: no job is removed for its age")
            return
        await prune(self._store, self._index, self._queue.delete, self._settings, now)

    async def _serve(self, path: Path) -> None:
        """Execute a command of the operator, and write the answer next to it."""
        request = await asyncio.to_thread(read_json, path)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        if isinstance(request, dict):
            answer = await self.do(str(request.get("command")), str(request.get("argument", "")))
            await asyncio.to_thread(write_json, path.with_suffix(_ANSWER), answer)

    async def do(self, command: str, argument: str) -> dict[str, Any]:
        """Execute a command of the operator and return the response: ``ok`` and ``message``."""
        try:
            return {"ok": True, "message": await self._done(command, argument)}
        except (ServiceError, ValueError, OSError) as error:
            return {"ok": False, "message": str(error)}
        except Exception:  # noqa: BLE001 - a defect: the operator who waits is told, and nothing else suffers
            _LOG.exception("%s %s: unexpected error", command, argument)
            return {"ok": False, "message": f"{command} met an unexpected error; the log has it"}

    async def _done(self, command: str, argument: str) -> str:
        if command == "cancel":
            _, changed = await self._queue.cancel(argument)
            return f"{argument} is being canceled" if changed else f"{argument} was canceled before"
        if command == "adopt":
            return (await self._queue.adopt(Path(argument))).job_id
        if command == "prune":
            removed = await prune(self._store, self._index, self._queue.delete, self._settings, self._clock.utc())
            return "\n".join([*removed, f"{len(removed)} jobs removed"])
        if command == "reindex":
            outcome = await self._index.in_writer(lambda: reconcile(self._store, self._index, everything=True))
            return f"{outcome.jobs} jobs indexed"
        if command == "export":
            await self._index.settled()
            path = self._settings.index_dir / _EXPORT
            with replacing(path) as temporary, temporary.open("wb") as stream:
                async for piece in self._index.export(JobFilters()):
                    stream.write(piece)
            return str(path)
        raise ValueError(f"{command} is not a command")


def _requests(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*.json") if not path.name.endswith(_ANSWER))


def ask(folder: Path, command: str, argument: str, *, seconds: float = 120.0) -> dict[str, Any]:
    """Send a command to the running service; wait for its answer.

    Parameters
    ----------
    folder : Path
        Folder of requests.
    command, argument : str
        The command.
    seconds : float
        Timeout.

    Raises
    ------
    TimeoutError
        If no answer comes.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{secrets.token_hex(8)}.json"
    write_json(path, {"command": command, "argument": argument})
    answer_path = path.with_suffix(_ANSWER)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = read_json(answer_path)
        if isinstance(answer, dict):
            answer_path.unlink()
            return answer
        time.sleep(0.1)
    with contextlib.suppress(OSError):
        path.unlink()
    raise TimeoutError("the running service does not answer")
