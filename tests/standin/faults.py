"""Faults of a service on the network, to be switched on in turn."""

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

    def befalls(self, service: str, entry: str) -> bool:
        """Return whether it befalls a request."""
        return self.service == service and self.entry in ("", entry) and self.times != 0

    @property
    def headers(self) -> dict[str, str]:
        """Headers that it adds to an answer."""
        named = {"Retry-After": self.retry_after, "Location": self.location}
        return {name: text for name, text in named.items() if text}
