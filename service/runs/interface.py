"""What routes ask of the running service; `runs.lifecycle.Parts` is the one that there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from service.index.database import Index
from service.jobs.clock import Clock
from service.jobs.record import BatchRecord, JobRecord
from service.jobs.resources import Lack
from service.jobs.store import Store
from service.jobs.submission import Submission
from service.runs.idempotency import Idempotency
from service.runs.waiting import QueueCounts
from service.settings import Settings

# ruff: noqa: D102 - said where they are written


class Queue(Protocol):
    """The jobs that are not final, as `runs.queue.JobQueue` keeps them."""

    @property
    def accepting(self) -> bool: ...
    def room(self, owner: str | None) -> AbstractContextManager[None]: ...
    async def submit(
        self,
        submission: Submission,
        *,
        source: str = "api",
        owner: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> JobRecord: ...
    async def submit_batch(
        self,
        submissions: Sequence[Submission],
        delay_seconds: float,
        *,
        source: str = "batch",
        owner: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> BatchRecord: ...
    async def cancel(self, job_id: str) -> tuple[JobRecord, bool]: ...
    async def retry(self, job_id: str) -> JobRecord: ...
    async def cancel_batch(self, batch_id: str) -> BatchRecord: ...
    async def delete(self, job_id: str) -> None: ...
    def watch(self, job_id: str) -> AsyncGenerator[JobRecord]: ...
    def position(self, job_id: str) -> int | None: ...
    def waits_for(self, job_id: str) -> str: ...
    def lacks(self) -> list[Lack]: ...
    def counts(self) -> QueueCounts: ...
    def uploads_in_use(self) -> set[str]: ...


class Service(Protocol):
    """The service's parts, whoever has put them together."""

    ready: asyncio.Event

    @property
    def settings(self) -> Settings: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def store(self) -> Store: ...
    @property
    def index(self) -> Index: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def stopping(self) -> asyncio.Event: ...
    @property
    def looked_after(self) -> bool: ...
    def running(self, *, serving: bool = True, at_once: bool = False) -> AbstractAsyncContextManager[Any]: ...
