"""Rate limits of clients: number of actions per address and time."""

import ipaddress
import time
from collections.abc import Callable

from starlette.types import Scope

from service.lru import Lru

_CLIENTS = 10_000
"""Clients whose rate is remembered."""


def client_of(scope: Scope) -> str:
    """Return the address of a client; of an IPv6 address the first 64 bits, which one customer has to himself."""
    address = str((scope.get("client") or ("",))[0])
    if ":" not in address:
        return address
    try:
        return str(ipaddress.IPv6Network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address


class Buckets:
    """A bucket of tries for each client, which fills steadily.

    Parameters
    ----------
    count : int
        Tries of a full bucket.
    seconds : float
        Time in which an empty bucket fills.
    clock : callable
        Monotonic time in seconds.
    """

    def __init__(self, count: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._count = float(count)
        self._seconds = seconds
        self._clock = clock
        self._clients: Lru[str, tuple[float, float]] = Lru(_CLIENTS)

    def wait(self, client: str) -> float:
        """Return the seconds until a client has a try; 0 if it has one."""
        return max(0.0, (1 - self._left(client)) * self._seconds / self._count)

    def take(self, client: str) -> float:
        """Take a try from a client if it has one; return the seconds to wait if not."""
        wait = self.wait(client)
        left = self._left(client)
        self._clients.keep(client, (left if wait else left - 1, self._clock()))
        return wait

    def _left(self, client: str) -> float:
        now = self._clock()
        left, then = self._clients.get(client, (self._count, now))
        return min(self._count, left + (now - then) * self._count / self._seconds)
