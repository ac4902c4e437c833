"""Faults of a service on the network, to be switched on in turn."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

Service = Literal["search", "data", "removed", "files", "pdbe", "components", "reports", "suggest"]
Kind = Literal[
    "status",  # answers with `status`, and `retry_after` and `location` when given
    "slow",  # waits `seconds` before the first byte
    "cut",  # closes the connection in the middle of the body
    "cut_gzip",  # a complete answer whose gzip is cut off
    "no_atoms",  # a structure file without atoms
    "empty",  # an empty body
    "html",  # an HTML page with status 200
    "total_changes",  # the announced number of hits differs from page to page
    "duplicates",  # a page repeats the last hit of the page before
    "pages_end",  # 204 for any page but the first
    "no_result_set",  # the response contains only counts
    "graphql_error",  # status 200 with a list of errors and no data
    "refuse",  # closes the connection without an answer
]


@dataclass
class Fault:
    """A fault.

    Parameters
    ----------
    service : str
        Affected service.
    kind : str
        Kind of fault.
    entry : str
        Only requests that name this entry, lower case; empty: all.
    times : int or None
        Number of times; None for always.
    status, retry_after, location, seconds, body
        Details of the kind.
    """

    service: Service
    kind: Kind
    entry: str = ""
    times: int | None = None
    status: int = 503
    retry_after: str = ""
    location: str = ""
    seconds: float = 0.0
    body: bytes = b""
    content_type: str = "text/html"

    @property
    def headers(self) -> dict[str, str]:
        """Headers that it adds to an answer."""
        named = {"Retry-After": self.retry_after, "Location": self.location}
        return {name: text for name, text in named.items() if text}


class FaultPlan:
    """The faults that are switched on; safe to use from the server's threads."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def next(self, service: str, entry: str) -> Fault | None:
        """Return the fault that befalls a request, and count it."""
        with self._lock:
            for fault in self._faults:
                if fault.service == service and fault.entry in ("", entry) and fault.times != 0:
                    if fault.times is not None:
                        fault.times -= 1
                    return fault
        return None
