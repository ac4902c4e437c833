"""Connections that wait for their client are closed in time, so that they never keep others out.

uvicorn limits neither the time of a request's receipt nor that of its answer's reading (Kludex/uvicorn#157), so its
protocol is extended here, the one place that relies on classes which uvicorn does not document.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections import OrderedDict

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADER_SECONDS = 15.0
"""Time limit for the head of a request, and for the rest of a body that was answered before it was read."""
READ_SECONDS = 60.0
"""Time limit for a client to read 64 kB of its answer."""
MAX_UNREAD_BYTES = 256 << 20
"""Memory of all answers that wait to be read."""
BACKLOG = 128
"""Connections that the system queues before they are accepted, and that are accepted at once."""

_MOST = 8192
_KEPT = 384
"""File descriptors kept for files, runs and the index; more than `BACKLOG`."""
_LEAST = 64


def raise_descriptor_limit() -> int:
    """Raise the limit of file descriptors of this process as far as the system allows; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):  # macOS has a limit below the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Waiting:
    """Connections that wait for their client to send a head or to read its answer, longest first.

    Parameters
    ----------
    descriptors : int
        File descriptors that the process may have.
    """

    def __init__(self, descriptors: int) -> None:
        self.most = max(_LEAST, min(_MOST, descriptors - _KEPT))
        self.connections: OrderedDict[TimedProtocol, int] = OrderedDict()
        """Connections with the bytes that they have not read."""
        self.unread = 0

    def add(self, connection: TimedProtocol, unread: int) -> None:
        """Add a connection; close those that have waited longest with unread bytes if there are too many bytes."""
        self.connections[connection] = unread
        self.unread += unread
        while unread and self.unread > MAX_UNREAD_BYTES:
            next(one for one, size in self.connections.items() if size).abandon()

    def remove(self, connection: TimedProtocol) -> None:
        """Remove a connection, if it waits."""
        self.unread -= self.connections.pop(connection, 0)


class TimedProtocol(H11Protocol):
    """uvicorn's protocol with time limits for heads of requests and for reading answers, which it lacks.

    If there are more connections than `Waiting.most`, or more unread bytes than `MAX_UNREAD_BYTES`, the one that has
    waited longest is closed. Connections that receive a body are not among them: `http.bodies` limits their time and
    number, and answers them.
    """

    waiting = Waiting(1024)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        self._timer: asyncio.TimerHandle | None = None
        self._paused = False
        super().connection_made(transport)
        self._review()
        if len(self.connections) > self.waiting.most and self.waiting.connections:
            next(iter(self.waiting.connections)).abandon()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Read the events that have arrived; a complete head, the first or a later one, ends the wait for it."""
        cycle = self.cycle
        super().handle_events()
        if self.cycle is not cycle:
            self._stop_waiting()
        self._review()

    def on_response_complete(self) -> None:
        """Wait for the client to read the rest of its answer and to send its next request."""
        super().on_response_complete()
        self._review()

    def pause_writing(self) -> None:
        """Wait for the client to read its answer."""
        super().pause_writing()
        self._paused = True
        self._stop_waiting()
        self._review()

    def resume_writing(self) -> None:
        """Resume once the client has read its response so far."""
        super().resume_writing()
        self._paused = False
        self._stop_waiting()
        self._review()

    def abandon(self) -> None:
        """Close the connection at once."""
        self._stop_waiting()
        self.transport.abort()

    def _review(self) -> None:
        """Start the time limit if the connection waits for its client now and did not before."""
        cycle: RequestResponseCycle | None = self.cycle
        if self._timer is None and (self._paused or cycle is None or cycle.response_complete):
            unread = self.transport.get_write_buffer_size()
            self._timer = self.loop.call_later(READ_SECONDS if unread else HEADER_SECONDS, self.abandon)
            self.waiting.add(self, unread)

    def _stop_waiting(self) -> None:
        self.waiting.remove(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
