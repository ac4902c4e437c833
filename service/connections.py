"""Connections: those that send no request are ended, so that they never keep others out."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections import OrderedDict

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADER_SECONDS = 15.0
"""How long a connection may take to send the head of a request."""
BACKLOG = 128
"""Connections that the system keeps until we take them, and that are taken at once."""

_MOST = 8192
_KEPT = 384
"""File descriptors kept for files, runs and the index; more than `BACKLOG`."""
_LEAST = 64


def raise_descriptor_limit() -> int:
    """Let this process have as many file descriptors as the system allows; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):  # macOS has a limit below the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Waiting:
    """The connections of which no request has come yet, oldest first.

    Parameters
    ----------
    descriptors : int
        File descriptors that the process may have.
    """

    def __init__(self, descriptors: int) -> None:
        self.most = max(_LEAST, min(_MOST, descriptors - _KEPT))
        self.connections: OrderedDict[TimedProtocol, None] = OrderedDict()


class TimedProtocol(H11Protocol):
    """uvicorn's protocol, which has no time limit for the head of a request.

    Of more connections than the process has room for the one that has waited longest goes.
    """

    waiting = Waiting(1024)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        self._head_timer: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > self.waiting.most and self.waiting.connections:
            next(iter(self.waiting.connections)).abandon()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._head_has_come()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Read what has come, and wait for the rest of a head, the first or a later one."""
        cycle = self.cycle
        super().handle_events()
        if self.cycle is not cycle:
            self._head_has_come()
        elif not _is_answered(cycle) and not self.transport.is_closing():
            self._await_head()

    def abandon(self) -> None:
        """End the connection without a word."""
        self._head_has_come()
        self.transport.abort()

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEADER_SECONDS, self.abandon)
            self.waiting.connections[self] = None

    def _head_has_come(self) -> None:
        self.waiting.connections.pop(self, None)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def _is_answered(cycle: RequestResponseCycle | None) -> bool:
    """Return whether a request is being answered."""
    return cycle is not None and not cycle.response_complete
