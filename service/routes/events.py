"""Events of a job, as server-sent events."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.errors import RateLimited
from service.http.endpoint import Routes
from service.http.parameters import Text
from service.http.responses import json_bytes
from service.results.events import EventReader, last_lines
from service.results.job import Job
from service.routes.shared import in_thread, job_of, shared_of, state_of

KEEP_ALIVE_SECONDS = 15.0
_POLL_SECONDS = 0.5
_DIGITS = 18
_NUMBERS = 1000
"""Numbers of one event of a run: its progress, its line, states after it; after the last event the closing lines."""
_CLOSING = 100
"""Number of the first closing line after that of the last event."""


ROUTES = Routes("Jobs")


@ROUTES.get(
    "/api/jobs/{job_id}/events",
    "text/event-stream",
    (Text("Last-Event-ID", "Only events after the event with this number.", location="header"),),
)
async def job_events(request: Request) -> Response:
    """Events of a job, as server-sent events."""
    job = job_of(request)
    last = request.headers.get("last-event-id", "")
    number = int(last) if last.isascii() and last.isdecimal() and len(last) <= _DIGITS else 0
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return StreamingResponse((), 200, headers, "text/event-stream")
    if shared_of(request).streams.value == 0:
        raise RateLimited("Too many event streams are open: poll the job instead.", retry_after=10)
    return StreamingResponse(_counted(request, job, number), 200, headers, "text/event-stream")


async def _counted(request: Request, job: Job, last: int) -> AsyncIterator[bytes]:
    """Yield the events of a job while it counts as an open stream; none if too many have been opened at once."""
    places = shared_of(request).streams
    if places.value == 0:
        return
    async with places, contextlib.aclosing(_stream(request, job, last)) as stream:
        async for event in stream:
            yield event


async def _stream(request: Request, job: Job, last: int) -> AsyncGenerator[bytes]:
    """Yield the events of a job after number `last`: its state whenever that changes, its final state last."""
    shared = shared_of(request)
    reader = EventReader(job.folder)
    stopping = shared.parts.stopping
    silent, shown, told_lines, sent = 0.0, None, False, last
    while True:
        record = shared.parts.store.get(job.record.job_id)  # before the events: none is missed at the end
        if record is None:
            return
        for happening in await in_thread(reader.read):
            told_lines |= bool(happening.line)
            number = happening.number * _NUMBERS
            if happening.progress is not None and number > last:
                silent, sent = 0.0, number
                yield _event("progress", number, happening.progress)
            if happening.line and number + 1 > last:
                silent, sent = 0.0, number + 1
                yield _event("log", number + 1, shared.scrubber.text(happening.line))
        if record.final:
            ending = await in_thread(partial(last_lines, job.folder, begun=told_lines))
            first = reader.last * _NUMBERS + _CLOSING
            for number, line in enumerate(ending, first):
                if number > last:
                    yield _event("log", number, shared.scrubber.text(line))
            number = first + len(ending)
            final = state_of(shared, replace(job, record=record))
            yield _event("status", number if number > last else None, final)  # sent before: without its number
            return
        state = (record.status, record.current_step, record.attempt, record.results_ready)
        if state != shown:
            shown, silent, sent = state, 0.0, sent + 1
            yield _event("status", sent, state_of(shared, replace(job, record=record)))
        if stopping.is_set():
            return
        if silent >= KEEP_ALIVE_SECONDS:
            silent = 0.0
            yield b": still here\n\n"
        with anyio.move_on_after(_POLL_SECONDS):
            await stopping.wait()
        silent += _POLL_SECONDS


def _event(name: str, number: int | None, data: Any) -> bytes:
    text = data if isinstance(data, str) else json_bytes(data).decode("utf-8")
    numbered = "" if number is None else f"id: {number}\n"
    return f"{numbered}event: {name}\ndata: {text}\n\n".encode()
