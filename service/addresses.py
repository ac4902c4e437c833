"""Where the service is reached: the path before all of its addresses, behind a proxy that serves more than it."""

from __future__ import annotations

from contextvars import ContextVar

WES = "/ga4gh/wes/v1"
"""Path of GA4GH's Workflow Execution Service, whose document says what all of its answers are, errors too."""

ROOT_PATH: ContextVar[str] = ContextVar("root_path", default="")
"""The path of the request that is being answered, without a slash at its end."""


def address(path: str) -> str:
    """Return the address of a path of ours, as clients see it."""
    return ROOT_PATH.get() + path
