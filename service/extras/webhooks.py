"""Notices of finished jobs, sent to addresses of clients: signed, retried, also after restarts.

Sent only to addresses on the public internet, unless the operator allows others: otherwise a client could use this
service to reach internal addresses.
"""

import asyncio
import hashlib
import hmac
import logging
import ssl
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from service.addresses import ROOT_PATH
from service.hosts import addresses_of, is_public
from service.http.job_answers import Failure, JobAnswer
from service.http.responses import json_bytes
from service.jobs.durable import read_json, write_json
from service.jobs.record import SERVICE_FOLDER, JobRecord, utc_text
from service.jobs.store import Store
from service.runs.extra import Notices
from service.scrub import Scrubber
from service.settings import Settings

FOLDER = ".webhooks"
DELIVERY = f"{SERVICE_FOLDER}/webhook.json"
"""State of the notice of a job, in its folder."""
ROUTES = ()
RETRY_SECONDS = (10.0, 60.0, 600.0, 3600.0, 6 * 3600.0)
"""Pauses after a notice that was not taken; after the last it is given up."""

DELIVERY_SECONDS = 10.0
"""Time limit of one delivery: lookup of the name, connection, request and head of the answer."""

_AT_ONCE = 64
_PER_RECEIVER = 8
"""Deliveries to one host and port at once."""

_LOG = logging.getLogger(__name__)

_LOOKUPS = ThreadPoolExecutor(16, thread_name_prefix="resolve")

Send = Callable[[str, bytes, dict[str, str]], Awaitable[int]]


class Webhooks(Notices):
    """The notices that are still to be sent, one file each.

    Parameters
    ----------
    store : Store
        The jobs, whose folders contain the notices.
    settings : Settings
        Secret of the signature, path prefix, whether private addresses are allowed.
    send : callable or None
        Posts a body with headers to an address and returns the status; None for the real one.
    clock : callable
        Seconds since 1970.
    """

    def __init__(
        self, store: Store, settings: Settings, *, send: Send | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._settings = settings
        self._send = send or (lambda url, body, headers: post(url, body, headers, private=settings.webhook_private))
        self._clock = clock
        self._scrubber = Scrubber(settings)
        self._folder = store.jobs_dir / FOLDER
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._receivers: Counter[str] = Counter()
        self._later: dict[str, float] = {}
        """Times of the next attempts: if the disk is full, the files contain earlier ones."""

    def note(self, record: JobRecord) -> None:
        """Note that a job ends, before that is recorded; blocks."""
        if record.webhook:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_json(self._path(record.job_id), {"url": record.webhook, "attempts": 0, "due": self._clock()})

    async def look(self) -> None:
        """Begin to send due notices, the oldest first; a slow receiver delays only its own notices."""
        begun = set(self._sending)  # one of these may end while notices are read, and is not sent twice
        for job_id, notice in await asyncio.to_thread(self._due):
            receiver = urlsplit(notice["url"]).netloc
            room = len(self._sending) < _AT_ONCE and self._receivers[receiver] < _PER_RECEIVER
            if room and job_id not in begun and self._later.get(job_id, 0.0) <= self._clock():
                task = asyncio.create_task(self._deliver(job_id, notice))
                self._sending[job_id] = task
                self._receivers[receiver] += 1
                task.add_done_callback(partial(self._sent, job_id, receiver))

    def delivery_of(self, record: JobRecord, folder: Path) -> dict[str, Any] | None:
        """Return ``state, attempts, last_status, next_at`` of the notice of a job; None if it has no webhook.

        The state is ``waiting`` until the job has ended, then ``pending``, and ``delivered`` or ``failed`` at last.
        """
        if not record.webhook:
            return None
        delivery = read_json(folder / DELIVERY) if record.final else None
        if not isinstance(delivery, dict):
            state = "pending" if record.final else "waiting"
            return {"state": state, "attempts": 0, "last_status": None, "next_at": None}
        due = delivery["next_at"]
        return {**delivery, "next_at": None if due is None else utc_text(datetime.fromtimestamp(due, UTC))}

    async def stop(self) -> None:
        """Stop sending; undelivered notices are sent after the next start."""
        tasks = list(self._sending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _sent(self, job_id: str, receiver: str, _: asyncio.Task[None]) -> None:
        self._sending.pop(job_id, None)
        self._receivers -= Counter([receiver])  # drops receivers without deliveries

    def _path(self, job_id: str) -> Path:
        return self._folder / f"{job_id}.json"

    def _due(self) -> list[tuple[str, dict[str, Any]]]:
        now = self._clock()
        notices = [(path.stem, read_json(path)) for path in self._folder.glob("*.json")]
        due = [(job_id, notice) for job_id, notice in notices if isinstance(notice, dict) and notice["due"] <= now]
        return sorted(due, key=lambda one: (one[1]["due"], one[0]))

    async def _deliver(self, job_id: str, notice: dict[str, Any]) -> None:
        record = self._store.get(job_id)
        if record is None:
            self._later.pop(job_id, None)
            self._path(job_id).unlink(missing_ok=True)
            return
        if not record.final:  # ended before this was recorded: the next look finds it so
            return
        body = self._body(record)
        status = None
        try:
            status = await self._send(notice["url"], body, self._headers(job_id, body))
            failure = "" if 200 <= status < 300 else f"answered {status}"
        except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = str(error) or type(error).__name__
        attempts = notice["attempts"] + 1
        state, due = "failed" if failure else "delivered", None
        if failure and attempts > len(RETRY_SECONDS):
            _LOG.warning("a notification was rejected and is not repeated: %s", failure, extra={"job_id": job_id})
        elif failure:
            state, due = "pending", self._clock() + RETRY_SECONDS[attempts - 1]
            self._later[job_id] = due
        delivery = {"state": state, "attempts": attempts, "last_status": status, "next_at": due}
        await asyncio.to_thread(self._write, job_id, delivery, {**notice, "attempts": attempts, "due": due})

    def _write(self, job_id: str, delivery: dict[str, Any], notice: dict[str, Any]) -> None:
        """Write the outcome of a notice to the folder of its job; remove the notice if it is not due again."""
        if notice["due"] is None:
            self._later.pop(job_id, None)
            self._path(job_id).unlink(missing_ok=True)
        try:
            if notice["due"] is not None:
                write_json(self._path(job_id), notice)
            write_json(self._store.folder(job_id) / DELIVERY, delivery)
        except OSError as error:  # a full disk, or a job that was deleted meanwhile
            _LOG.warning("the state of a notification could not be written: %s", error, extra={"job_id": job_id})

    def _body(self, record: JobRecord) -> bytes:
        """Return the body of the job, as the API answers it."""
        ROOT_PATH.set(self._settings.root_path)  # used only by this task
        failure = Failure.of(record, self._scrubber)
        webhook = self.delivery_of(record, self._store.folder(record.job_id))
        return json_bytes(JobAnswer.of(record, None, failure=failure, webhook=webhook))

    def _headers(self, job_id: str, body: bytes) -> dict[str, str]:
        stamp = str(int(self._clock()))
        signature = hmac.new(self._settings.webhook_secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256)
        return {
            "Content-Type": "application/json",
            "User-Agent": "tethermap",
            "X-Tethermap-Delivery": job_id,
            "X-Tethermap-Timestamp": stamp,
            "X-Tethermap-Signature": f"sha256={signature.hexdigest()}",
        }


async def post(url: str, body: bytes, headers: dict[str, str], *, private: bool) -> int:
    """Post a body and return the status; the address that was checked is the one that is connected to.

    The body of the answer is not read: it may have any size, packed or not, and never end.

    Raises
    ------
    TimeoutError
        If the head of the answer has not come within `DELIVERY_SECONDS`.
    ValueError
        If the host has an address outside the public internet and `private` is false.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    async with asyncio.timeout(DELIVERY_SECONDS):
        addresses = await addresses_of(host, port, _LOOKUPS)
        if not private and not all(is_public(address) for address in addresses):
            raise ValueError(f"{host} has an address outside the public internet")
        literal = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
        target = parts._replace(netloc=f"{literal}:{port}").geturl()
        sent = {**headers, "Host": parts.netloc.rpartition("@")[2], "Accept-Encoding": "identity"}
        async with (
            httpx2.AsyncClient(timeout=DELIVERY_SECONDS, trust_env=False, verify=_tls()) as http,
            http.stream("POST", target, content=body, headers=sent, extensions={"sni_hostname": host}) as answer,
        ):
            return answer.status_code


@cache
def _tls() -> ssl.SSLContext:
    """Return the context of all connections: to read the certificates takes longer than a delivery."""
    return httpx2.create_ssl_context(trust_env=False)
